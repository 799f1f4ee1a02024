#include "array.h"
#include "directives.h"
#include "run_layout.h"
#include "shell_quote.h"

namespace compute_scale {

Result<std::string> array_script(const ArrayScript& array) {
  COMPUTE_SCALE_TRY(own, name_and_output(array.name, array.run_dir, array.output));
  std::string out = "#!/usr/bin/env bash\n";
  for (const std::string& option : own) out += "#SBATCH " + option + "\n";
  for (const std::string& option : array.directives) out += "#SBATCH " + option + "\n";
  out += "# Written by sbatch-tasks: each element runs the script of one job of the run.\n";
  out += "run_dir=" + shell_quote(array.run_dir) + "\n";
  out += "case $SLURM_ARRAY_TASK_ID in\n";
  for (const ArrayScript::Element& element : array.elements) {
    out += std::to_string(element.index) + ") script=" + shell_quote(element.script) + " ;;\n";
  }
  out +=
      "*) echo \"compute-scale: no element $SLURM_ARRAY_TASK_ID in this array\" >&2 && exit 3 ;;\n";
  out += "esac\nexec bash \"$run_dir/$script\" \"$@\"\n";
  if (out.size() <= kLargestScript) return out;
  return site_error("array " + array.name + ": its script has " + std::to_string(out.size()) +
                    " bytes; Slurm takes at most 4 MiB");
}

}  // namespace compute_scale
