// An environment behind three functions: a command's own, that of a job step, or a copy.
#ifndef COMPUTE_SCALE_LIB_ENVIRONMENT_H_
#define COMPUTE_SCALE_LIB_ENVIRONMENT_H_

namespace compute_scale {

// Function pointers instead of virtual functions: those would need the C++ library.
struct Environment {
  void* handle;
  // What `get` returns is valid until the next set or unset; null is "not set".
  const char* (*get)(void* handle, const char* name);
  bool (*set)(void* handle, const char* name, const char* value);
  void (*unset)(void* handle, const char* name);
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_ENVIRONMENT_H_
