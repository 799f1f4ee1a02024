// A package's environment and paths, made concrete for one run.
#ifndef COMPUTE_SCALE_LIB_PACKAGE_ENV_H_
#define COMPUTE_SCALE_LIB_PACKAGE_ENV_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "container.h"
#include "entry.h"
#include "package.h"
#include "result.h"

namespace compute_scale {

// `text` with {data_root} and {project_root} replaced; `place` names it in the error for a
// {data_root} that is not configured.
Result<std::string> fill_in(std::string text, const ContainerContext& context,
                            const std::string& place);

// The package's data binds with their host paths filled in; relative ones are below project_root.
Result<std::vector<Bind>> data_binds(const ContainerContext& context);

// Container paths in `value` (whole elements of a list separated by ':') replaced by the host paths
// of `binds`, the longest match first.
std::string to_host_paths(std::string_view value, const std::vector<Bind>& binds);

// Whether `value` holds a reference ${NAME}.
bool has_reference(std::string_view value);

// `value` as text for any POSIX shell in which only its references ${NAME} are expanded, to "" if
// unset.
std::string expandable(std::string_view value);

// `value` with each reference ${NAME} replaced by what `look_up` says of NAME.
std::string expanded(std::string_view value,
                     const std::function<std::string_view(std::string_view)>& look_up);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PACKAGE_ENV_H_
