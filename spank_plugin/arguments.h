// The arguments of the plugstack line: config=FILE and library=FILE.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_ARGUMENTS_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_ARGUMENTS_H_

namespace compute_scale {

struct Arguments {
  const char* config;   // the site's config, absolute
  const char* library;  // libcompute-scale.so, absolute
  const char* fault;    // the last argument that was ignored, or null
};

// The texts belong to `arguments`. An argument that is unknown, or whose path is not absolute, is
// ignored: a slip of the administrator must not stop anybody's job.
Arguments parse_arguments(int count, char** arguments);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_ARGUMENTS_H_
