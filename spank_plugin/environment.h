// An environment behind three functions: the command's own, or that of a job step.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_ENVIRONMENT_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_ENVIRONMENT_H_

namespace compute_scale {

// Function pointers instead of virtual functions: those would need the C++ library.
struct Environment {
  void* handle;
  // What `get` returns is valid until the next set or unset; null is "not set".
  const char* (*get)(void* handle, const char* name);
  bool (*set)(void* handle, const char* name, const char* value);
  void (*unset)(void* handle, const char* name);
};

// The environment of this process.
Environment process_environment();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_ENVIRONMENT_H_
