// A package: the container image and data that an entry's command runs with.
#ifndef COMPUTE_SCALE_LIB_PACKAGE_H_
#define COMPUTE_SCALE_LIB_PACKAGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "entry.h"
#include "result.h"

namespace compute_scale {

// A host folder made visible in the container. `host` may hold {data_root} and {project_root}.
struct Bind {
  std::string host;
  std::string container;
  bool optional = false;
};

struct Package {
  std::string name;
  std::string base_image;
  std::string image;  // may hold {project_root}
  EnvList env;
  bool use_cuda = true;
  std::string workdir = "/workspace";
  std::vector<Bind> data_binds;  // data_bind first, then data_deps
  std::vector<std::string> apptainer_flags;
  bool fakeroot = false;
  bool writable_tmpfs = false;
  bool no_home = false;
};

// Reads a package's JSON; errors as in parse_task. A bind is {"host", "container", "optional"}, in
// a benchmark checkout {"host_path", "container_path"}, or the text "host:container". Further keys
// are the benchmark's (install_cmds, …) and left out, unless they are nearly one of these.
Result<Package> parse_package(std::string_view text, const std::string& name,
                              const std::string& file);

// `packages_dir`/`name`.json, or `packages_dir`/`name`/config.json (a benchmark checkout).
// A missing package is a usage error that names the nearest ones.
Result<Package> load_package(const std::string& packages_dir, const std::string& name);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PACKAGE_H_
