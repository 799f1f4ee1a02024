// The commands of docker, podman and pyxis, word by word.
#include <gtest/gtest.h>

#include "package.h"
#include "run_settings.h"
#include "samples.h"
#include "show_command.h"

namespace compute_scale {
namespace {

const char* const kPretrain =
    R"({"cmd": "scripts/gpt.sh", "label": "gpt", "compute": 4, "package": "nanoGPT",
        "env": {"BATCH_SIZE": "32"}, "h200": {"compute": 2, "env": {"BATCH_SIZE": "64"}}})";
const char* const kCpu = R"({"cmd": "a.sh", "compute": 0, "package": "verl"})";

Result<StepCommand> command_of(Backend backend, const std::string& entry, bool in_session = false,
                               const std::vector<std::string>& flags = {}) {
  const Plan plan = sample_plan({sample_task("t", "[" + entry + "]")}, "0.5");
  RunSettings settings = sample_settings(plan);
  settings.backend = backend;
  settings.container_flags = flags;
  if (backend == Backend::kPyxis) settings.data_root = "/droot";  // it mounts no blanks
  return step_command(plan, plan.steps[0], settings, in_session);
}

std::string text_of(Backend backend, const std::string& entry) {
  return show_args(*command_of(backend, entry), ArgsOf::kStep);
}

const char* const kVolumes =
    R"(<bind /vendor/workspace/t/r1/nanoGPT: -v /vendor/workspace/t/r1/nanoGPT:/workspace/nanoGPT>
<bind /tasks/t: -v /tasks/t:/workspace/_task>
<bind /data root/climbmix: -v /data root/climbmix:/data/climbmix>
<bind /data root/extra, optional: -v /data root/extra:/data/extra>
<bind /results: -v /results:/results>
-w
/workspace/nanoGPT
mlsbench/nanogpt:latest
)";

const char* const kProgram = R"(sh
-c
export PYTHONPATH=/workspace/nanoGPT:"${PYTHONPATH-}"; exec "$@"
sh
env
DATA_DIR=/data/climbmix
SAVE_PATH=/results
OUTPUT_DIR=/results/t/r1/seed_42
SEED=42
CUDA_VISIBLE_DEVICES=<inner devices>
ENV=gpt
BATCH_SIZE=64 
bash
/workspace/_task/scripts/gpt.sh
)";

TEST(Docker, RunsAsTheSubmitter) {
  EXPECT_EQ(text_of(Backend::kDocker, kPretrain), std::string(R"(docker
run
--rm
<name_container docker>
--shm-size=16g
--entrypoint

<docker_gpus>
<pass_variables>
<as_submitter>
-e
HOME=/tmp
)") + kVolumes + kProgram);
}

TEST(Docker, RootlessIsTheSubmitterAlready) {
  EXPECT_EQ(text_of(Backend::kDockerRootless, kPretrain), std::string(R"(docker
run
--rm
<name_container docker>
--shm-size=16g
--entrypoint

<docker_gpus>
<pass_variables>
)") + kVolumes + kProgram);
}

TEST(Docker, StepsOfOneJobShareARootlessContainer) {
  const auto command = command_of(Backend::kDockerRootless, kPretrain, true);
  EXPECT_EQ(show_args(*command, ArgsOf::kSession), std::string(R"(docker
run
-d
--rm
<name_container docker>
--shm-size=16g
--entrypoint

<docker_gpus>
<pass_variables>
)") + kVolumes + "sleep\ninfinity\n");
  std::string program = kProgram;
  const std::string shell = "sh\n-c\nexport";
  program.replace(0, shell.size(), "sh\n-c\necho $$ >\"/dev/shm/$0\"; export");
  const std::string name = "\"$@\"\nsh\n";
  program.replace(program.find(name), name.size(), "\"$@\"\n<step>\n");
  EXPECT_EQ(show_args(*command, ArgsOf::kStep),
            "docker\nexec\n-w\n/workspace/nanoGPT\n<session>\n" + program);
}

TEST(Docker, WithoutGpuNoneIsVisible) {
  for (const Backend backend : {Backend::kDocker, Backend::kDockerRootless, Backend::kPodman}) {
    const std::string text = text_of(backend, kCpu);
    EXPECT_EQ(text.find("_gpus>"), std::string::npos) << text;
    EXPECT_NE(text.find("\n-e\nNVIDIA_VISIBLE_DEVICES=void\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nCUDA_VISIBLE_DEVICES=\n"), std::string::npos) << text;
  }
}

TEST(Docker, NeverAsksForATerminal) {
  for (const Backend backend : {Backend::kDocker, Backend::kDockerRootless, Backend::kPodman}) {
    for (const bool in_session : {false, true}) {
      const auto command = command_of(backend, kPretrain, in_session);
      for (const auto* args : {&command->args, &command->session}) {
        for (const Arg& arg : *args) {
          EXPECT_TRUE(arg.text != "-t" && arg.text != "-i" && arg.text != "-it") << arg.text;
        }
      }
    }
  }
}

TEST(Docker, FlagsOfTheSiteStandBehindOurs) {
  const auto command =
      command_of(Backend::kDocker, kPretrain, false, {"--platform", "linux/amd64"});
  EXPECT_NE(show_args(*command, ArgsOf::kStep)
                .find("--entrypoint\n\n--platform\nlinux/amd64\n<docker_gpus>\n"),
            std::string::npos);
}

TEST(Podman, KeepsTheUserAndNamesEachDevice) {
  EXPECT_EQ(text_of(Backend::kPodman, kPretrain), std::string(R"(podman
run
--rm
<name_container podman>
--shm-size=16g
--entrypoint

<podman_gpus>
<pass_variables>
<keep_submitter>
)") + kVolumes + kProgram);
}

// A task whose package has one bind and nothing else.
Result<StepCommand> with_bind(Backend backend, const std::string& host,
                              const std::string& container) {
  const Plan plan = sample_plan({sample_task("t", R"([{"cmd": "a.sh", "package": "p"}])")}, "1");
  RunSettings settings = sample_settings(plan);
  settings.backend = backend;
  Package package;
  package.name = "p";
  package.image = "/i/p.sif";
  package.data_binds = {{host, container, false}};
  settings.packages["p"] = package;
  return step_command(plan, plan.steps[0], settings);
}

TEST(Mounts, OddPaths) {
  const struct {
    Backend backend;
    const char* host;
    const char* container;
    const char* expected;
  } cases[] = {
      {Backend::kDocker, "/data/my dir", "/d", "<bind /data/my dir: -v /data/my dir:/d>"},
      {Backend::kDocker, "/a,b", "/d", "<bind /a,b: -v /a,b:/d>"},
      {Backend::kDocker, "/a:b", "/d",
       R"(<bind /a:b: --mount type=bind,"source=/a:b","destination=/d">)"},
      {Backend::kPodman, "/a:\"b", "/d",
       R"(<bind /a:"b: --mount type=bind,"source=/a:""b","destination=/d">)"},
      {Backend::kApptainer, "/a,b", "/d",
       R"(<bind /a,b: --mount type=bind,"source=/a,b","destination=/d">)"},
      {Backend::kDocker, ".", "/w", "<bind /project: -v /project:/w>"},
      {Backend::kApptainer, "./x/y", "/w", "<bind /project/x/y: --bind /project/x/y:/w>"},
      {Backend::kPyxis, "x", "/w", "<bind /project/x: --container-mounts=/project/x:/w>"},
  };
  for (const auto& c : cases) {
    const auto command = with_bind(c.backend, c.host, c.container);
    ASSERT_TRUE(command.ok()) << command.error().text;
    const std::string text = show_args(*command, ArgsOf::kStep);
    EXPECT_NE(text.find(std::string("\n") + c.expected + "\n"), std::string::npos) << c.host << "\n"
                                                                                   << text;
  }
}

TEST(MountsRefusal, PyxisNamesTheMount) {
  for (const char* path : {"/my dir", "/a,b", "/a:b"}) {
    EXPECT_EQ(with_bind(Backend::kPyxis, path, "/d").error().text,
              "package p: pyxis cannot mount \"" + std::string(path) +
                  "\": its mounts hold no blank, ',' or ':'");
    EXPECT_FALSE(with_bind(Backend::kPyxis, "/d", path).ok());
  }
}

TEST(Pyxis, TheProgramsEnvironmentIsSetInside) {
  std::string program = kProgram;
  program.replace(program.find("<inner devices>"), 15, "<devices>");
  EXPECT_EQ(text_of(Backend::kPyxis, kPretrain), R"(<pyxis_environment>
<srun>
--container-image=mlsbench/nanogpt:latest
<bind /vendor/workspace/t/r1/nanoGPT: --container-mounts=/vendor/workspace/t/r1/nanoGPT:/workspace/nanoGPT>
<bind /tasks/t: --container-mounts=/tasks/t:/workspace/_task>
<bind /droot/climbmix: --container-mounts=/droot/climbmix:/data/climbmix>
<bind /droot/extra, optional: --container-mounts=/droot/extra:/data/extra>
<bind /results: --container-mounts=/results:/results>
--container-workdir=/workspace/nanoGPT
--no-container-entrypoint
--container-writable
--no-container-mount-home
)" + program);
}

TEST(Pyxis, WithoutGpuNoneIsLookedFor) {
  const std::string text = text_of(Backend::kPyxis, kCpu);
  EXPECT_NE(text.find("<pyxis_environment>\nNVIDIA_VISIBLE_DEVICES=void\n<srun>\n"),
            std::string::npos)
      << text;
  // Else an image's own value would win.
  EXPECT_NE(text.find("\n--container-env=NVIDIA_VISIBLE_DEVICES\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nCUDA_VISIBLE_DEVICES=\n"), std::string::npos) << text;
}

TEST(EngineRefusal, SaysWhatIsMissing) {
  for (const Backend backend :
       {Backend::kDocker, Backend::kDockerRootless, Backend::kPodman, Backend::kPyxis}) {
    const std::string name = to_string(backend);
    EXPECT_EQ(command_of(backend, R"({"cmd": "a.sh"})").error().text,
              "t/test: names no package, so " + name +
                  " has no image for it (or use container_runtime: local)");
    // docker's images have a name of their own.
    EXPECT_TRUE(command_of(backend, R"({"cmd": "a.sh", "package": "demo"})").ok());
  }
}

}  // namespace
}  // namespace compute_scale
