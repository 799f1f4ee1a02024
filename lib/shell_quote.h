// Quoting for the two grammars that a job script is read by: bash, and sbatch's `#SBATCH` lines.
#ifndef COMPUTE_SCALE_LIB_SHELL_QUOTE_H_
#define COMPUTE_SCALE_LIB_SHELL_QUOTE_H_

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

// One bash argument that bash reads as exactly `text`, whatever its bytes (NUL excepted): bare
// where nothing needs quoting (`A=1` too, so it is no command word), else in single quotes, and as
// $'…' where control characters occur, so that the word never spans lines and never holds a
// carriage return (sbatch refuses scripts with CRLF).
std::string shell_quote(std::string_view text);

// The same for a shell that need not be bash: bare or in single quotes, whatever the bytes.
std::string single_quote(std::string_view text);

// The words of a command, quoted and joined by blanks.
std::string shell_join(const std::vector<std::string>& words);

// `text` as one argument of a `#SBATCH` line: in double quotes where a blank, `#`, a quote or a
// backslash would be misread (src/sbatch/opt.c, get_argument). A newline cannot be carried: error.
Result<std::string> directive_quote(std::string_view text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SHELL_QUOTE_H_
