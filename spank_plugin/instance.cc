#include "instance.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

extern "C" const char plugin_name[];

namespace compute_scale {
namespace {

// The plugin_name that the object `path` exports, or null. Opens nothing that is not loaded
// already.
const char* exported_name(const char* path) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const char* name = static_cast<const char*>(dlsym(handle, "plugin_name"));
  dlclose(handle);
  return name;
}

}  // namespace

bool is_first_copy() {
  void* program = dlopen(nullptr, RTLD_LAZY);
  const link_map* object = nullptr;
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) return true;
  for (; object != nullptr; object = object->l_next) {
    const bool named = object->l_name != nullptr && *object->l_name != '\0';
    const char* name = named ? exported_name(object->l_name) : nullptr;
    if (name != nullptr && strcmp(name, plugin_name) == 0) return name == plugin_name;
  }
  return true;
}

}  // namespace compute_scale
