#include "container.h"

#include <gtest/gtest.h>

#include "package_env.h"
#include "run_settings.h"
#include "samples.h"
#include "shell_quote.h"
#include "show_command.h"

namespace compute_scale {
namespace {

std::string show(const StepCommand& command) {
  return show_args(command, ArgsOf::kStep);
}

Result<StepCommand> command_of(Backend backend, const std::string& entry,
                               const EnvList& run_env = {}) {
  PlanTask task = sample_task("t", "[" + entry + "]");
  task.run_env = run_env;
  const Plan plan = sample_plan({task}, "0.5");
  RunSettings settings = sample_settings(plan);
  settings.backend = backend;
  return step_command(plan, plan.steps[0], settings);
}

const char* const kPretrain =
    R"({"cmd": "scripts/gpt.sh", "label": "gpt", "compute": 4, "package": "nanoGPT",
        "env": {"BATCH_SIZE": "32"}, "h200": {"compute": 2, "env": {"BATCH_SIZE": "64"}}})";

TEST(Container, Apptainer) {
  EXPECT_EQ(show(*command_of(Backend::kApptainer, kPretrain)),
            R"(apptainer
exec
--nv
--writable-tmpfs
--no-home
<bind /dev/shm: --bind /dev/shm:/dev/shm>
<bind /vendor/workspace/t/r1/nanoGPT: --bind /vendor/workspace/t/r1/nanoGPT:/workspace/nanoGPT>
<bind /tasks/t: --bind /tasks/t:/workspace/_task>
<bind /data root/climbmix: --bind /data root/climbmix:/data/climbmix>
<bind /data root/extra, optional: --bind /data root/extra:/data/extra>
<bind /results: --bind /results:/results>
--pwd
/workspace/nanoGPT
/project/images/nanoGPT.sif
sh
-c
export PYTHONPATH=/workspace/nanoGPT:"${PYTHONPATH-}"; exec "$@"
sh
env
DATA_DIR=/data/climbmix
SAVE_PATH=/results
OUTPUT_DIR=/results/t/r1/seed_42
SEED=42
CUDA_VISIBLE_DEVICES=<devices>
ENV=gpt
BATCH_SIZE=64 
bash
/workspace/_task/scripts/gpt.sh
)");
}

TEST(Container, SingularityHasTheSameShape) {
  const std::string apptainer = show(*command_of(Backend::kApptainer, kPretrain));
  const std::string singularity = show(*command_of(Backend::kSingularity, kPretrain));
  EXPECT_EQ(singularity, "singularity" + apptainer.substr(std::string("apptainer").size()));
}

TEST(Container, ContainedPackagesHaveAPrivateTmp) {
  const std::string text = show(
      *command_of(Backend::kApptainer, R"({"cmd": "scripts/train.sh a 'b c'", "package": "verl",
                               "workdir": "/work dir"})"));
  EXPECT_NE(text.find("--nv\n--no-home\n--contain\n<scratch>\n"), std::string::npos) << text;
  EXPECT_NE(text.find("--pwd\n/work dir/verl\n/images/verl.sif\nenv\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nbash\n-c\nbash '/work dir/_task/scripts/train.sh' a 'b c'\n"),
            std::string::npos)
      << text;
}

TEST(Container, WithoutGpuNoneIsVisible) {
  const std::string text =
      show(*command_of(Backend::kApptainer, R"({"cmd": "a.sh", "compute": 0, "package": "verl"})"));
  EXPECT_EQ(text.find("--nv"), std::string::npos) << text;
  EXPECT_EQ(text.find("/dev/shm"), std::string::npos) << text;
  EXPECT_NE(text.find("\nCUDA_VISIBLE_DEVICES=\n"), std::string::npos) << text;
}

TEST(Container, LocalTranslatesThePackagesPaths) {
  const auto command = command_of(Backend::kLocal, kPretrain);
  EXPECT_EQ(command->working_dir, "/vendor/workspace/t/r1/nanoGPT");
  EXPECT_EQ(command->fallback_dir, "/tasks/t");
  EXPECT_EQ(show(*command), R"(bash
-c
export OMP_NUM_THREADS="${OMP_NUM_THREADS-12}" MKL_NUM_THREADS="${MKL_NUM_THREADS-12}" )"
                            R"(OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS-12}" )"
                            R"(NUMEXPR_NUM_THREADS="${NUMEXPR_NUM_THREADS-12}"; )"
                            R"(export PYTHONPATH=/vendor/workspace/t/r1/nanoGPT:"${PYTHONPATH-}"; )"
                            R"(exec "$@"
bash
env
-u
LC_ALL
DATA_DIR=/data root/climbmix
SAVE_PATH=/results
OUTPUT_DIR=/results/t/r1/seed_42
SEED=42
CUDA_VISIBLE_DEVICES=<devices>
ENV=gpt
BATCH_SIZE=64 
bash
/tasks/t/scripts/gpt.sh
)");
}

TEST(Container, LocalNeedsNoPackage) {
  const auto command = command_of(Backend::kLocal, R"({"cmd": "a.sh"})");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->working_dir, "/tasks/t");
}

TEST(Container, EarlierEnvironmentIsReplacedByLater) {
  const std::string text =
      show(*command_of(Backend::kApptainer,
                       R"({"cmd": "a.sh", "package": "verl", "env": {"SEED": "7", "ENV": "x"}})",
                       {{"VLLM_USE_V1", "0"}, {"SEED", "1"}, {"B", "2"}}));
  EXPECT_NE(text.find("env\nVLLM_USE_V1=0\nSEED=42\nB=2\nSAVE_PATH="), std::string::npos) << text;
  EXPECT_NE(text.find("ENV=test\nSEED=7 ENV=x \nbash\n"), std::string::npos) << text;
}

TEST(Container, OnlyReferencesOfAPackageAreExpanded) {
  const struct {
    const char* value;
    bool reference;
    const char* expected;
  } cases[] = {
      {"/a:${PATH}", true, "/a:\"${PATH-}\""},
      {"${A}${B}", true, "\"${A-}\"\"${B-}\""},
      {"$(id) ${X}", true, "'$(id) '\"${X-}\""},
      {"$PATH", false, "'$PATH'"},
      {"${1x}", false, "'${1x}'"},
      {"${X:-y}", false, "'${X:-y}'"},
      {"${", false, "'${'"},
      {"`id`", false, "'`id`'"},
      {"a\n\t${X}", true, "'a\n\t'\"${X-}\""},  // no $'…', which only bash reads
  };
  for (const auto& c : cases) {
    EXPECT_EQ(has_reference(c.value), c.reference) << c.value;
    EXPECT_EQ(expandable(c.value), c.expected) << c.value;
  }
}

TEST(Container, CommandsAreScriptsOrLines) {
  const struct {
    const char* cmd;
    const char* script;
    const char* rest;
  } cases[] = {
      {"scripts/a.sh", "scripts/a.sh", ""},
      {" a.sh  --x 'y z' ", "a.sh", "--x 'y z'"},
      {"./run", "./run", ""},
      {"cd d && echo 'a \"b\"' \"$HOME\" `hostname` 50%", "",
       "cd d && echo 'a \"b\"' \"$HOME\" `hostname` 50%"},
      {"$DIR/x.sh", "", "$DIR/x.sh"},
      {"python3 x.py", "", "python3 x.py"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(split_command(c.cmd).script, c.script) << c.cmd;
    EXPECT_EQ(split_command(c.cmd).rest, c.rest) << c.cmd;
  }
}

TEST(ContainerRefusal, SaysWhatIsMissing) {
  const struct {
    const char* entry;
    const char* expected;
  } cases[] = {
      {R"({"cmd": "a.sh"})",
       "t/test: names no package, so apptainer has no image for it (or use container_runtime: "
       "local)"},
      {R"({"cmd": "a.sh", "package": "demo"})",
       "t/test: package demo has no image for apptainer (or use container_runtime: local)"},
      {R"({"cmd": "a.sh", "package": "nope"})",
       "t/test: package \"nope\" has no file in packages_dir"},
  };
  for (const auto& c : cases) {
    const auto command = command_of(Backend::kApptainer, c.entry);
    ASSERT_FALSE(command.ok()) << c.entry;
    EXPECT_EQ(command.error().text, c.expected);
  }
}

TEST(ContainerRefusal, FoldersThatNoConfigSets) {
  const Plan plan = sample_plan({sample_task("t", "[" + std::string(kPretrain) + "]")}, "1");
  RunSettings settings = sample_settings(plan);
  settings.data_root.clear();
  EXPECT_EQ(step_command(plan, plan.steps[0], settings).error().text,
            "package nanoGPT: \"{data_root}/climbmix\" needs data_root, which no config sets "
            "(data_root: in the config)");
  settings = sample_settings(plan);
  settings.workspace_root.clear();
  EXPECT_EQ(step_command(plan, plan.steps[0], settings).error().text,
            "t/gpt: no working copy of package nanoGPT: set workspace_root in the config");
}

TEST(ContainerRefusal, UnknownRuntime) {
  EXPECT_EQ(
      parse_backend("dokcer").error().text,
      "container_runtime: \"dokcer\": expected apptainer, singularity, docker, docker-rootless, "
      "podman, pyxis, local; did you mean docker?");
}

}  // namespace
}  // namespace compute_scale
