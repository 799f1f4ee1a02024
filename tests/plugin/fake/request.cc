// What sbatch, salloc and srun export for the request: `opt` and slurm_option_*.
#include "request.h"

#include <string.h>

extern "C" {

FakeRequest opt;

// As in Slurm the caller owns the text, and nobody frees it.
char* slurm_option_get(FakeRequest* request, const char* name) {
  const auto found = request->values.find(name);
  return found == request->values.end() ? nullptr : strdup(found->second.c_str());
}

bool slurm_option_isset(FakeRequest* request, const char* name) {
  return request->values.count(name) > 0 && request->derived.count(name) == 0;
}

int slurm_option_set(FakeRequest* request, const char* name, const char* value, bool /*early*/) {
  if (request->refused.count(name) > 0) return -1;
  request->values[name] = value;
  request->derived.erase(name);
  return 0;
}

bool slurm_option_reset(FakeRequest* request, const char* name) {
  return request->values.erase(name) > 0;
}

}  // extern "C"
