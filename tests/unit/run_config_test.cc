#include "run_config.h"

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace compute_scale {
namespace {

Result<RunConfig> parse(const std::string& text) {
  return parse_run_config(text, "site.yaml", "/etc/cs", "/home/me");
}

std::string shown(const std::optional<std::string>& value) {
  return value ? "'" + *value + "'" : "-";
}
std::string shown(const std::optional<int>& value) {
  return value ? std::to_string(*value) : "-";
}
std::string shown(const std::optional<bool>& value) {
  return value ? (*value ? "true" : "false") : "-";
}
std::string shown(const std::optional<MemSize>& value) {
  return value ? to_string(*value) : "-";
}
std::string shown(const std::optional<std::vector<std::string>>& value) {
  std::string text;
  for (const std::string& item : value.value_or(std::vector<std::string>())) text += item + ";";
  return value ? "[" + text + "]" : "-";
}
std::string shown(const std::optional<std::vector<std::int64_t>>& value) {
  std::string text;
  for (const std::int64_t item : value.value_or(std::vector<std::int64_t>())) {
    text += std::to_string(item) + ";";
  }
  return value ? "[" + text + "]" : "-";
}
std::string shown(const std::optional<std::vector<Hardware>>& value) {
  std::string text;
  for (const Hardware& h : value.value_or(std::vector<Hardware>())) {
    text += h.name + "=" + h.scale.to_string() + shown(std::optional(h.gres_types)) +
            shown(std::optional(h.partitions)) + ";";
  }
  return value ? "[" + text + "]" : "-";
}

std::string shown(const std::optional<std::vector<Unprofiled>>& value) {
  std::string text;
  for (const Unprofiled item : value.value_or(std::vector<Unprofiled>())) {
    text += to_string(item) + ";";
  }
  return value ? "[" + text + "]" : "-";
}

std::string shown_flags(const RunConfig& c) {
  if (!c.container_flags) return "-";
  std::string text;
  for (const auto& [runtime, flags] : *c.container_flags) {
    text += runtime + shown(std::optional(flags));
  }
  return text;
}

// Every field in one text; unset ones are left out.
std::string config_text(const RunConfig& c) {
  const SlurmConfig& s = c.slurm;
  const std::pair<const char*, std::string> fields[] = {
      {"compute_scale", shown(c.compute_scale)},
      {"hardware", shown(c.hardware)},
      {"tasks_dir", shown(c.tasks_dir)},
      {"packages_dir", shown(c.packages_dir)},
      {"workspace_root", shown(c.workspace_root)},
      {"data_root", shown(c.data_root)},
      {"save_path", shown(c.save_path)},
      {"seeds", shown(c.seeds)},
      {"container_runtime", shown(c.container_runtime)},
      {"container_flags", shown_flags(c)},
      {"unprofiled", c.unprofiled ? to_string(*c.unprofiled) : "-"},
      {"unprofiled_allowed", shown(c.unprofiled_allowed)},
      {"partition", shown(s.partition)},
      {"default_partition", shown(s.default_partition)},
      {"account", shown(s.account)},
      {"constraint", shown(s.constraint)},
      {"qos", shown(s.qos)},
      {"nodelist", shown(s.nodelist)},
      {"exclude", shown(s.exclude)},
      {"mail_user", shown(s.mail_user)},
      {"logs_dir", shown(s.logs_dir)},
      {"cpus_per_gpu", shown(s.cpus_per_gpu)},
      {"mem_per_gpu", shown(s.mem_per_gpu)},
      {"gpus_per_node", shown(s.gpus_per_node)},
      {"cpus_per_node", shown(s.cpus_per_node)},
      {"mem_per_node", shown(s.mem_per_node)},
      {"cpu_partition", shown(s.cpu_partition)},
      {"cpus_per_task", shown(s.cpus_per_task)},
      {"gpu_flag", shown(s.gpu_flag)},
      {"shards_per_gpu", shown(s.shards_per_gpu)},
      {"plugin", shown(s.plugin)},
      {"prologue", shown(s.prologue)},
      {"extra_directives", shown(s.extra_directives)},
      {"max_running", shown(s.max_running)},
  };
  std::string text;
  for (const auto& [name, value] : fields) {
    if (value != "-") text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  }
  return text;
}

struct ConfigCase {
  const char *yaml, *config;
};

void expect_config(const ConfigCase& c) {
  const Result<RunConfig> config = parse(c.yaml);
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config_text(*config), c.config) << c.yaml;
}

TEST(RunConfig, Keys) {
  const ConfigCase cases[] = {
      {"", ""},
      {"# only a comment\n", ""},
      {"compute_scale: 0.5", "compute_scale='0.5'"},
      {"compute_scale: 1.0", "compute_scale='1.0'"},
      {"compute_scale: H200", "compute_scale='H200'"},
      {"compute_scale: auto", "compute_scale='auto'"},
      {"hardware: {}", "hardware=[]"},
      {"hardware:\n  H200: {compute_scale: 0.5, gres_types: [h200, h200_sxm], partitions: [gpu]}\n"
       "  2080ti: {compute_scale: '4'}",
       "hardware=[h200=0.5[h200;h200_sxm;][gpu;];2080ti=4[][];]"},
      {"seeds: [42, 43]", "seeds=[42;43;]"},
      {"seeds: ['7']", "seeds=[7;]"},
      {"container_runtime: docker-rootless", "container_runtime='docker-rootless'"},
      {"container_flags: {docker: [--network, host], apptainer: []}",
       "container_flags=apptainer[]docker[--network;host;]"},
      {"unprofiled: refuse", "unprofiled=refuse"},
      {"unprofiled_allowed: [refuse, keep]", "unprofiled_allowed=[refuse;keep;]"},
      {"slurm: {default_partition: no}", "default_partition='no'"},
      {"slurm:", ""},
      {"slurm: {}", ""},
      {"slurm: {partition: gpu, account: a, constraint: h200&nvlink, qos: q}",
       "partition='gpu' account='a' constraint='h200&nvlink' qos='q'"},
      {"slurm: {nodelist: 'n[0-1]', exclude: n2, mail_user: me@x, cpu_partition: cpu}",
       "nodelist='n[0-1]' exclude='n2' mail_user='me@x' cpu_partition='cpu'"},
      {"slurm: {cpus_per_gpu: 12, cpus_per_task: '8', shards_per_gpu: 4.0, max_running: 10}",
       "cpus_per_gpu=12 cpus_per_task=8 shards_per_gpu=4 max_running=10"},
      {"slurm: {mem_per_gpu: 100G}", "mem_per_gpu=100G"},
      {"slurm: {mem_per_gpu: 4096}", "mem_per_gpu=4G"},
      {"slurm: {gpu_flag: gpus-per-node}", "gpu_flag='gpus-per-node'"},
      {"slurm: {extra_directives: [--exclusive, '--comment=a b']}",
       "extra_directives=[--exclusive;--comment=a b;]"},
      {"slurm:\n  prologue: |\n    set -euo pipefail\n    module load x\n",
       "prologue='set -euo pipefail\nmodule load x\n'"},
  };
  for (const ConfigCase& c : cases) expect_config(c);
}

TEST(RunConfig, TextStaysAsItIsWritten) {
  const ConfigCase cases[] = {
      {"slurm: {partition: no}", "partition='no'"},
      {"slurm: {partition: on}", "partition='on'"},
      {"slurm: {partition: 1}", "partition='1'"},
      {"slurm: {account: 0123}", "account='0123'"},
      {"slurm: {account: 1_000}", "account='1_000'"},
      {"slurm: {qos: 12:00:00}", "qos='12:00:00'"},
      {"slurm: {qos: 1e3}", "qos='1e3'"},
      {"slurm: {constraint: true}", "constraint='true'"},
      {"slurm: {constraint: 'null'}", "constraint='null'"},
  };
  for (const ConfigCase& c : cases) expect_config(c);
}

TEST(RunConfig, Booleans) {
  for (const char* word : {"true", "True", "TRUE", "yes", "Yes", "on", "ON", "'true'"}) {
    EXPECT_EQ(parse(std::string("slurm: {plugin: ") + word + "}")->slurm.plugin, true) << word;
  }
  for (const char* word : {"false", "False", "no", "NO", "off", "\"off\""}) {
    EXPECT_EQ(parse(std::string("slurm: {plugin: ") + word + "}")->slurm.plugin, false) << word;
  }
}

TEST(RunConfig, NullAndEmptyAreUnset) {
  const ConfigCase cases[] = {
      {"slurm: {mail_user: null}", ""},
      {"slurm: {mail_user: ''}", ""},
      {"slurm: {mail_user: ~}", ""},
      {"slurm:\n  mail_user:\n  qos: q", "qos='q'"},
      {"seeds: null", ""},
      {"hardware: null", ""},
      {"save_path: ''", ""},
      {"slurm: {cpus_per_gpu: null, plugin: null}", ""},
      {"slurm: {prologue: ''}", ""},
      {"hardware: {h: {compute_scale: 1, gres_types: null}}", "hardware=[h=1[][];]"},
      {"slurm: {extra_directives: []}", "extra_directives=[]"},
  };
  for (const ConfigCase& c : cases) expect_config(c);
}

TEST(RunConfig, Paths) {
  const std::pair<const char*, const char*> cases[] = {
      {"tasks", "/etc/cs/tasks"},      {"../tasks/", "/etc/tasks"},
      {"./a/./b/..", "/etc/cs/a"},     {".", "/etc/cs"},
      {"/abs/x/", "/abs/x"},           {"/", "/"},
      {"a b", "/etc/cs/a b"},          {"\"~\"", "/home/me"},
      {"~/logs", "/home/me/logs"},     {"$HOME/logs", "/home/me/logs"},
      {"${HOME}/logs/..", "/home/me"}, {"${HOME}", "/home/me"},
      {"a~b", "/etc/cs/a~b"},
  };
  for (const auto& [written, path] : cases) {
    const Result<RunConfig> config =
        parse("tasks_dir: " + std::string(written) + "\nslurm:\n  logs_dir: " + written + "\n");
    ASSERT_TRUE(config.ok()) << config.error().text;
    EXPECT_EQ(config->tasks_dir, path) << written;
    EXPECT_EQ(config->slurm.logs_dir, path) << written;
  }
  EXPECT_EQ(
      config_text(parse("packages_dir: p\nworkspace_root: w\ndata_root: d\nsave_path: s").value()),
      "packages_dir='/etc/cs/p' workspace_root='/etc/cs/w' data_root='/etc/cs/d' "
      "save_path='/etc/cs/s'");
}

TEST(RunConfig, AFileSavedOnWindows) {
  const Result<RunConfig> config =
      parse("\xef\xbb\xbfseeds: [1]\r\nslurm:\r\n  qos: q\r\n  prologue: |\r\n    a\r\n    b\r\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config_text(*config), "seeds=[1;] qos='q' prologue='a\nb\n'");
}

TEST(RunConfig, LoadTakesPathsRelativeToTheFile) {
  const TempFolder folder;
  const std::string file = folder.write("conf/run.yaml", "tasks_dir: ../tasks\n");
  EXPECT_EQ(load_run_config(file, "").value().tasks_dir, folder.path("tasks"));
}

TEST(RunConfig, TheConfigsOfThisProjectLoad) {
  for (const char* name : {"react.yaml", "site.yaml"}) {
    const Result<RunConfig> config =
        load_run_config(std::string(TEST_SOURCE_DIR) + "/configs/" + name, "/home/me");
    ASSERT_TRUE(config.ok()) << config.error().text;
    EXPECT_EQ(config->compute_scale, "1.0");
    EXPECT_EQ(config->tasks_dir, std::string(TEST_SOURCE_DIR) + "/tasks");
  }
}

TEST(RunConfig, Defaults) {
  EXPECT_EQ(config_text(default_run_config()),
            "compute_scale='1.0' hardware=[h100=1[h100;][];h200=0.5[h200;][];] seeds=[42;] "
            "container_runtime='apptainer' unprofiled=keep cpus_per_gpu=12 mem_per_gpu=100G "
            "gpus_per_node=8 cpus_per_task=8 gpu_flag='gres' plugin=false");
}

// Sets every key, so that merge can be seen to forget none.
constexpr const char* kFull =
    "compute_scale: 2\nhardware: {x: {compute_scale: 2}}\ntasks_dir: /t\npackages_dir: /p\n"
    "workspace_root: /w\ndata_root: /d\nsave_path: /s\nseeds: [1]\ncontainer_runtime: local\n"
    "container_flags: {docker: [-x], pyxis: [-y]}\n"
    "unprofiled: scale\nunprofiled_allowed: [keep, scale]\n"
    "slurm: {partition: a, default_partition: a2, account: b, constraint: c, qos: d, nodelist: e, "
    "exclude: f, mail_user: g, logs_dir: /h, cpus_per_gpu: 1, mem_per_gpu: 1G, gpus_per_node: 4, "
    "cpus_per_node: 48, mem_per_node: 500G, cpu_partition: i, cpus_per_task: 2, gpu_flag: gpus, "
    "shards_per_gpu: 3, plugin: true, prologue: j, "
    "extra_directives: [--k], max_running: 4}\n";

TEST(RunConfig, MergeLaysEveryKey) {
  const RunConfig full = parse(kFull).value();
  EXPECT_EQ(config_text(merge(RunConfig(), full)), config_text(full));
  EXPECT_EQ(config_text(merge(full, RunConfig())), config_text(full));
  EXPECT_EQ(config_text(merge(default_run_config(), full)), config_text(full));
}

TEST(RunConfig, MergeGoesKeyByKey) {
  const RunConfig under =
      parse("seeds: [1, 2]\nhardware: {a: {compute_scale: 1}}\nslurm: {qos: q, account: a}")
          .value();
  const RunConfig over =
      parse("seeds: [3]\nhardware: {b: {compute_scale: 2}}\nslurm: {qos: r, partition: p}").value();
  EXPECT_EQ(config_text(merge(under, over)),
            "hardware=[b=2[][];] seeds=[3;] partition='p' account='a' qos='r'");
}

TEST(RunConfig, MergeOfFlagsGoesRuntimeByRuntime) {
  const RunConfig under = parse("container_flags: {docker: [-a], podman: [-b]}").value();
  const RunConfig over = parse("container_flags: {docker: [-c, -d], pyxis: [-e]}").value();
  EXPECT_EQ(config_text(merge(under, over)), "container_flags=docker[-c;-d;]podman[-b;]pyxis[-e;]");
}

TEST(RunConfig, Unprofiled) {
  for (const Unprofiled policy : {Unprofiled::kKeep, Unprofiled::kScale, Unprofiled::kRefuse}) {
    EXPECT_EQ(parse_unprofiled(to_string(policy)).value(), policy);
  }
}

}  // namespace
}  // namespace compute_scale
