// The configuration of one run of the program: all layers laid over one another.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_CONTEXT_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_CONTEXT_H_

#include <string>

#include "hardware.h"
#include "options.h"
#include "result.h"
#include "run_config.h"
#include "site_limits.h"

namespace compute_scale {

struct Context {
  Options options;
  RunConfig config;
  SiteLimits limits;
  Scale scale;
  std::string tasks_dir;    // absolute
  std::string config_file;  // the run config, absolute; empty: none
  std::string home;
  bool tasks_of_config = true;  // false: an option or variable names tasks_dir, so that the plugin,
                                // which reads configs only, looks elsewhere
};

// Resolves a scale (factor, hardware name, auto) by the context's hardware table. Errors: the site
// does not permit it in the partition of the jobs.
Result<Scale> context_scale(const Context& context, const std::string& text);

// Where `make install` puts the parts of the plugin, and its site config.
struct InstalledFiles {
  std::string plugin, library, site_config;
};
InstalledFiles installed_files();

// The site's config that counts: the installed one, or the file that COMPUTE_SCALE_SITE_CONFIG
// names; empty where there is none.
std::string site_config_file();

// Lays defaults, the site's config (the installed one, or the file that COMPUTE_SCALE_SITE_CONFIG
// names), the run config and the options over one another, and resolves the scale. Verbs that take
// a run directory need neither tasks nor scale.
Result<Context> load_context(const Options& options);

// The layers alone, for verbs that look at a run that is there.
Result<LayeredConfig> load_config(const Options& options);

// An absolute path without "." and ".." parts; relative ones are taken from the present folder.
std::string absolute_path(const std::string& path);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_CONTEXT_H_
