#include "process_environment.h"

#include <stdlib.h>

namespace compute_scale {
namespace {

const char* get(void* /*handle*/, const char* name) {
  return getenv(name);
}

bool set(void* /*handle*/, const char* name, const char* value) {
  return setenv(name, value, 1) == 0;
}

void unset(void* /*handle*/, const char* name) {
  unsetenv(name);
}

}  // namespace

Environment process_environment() {
  return {nullptr, get, set, unset};
}

}  // namespace compute_scale
