// What the site's own config permits: a user's config that is laid over it does not change that.
#ifndef COMPUTE_SCALE_LIB_SITE_LIMITS_H_
#define COMPUTE_SCALE_LIB_SITE_LIMITS_H_

#include <optional>
#include <string>
#include <vector>

#include "hardware.h"
#include "result.h"
#include "run_config.h"

namespace compute_scale {

struct ConfigFile {
  std::string name;  // for messages
  RunConfig config;
};

struct SiteLimits {
  std::string file;                    // where they are written
  std::vector<Hardware> hardware;      // the site's table: its partitions have this hardware only
  std::vector<Unprofiled> unprofiled;  // the values that a submission may have; empty: all
  std::string default_partition;       // of requests that name none; empty: not known
};

struct LayeredConfig {
  RunConfig config;  // defaults, site's and user's laid over one another
  SiteLimits limits;
};

// Where the site lists the permitted values of `unprofiled` and sets none, the first is its
// default. Error: the user's config holds a key that is the site's alone.
Result<LayeredConfig> lay_configs(const ConfigFile& site, const std::optional<ConfigFile>& user);

// Whether the site lets a submission to `partitions` (may be a list with commas; empty: the default
// one) have this scale. Site errors, without a place in front.
Status check_scale(const SiteLimits& limits, const Scale& scale, const std::string& partitions);

// Whether the site lets a submission have this value. Site errors, likewise.
Status check_unprofiled(const SiteLimits& limits, Unprofiled value);

// What `policy` says of an entry that stays as it is for want of a block: `warning` is scale.h's of
// it, or empty. Only `keep` lets it run: an entry is never scaled without its block. `place` is
// what set the policy, for the message.
Status check_unprofiled_entry(const std::string& warning, Unprofiled policy,
                              const std::string& place);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SITE_LIMITS_H_
