#include "arguments.h"

#include <string.h>

namespace compute_scale {
namespace {

// Whether `argument` is `name` followed by an absolute path, which goes to `value`.
bool take_path(const char* argument, const char* name, const char** value) {
  const size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0 || argument[length] != '/') return false;
  *value = argument + length;
  return true;
}

}  // namespace

Arguments parse_arguments(int count, char** arguments) {
  Arguments parsed = {COMPUTE_SCALE_SITE_CONFIG, COMPUTE_SCALE_LIBRARY, nullptr};
  for (int i = 0; i < count; ++i) {
    if (take_path(arguments[i], "config=", &parsed.config)) continue;
    if (take_path(arguments[i], "library=", &parsed.library)) continue;
    parsed.fault = arguments[i];
  }
  return parsed;
}

}  // namespace compute_scale
