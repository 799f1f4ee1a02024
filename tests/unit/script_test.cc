#include "script.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "samples.h"

namespace compute_scale {
namespace {

std::string script(const Plan& plan, const RunSettings& settings, std::size_t job = 0) {
  auto text = job_script(plan, plan.jobs[job], settings);
  if (!text.ok()) return "error: " + text.error().text;
  return *text;
}

const char* const kOdd = R"json([
  {"cmd": "a.sh", "label": "a/b ..%|", "group": 1, "compute": 0.5, "package": "demo", "time": "1-12",
   "env": {"COMMA": "0,1", "QUOTES": "a\"b=c'", "LINES": "1\n2", "CODE": "$(id)",
                  "EMPTY" : "", "UTF8" : "\u00e9"
}
},
  {"cmd": "cd d && echo 'a \"b\"' \"$HOME\" `hostname` 50%", "label": "a/b ..%!", "group": 1,
   "compute": 0.75, "package": "demo", "mem": 8, "time": "1-12"}])json";

TEST(Golden, ApptainerAtHalf) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "0.5");
  expect_golden("apptainer.sh", script(plan, sample_settings(plan)));
}

TEST(Golden, LocalPackedAndOdd) {
  const Plan plan = sample_plan({sample_task("odd", kOdd, {7})}, "1");
  RunSettings settings = sample_settings(plan);
  settings.backend = Backend::kLocal;
  settings.run_dir = "/runs/50% of it";
  settings.slurm.partition = "no";
  settings.slurm.account = "0123";
  settings.slurm.constraint = "h100|h200";
  settings.slurm.mail_user = "u@example.org";
  settings.slurm.prologue = "set -euo pipefail\nmodule load cuda\n";
  settings.slurm.extra_directives = {"--exclusive", "--comment=a \"b\" #1", "--chdir=~/w",
                                     "--mem-per-cpu=1G"};
  expect_golden("local-packed.sh", script(plan, settings));
}

TEST(Golden, ChainedAcrossTasks) {
  const Plan plan = sample_plan({sample_task("first", R"([
      {"cmd": "long.sh", "label": "long", "compute": 0.5, "time": "3:00:00", "package": "nanoGPT"}])"),
                                 sample_task("second", R"([
      {"cmd": "short.sh", "label": "short", "group": 1, "compute": 0.5, "package": "nanoGPT"},
      {"cmd": "middle.sh", "label": "middle", "group": 1, "compute": 0.25, "time": "2:00:00",
       "package": "nanoGPT"}])")},
                                "1", PackScope::kAll);
  ASSERT_EQ(plan.jobs.size(), 1u);
  expect_golden("chained.sh", script(plan, sample_settings(plan)));
}

TEST(Golden, ContainedWithoutGpu) {
  const Plan plan = sample_plan({sample_task("cpu", R"([
      {"cmd": "a.sh", "compute": 0, "package": "verl"}])")},
                                "1");
  RunSettings settings = sample_settings(plan);
  settings.slurm.partition = "gpu";
  settings.slurm.cpu_partition = "cpu";
  settings.slurm.constraint = "h100";
  expect_golden("cpu.sh", script(plan, settings));
}

// Three steps of two packages on two devices.
const char* const kShared = R"json([
  {"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.5, "package": "nanoGPT",
   "time": "2:00:00", "env": {"MSG": "it's a \"b\", $(id)"}},
  {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0.75, "package": "nanoGPT",
   "time": "2:00:00"},
  {"cmd": "c.sh", "label": "c", "group": 1, "compute": 0.5, "package": "verl",
   "time": "0:30:00"}])json";

RunSettings container_settings(const Plan& plan, Backend backend) {
  RunSettings settings = sample_settings(plan);
  settings.backend = backend;
  return settings;
}

TEST(Golden, Docker) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "0.5");
  expect_golden("docker.sh", script(plan, container_settings(plan, Backend::kDocker)));
}

TEST(Golden, DockerPacked) {
  const Plan plan = sample_plan({sample_task("shared", kShared)}, "1");
  expect_golden("docker-packed.sh", script(plan, container_settings(plan, Backend::kDocker)));
}

TEST(Golden, DockerRootlessSession) {
  const Plan plan = sample_plan({sample_task("shared", kShared)}, "1");
  expect_golden("docker-rootless.sh",
                script(plan, container_settings(plan, Backend::kDockerRootless)));
}

TEST(Golden, Podman) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "0.5");
  expect_golden("podman.sh", script(plan, container_settings(plan, Backend::kPodman)));
}

TEST(Golden, Pyxis) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "0.5");
  RunSettings settings = container_settings(plan, Backend::kPyxis);
  settings.data_root = "/data-root";
  settings.plugin = true;
  expect_golden("pyxis.sh", script(plan, settings));
}

TEST(Golden, PyxisWithoutGpu) {
  const Plan plan = sample_plan({sample_task("cpu", R"([
      {"cmd": "a.sh", "compute": 0, "package": "verl"}])")},
                                "1");
  expect_golden("pyxis-cpu.sh", script(plan, container_settings(plan, Backend::kPyxis)));
}

// Steps one behind the other have their own limits; so has a lane that is not the longest.
TEST(Script, LimitsOfSteps) {
  Plan plan = sample_plan({sample_task("shared", kShared)}, "1");
  Job job = plan.jobs[0];
  job.lanes = {{{0}, {0, 1}}, {{1}, {2}}};
  job.time = TimeLimit{240};
  const auto text = job_script(plan, job, container_settings(plan, Backend::kLocal));
  const auto limit_of = [&](const std::string& step) {
    const std::size_t begin = text->find("\n" + step + "() {");
    const std::string body = text->substr(begin, text->find("\n}", begin) - begin);
    const std::size_t line = body.find("\n  limit=");
    if (line == std::string::npos) return std::string("none");
    return body.substr(line + 9, body.find('\n', line + 9) - line - 9);
  };
  EXPECT_EQ(limit_of("step_1"), "7200");
  EXPECT_EQ(limit_of("step_2"), "none");
  EXPECT_EQ(limit_of("step_3"), "1800");
}

TEST(Golden, WithThePlugin) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "0.5");
  RunSettings settings = sample_settings(plan);
  settings.plugin = true;
  settings.slurm.gpu_flag = "gpus-per-node";
  expect_golden("plugin.sh", script(plan, settings));
}

TEST(Golden, Neutral) {
  const Plan plan = sample_plan({sample_task("pretrain", kPretrainCmds)}, "1", PackScope::kNone);
  RunSettings settings = sample_settings(plan);
  settings.plugin = true;
  settings.neutral = true;
  expect_golden("neutral.sh", script(plan, settings));
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Script, AskForGpusAsTheSiteWants) {
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds)}, "1");
  RunSettings settings = sample_settings(plan);
  EXPECT_TRUE(has_line(script(plan, settings), "#SBATCH --gres=gpu:4"));
  settings.slurm.gpu_flag = "gpus";
  EXPECT_TRUE(has_line(script(plan, settings), "#SBATCH --gpus=4"));
  settings.slurm.gpu_flag = "gpus-per-node";
  EXPECT_TRUE(has_line(script(plan, settings), "#SBATCH --gpus-per-node=4"));
}

int memory_directives(const std::string& text) {
  int count = 0;
  for (std::size_t i = 0; (i = text.find("#SBATCH --mem", i)) != std::string::npos; ++i) ++count;
  return count;
}

TEST(Script, ExactlyOneMemoryDirective) {
  const Plan named = sample_plan({sample_task("t", R"([{"cmd": "a.sh", "mem": "8G"}])")}, "1");
  const Plan unnamed = sample_plan({sample_task("t", R"([{"cmd": "a.sh"}])")}, "1");
  RunSettings settings = sample_settings(named);
  settings.backend = Backend::kLocal;
  EXPECT_TRUE(has_line(script(unnamed, settings), "#SBATCH --mem=100G"));
  settings.slurm.extra_directives = {"--mem-per-cpu=2G"};
  EXPECT_TRUE(has_line(script(named, settings), "#SBATCH --mem=8G"));
  EXPECT_EQ(memory_directives(script(named, settings)), 1);
  EXPECT_TRUE(has_line(script(unnamed, settings), "#SBATCH --mem-per-cpu=2G"));
  EXPECT_EQ(memory_directives(script(unnamed, settings)), 1);
}

TEST(Script, EmptyMailIsNoMail) {
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds)}, "1");
  RunSettings settings = sample_settings(plan);
  settings.slurm.mail_user = "";
  EXPECT_EQ(script(plan, settings).find("--mail"), std::string::npos);
}

TEST(Script, ProfileBlocksLeaveNoTraceAtOne) {
  const Plan with = sample_plan({sample_task("t", kPretrainCmds)}, "1");
  std::string cmds = kPretrainCmds;
  const std::size_t block = cmds.find(",\n   \"h200\"");
  cmds.erase(block, cmds.find("}}", block) + 2 - block);
  const Plan without = sample_plan({sample_task("t", cmds)}, "1");
  for (const bool plugin : {false, true}) {
    RunSettings settings = sample_settings(with);
    settings.plugin = plugin;
    EXPECT_EQ(script(with, settings), script(without, settings));
  }
}

TEST(ScriptRefusal, Table) {
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds)}, "1");
  const RunSettings settings = sample_settings(plan);
  RunSettings changed = settings;
  changed.slurm.account = "a\nb";
  EXPECT_EQ(script(plan, changed),
            "error: --account: \"a\\x0ab\": a newline cannot stand in an #SBATCH line");
  changed = settings;
  changed.slurm.extra_directives = {"exclusive"};
  EXPECT_EQ(script(plan, changed),
            "error: slurm.extra_directives: \"exclusive\" is no sbatch option (like "
            "\"--exclusive\")");
  changed = settings;
  changed.run_dir = "/a\\b";
  EXPECT_EQ(script(plan, changed).substr(0, 21), "error: run directory ");
}

TEST(ScriptRefusal, LargerThanSlurmTakes) {
  const std::string entry = R"({"group": 1, "compute": 0.01, "package": "verl", "cmd": "a.sh )" +
                            std::string(100000, 'x');
  std::string entries;
  for (int i = 0; i < 50; ++i) {
    entries += (i > 0 ? ", " : "") + entry + R"(", "label": ")" + std::to_string(i) + "\"}";
  }
  const Plan plan = sample_plan({sample_task("t", "[" + entries + "]")}, "1");
  EXPECT_EQ(script(plan, sample_settings(plan)).substr(0, 36),
            "error: job t-g1-s42: its script has ");
}

}  // namespace
}  // namespace compute_scale
