// The hooks that Slurm calls, and which of them does what in which kind of process.
//
//   sbatch, salloc, srun   init: options and their twins    post-opt: the request is rewritten
//   slurmstepd             init: options                    task_init: the environment
//   slurmd, prolog, …      nothing
#include <errno.h>

#include "client.h"
#include "node.h"
#include "options.h"
#include "spank.h"

#define FOR_SLURM extern "C" __attribute__((visibility("default")))

// SPANK_PLUGIN of Slurm's header would give these internal linkage in C++.
FOR_SLURM const char plugin_name[];
FOR_SLURM const char plugin_type[];
FOR_SLURM const unsigned int plugin_version;
FOR_SLURM const unsigned int spank_plugin_version;
const char plugin_name[] = COMPUTE_SCALE_PLUGIN_NAME;
const char plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1;

namespace compute_scale {
namespace {

struct PlugstackLine {
  int count;
  char** arguments;
};

using Work = void (*)(spank_t, const PlugstackLine&);

void nothing(spank_t /*spank*/, const PlugstackLine& /*line*/) {}

// Every hook goes through here. Slurm never sees one of them fail: with `optional` it would go on
// as if nothing had been asked for, with `required` it would drain the node. A client that must not
// go on has exited by then, and a task likewise. Contexts that are not named do nothing.
int run_hook(spank_t spank, const PlugstackLine& line, Work on_client, Work on_node) {
  const int saved_errno = errno;
  switch (spank_context()) {
    case S_CTX_LOCAL:
    case S_CTX_ALLOCATOR:
      on_client(spank, line);
      break;
    case S_CTX_REMOTE:
      on_node(spank, line);
      break;
    default:
      break;
  }
  errno = saved_errno;
  return ESPANK_SUCCESS;
}

void start_client(spank_t spank, const PlugstackLine& line) {
  client_init(spank, line.count, line.arguments);
}

void finish_client(spank_t spank, const PlugstackLine& /*line*/) {
  client_post_opt(spank);
}

// srun sends the options that were used along; slurmstepd complains about unknown ones.
void start_node(spank_t spank, const PlugstackLine& /*line*/) {
  register_options(spank);
}

void prepare_task(spank_t spank, const PlugstackLine& /*line*/) {
  node_task_init(spank);
}

}  // namespace
}  // namespace compute_scale

FOR_SLURM int slurm_spank_init(spank_t spank, int count, char** arguments) {
  using namespace compute_scale;
  return run_hook(spank, {count, arguments}, start_client, start_node);
}

FOR_SLURM int slurm_spank_init_post_opt(spank_t spank, int count, char** arguments) {
  using namespace compute_scale;
  return run_hook(spank, {count, arguments}, finish_client, nothing);
}

FOR_SLURM int slurm_spank_task_init(spank_t spank, int count, char** arguments) {
  using namespace compute_scale;
  return run_hook(spank, {count, arguments}, nothing, prepare_task);
}
