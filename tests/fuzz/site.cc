// A site's or a run's YAML, laid over the defaults.
#include "fuzz.h"
#include "run_config.h"
#include "run_settings.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale;
  const auto read = parse_run_config(fuzz::text_of(data, size), "site.yaml", "/base", "/home/u");
  if (!fuzz::good(read)) {
    fuzz::require(starts_with(read.error().text, "site.yaml:"), "an error names the file",
                  read.error().text);
    return 0;
  }
  const RunConfig config = merge(default_run_config(), *read);
  for (const auto* folder : {&config.tasks_dir, &config.packages_dir, &config.save_path}) {
    if (*folder) fuzz::require(starts_with(**folder, "/"), "a path is absolute", **folder);
  }
  fuzz::require(!config.seeds->empty(), "a run has a seed");
  fuzz::require(default_resources(config.slurm).cpus_per_gpu > 0, "a GPU has a CPU");
  fuzz::require(node_limits(config.slurm).devices > 0, "a node has a device");
  for (const std::string& text : {config.compute_scale.value_or("auto"), std::string("0.5")}) {
    fuzz::good(resolve_scale(text, *config.hardware, {{"h200"}, "gpu"}));
  }
  return 0;
}
