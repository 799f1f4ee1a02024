// The command of one step: an entry's script in its package's container, or without one.
#ifndef COMPUTE_SCALE_LIB_CONTAINER_H_
#define COMPUTE_SCALE_LIB_CONTAINER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "entry.h"
#include "package.h"
#include "result.h"

namespace compute_scale {

// What a step's command depends on besides its entry. Paths are absolute and on the host.
struct ContainerContext {
  std::string task_dir;
  const Package* package = nullptr;  // null: the entry has none; not owned
  std::string working_copy;          // the package's; empty: no workspace_root is configured
  std::string data_root;             // {data_root} of packages; may be empty
  std::string project_root;          // {project_root}, and what relative binds are relative to
  std::string save_path;
  std::string output_dir;  // <save_path>/<task>/<exp_name>/seed_<seed>
  std::int64_t seed = 0;
  int threads = 1;  // for OMP_NUM_THREADS and its kin, where the caller sets none
  EnvList run_env;
  std::vector<std::string> flags;  // the site's further options for the runtime
  bool in_session = false;  // docker-rootless: the command joins a container that is started before
};

// An argument, or a part of one that only the place where the step runs can fill in.
enum class ArgKind {
  kText,          // `text`
  kDevices,       // `text`, then the step's devices as the job sees them: "4,5"
  kInnerDevices,  // `text`, then their numbers inside of a container that has no others: "0,1"
  kBind,      // `words` that bind the path `text`, checked first: a missing optional path is left
              // out with a notice, a missing required one fails the step
  kScratch,   // the words that bind a private temporary folder as /tmp
  kEntryEnv,  // one word NAME=VALUE for each variable of StepCommand::entry_env
  kCall,      // the words that the job script's function `text` adds when called with `words`
  kSrun,      // srun, with the options that give a step its part of the job
  kSession,   // the name of the container that StepCommand::session has started
  kStep,      // a word that no other step of the job has
};

struct Arg {
  ArgKind kind = ArgKind::kText;
  std::string text;
  std::vector<std::string> words;
  bool optional = false;  // kBind
};

struct StepCommand {
  std::vector<Arg> args;
  std::vector<Arg> session;  // starts the container that `args` run in and returns; empty: none
  EnvList entry_env;         // set last, in every backend
  std::string output_dir;    // to be made before the start
  std::string working_dir;   // to start in where it exists, else in `fallback_dir`; empty: anywhere
  std::string fallback_dir;
};

// The command of `entry` (at the scale of the run; compute 0: no GPU is visible to it). The order
// of the environment, later wins: package, run, SAVE_PATH and OUTPUT_DIR, SEED, device variables,
// ENV=label, entry. Values reach the program byte for byte and are never evaluated, except that
// ${NAME} in a *package's* value stands for what the image (local: the caller) has.
// Errors: a container without package or image; {data_root} without a data_root; no working copy; a
// path that the runtime cannot mount.
Result<StepCommand> build_container_cmd(Backend backend, const Entry& entry,
                                        const ContainerContext& context);

// Whether `cmd` names a script of the task folder (its first word has a '/' or ends in ".sh"), with
// arguments for bash to read behind it; else it is a line for `bash -c`.
struct CommandLine {
  std::string script;  // empty: none
  std::string rest;    // the arguments, or the whole line
};
CommandLine split_command(std::string_view cmd);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CONTAINER_H_
