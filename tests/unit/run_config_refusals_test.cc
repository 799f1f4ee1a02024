#include <gtest/gtest.h>

#include "read_file.h"
#include "run_config.h"
#include "temp_folder.h"

namespace compute_scale {
namespace {

struct RefusalCase {
  std::string yaml, said;  // the beginning of the error
};

void expect_refused(const RefusalCase& c, const std::string& home = "/home/me") {
  const Result<RunConfig> config = parse_run_config(c.yaml, "site.yaml", "/etc/cs", home);
  ASSERT_FALSE(config.ok()) << c.yaml.substr(0, 100);
  EXPECT_EQ(config.error().text.rfind(c.said, 0), 0u)
      << config.error().text << "\nexpected " << c.said;
  EXPECT_EQ(config.error().text.find('\n'), std::string::npos) << config.error().text;
  EXPECT_LT(config.error().text.size(), 500u);
  EXPECT_EQ(config.error().kind, ErrorKind::kUsage);
}

TEST(RunConfigRefusals, Documents) {
  const RefusalCase cases[] = {
      {"x", "site.yaml:1: \"x\": expected a map of keys"},
      {"- a", "site.yaml:1: a list: expected a map of keys"},
      {"a: b: c", "site.yaml:1: not valid YAML"},
      {"slurm:\n  qos: 'x\n", "site.yaml:3: not valid YAML"},
      {"seeds: [1]\nslurm: {}\nseeds: [2]\n", "site.yaml:3: the key \"seeds\" is there twice"},
      {"slurm:\n  qos: a\n  qos: b\n", "site.yaml:3: the key \"qos\" is there twice"},
      {"a: &a 1\nb: *a\n", "site.yaml:2: aliases"},
      {"seeds: [1]\n---\nseeds: [2]\n", "site.yaml: holds more than one YAML document"},
      {std::string(100000, '['), "site.yaml: nested too deeply"},
      {"seeds: " + std::string(70, '[') + std::string(70, ']'), "site.yaml:1: nested too deeply"},
      {std::string("seeds: \0", 8), "site.yaml:1: a control character"},
      {"slurm: {qos: \xff}", "site.yaml:1: not valid UTF-8"},
  };
  for (const RefusalCase& c : cases) expect_refused(c);
}

TEST(RunConfigRefusals, Keys) {
  const RefusalCase cases[] = {
      {"compute_scal: 1", "site.yaml:1: compute_scal: unknown key; did you mean compute_scale?"},
      {"# x\n\nzzz: 1",
       "site.yaml:3: zzz: unknown key; expected compute_scale, hardware, tasks_dir"},
      {"partition: gpu", "site.yaml:1: partition: unknown key; partition belongs under \"slurm\""},
      {"partition:", "site.yaml:1: partition: unknown key"},
      {"slurm:\n  partitoin: gpu",
       "site.yaml:2: slurm.partitoin: unknown key; did you mean partition?"},
      {"slurm:\n  seeds: [1]", "site.yaml:2: slurm.seeds: unknown key"},
      {"hardware: {h: {compute_scale: 1, gres: [x]}}",
       "site.yaml:1: hardware.h.gres: unknown key; expected"},
      {"\"a\\nb\": 1", "site.yaml:1: a\\x0ab: unknown key"},
  };
  for (const RefusalCase& c : cases) expect_refused(c);
}

TEST(RunConfigRefusals, Values) {
  const RefusalCase cases[] = {
      {"compute_scale: 0,5", "site.yaml:1: compute_scale: \"0,5\": expected a factor such as 0.5"},
      {"compute_scale: -1", "site.yaml:1: compute_scale: \"-1\": expected"},
      {"compute_scale: [1]", "site.yaml:1: compute_scale: a list: expected a text"},
      {"hardware: [h200]", "site.yaml:1: hardware: a list: expected a map"},
      {"hardware: {h200: 0.5}", "site.yaml:1: hardware.h200: \"0.5\": expected a map"},
      {"hardware: {h200: }", "site.yaml:1: hardware.h200: null: expected a map"},
      {"hardware: {h200: {}}", "site.yaml:1: hardware.h200: the key \"compute_scale\" is missing"},
      {"hardware: {h200: {compute_scale: 0}}",
       "site.yaml:1: hardware.h200.compute_scale: \"0\": not a scale factor"},
      {"hardware: {auto: {compute_scale: 1}}",
       "site.yaml:1: hardware.auto: \"auto\": not a hardware name"},
      {"hardware: {0.5: {compute_scale: 1}}",
       "site.yaml:1: hardware.0.5: \"0.5\": not a hardware name"},
      {"hardware: {h 2: {compute_scale: 1}}",
       "site.yaml:1: hardware.h 2: \"h 2\": not a hardware name"},
      {"hardware:\n  h: {compute_scale: 1}\n  H: {compute_scale: 1}",
       "site.yaml:3: hardware.H: the hardware \"h\" is there twice"},
      {"hardware: {h: {compute_scale: 1, gres_types: x}}",
       "site.yaml:1: hardware.h.gres_types: \"x\": expected a list"},
      {"hardware: {h: {compute_scale: 1, partitions: [[x]]}}",
       "site.yaml:1: hardware.h.partitions[0]: a list: expected a text"},
      {"tasks_dir: [a]", "site.yaml:1: tasks_dir: a list: expected a text"},
      {"tasks_dir: ~you/x", "site.yaml:1: tasks_dir: \"~you/x\": expected a path; only ~"},
      {"tasks_dir: $HOMER/x", "site.yaml:1: tasks_dir: \"$HOMER/x\": expected a path; only ~"},
      {"tasks_dir: /a/$USER", "site.yaml:1: tasks_dir: \"/a/$USER\": expected a path; only ~"},
      {"tasks_dir: \"a\\nb\"", "site.yaml:1: tasks_dir: \"a\\x0ab\": expected a text of one line"},
      {"seeds: 42", "site.yaml:1: seeds: \"42\": expected a list of whole numbers"},
      {"seeds: []", "site.yaml:1: seeds: a list: expected at least one seed"},
      {"seeds:\n  - 1\n  - x", "site.yaml:3: seeds[1]: \"x\": expected a whole number"},
      {"seeds: [1, 1]", "site.yaml:1: seeds[1]: 1: the seed is there twice"},
      {"seeds: [1, null]", "site.yaml:1: seeds[1]: null: expected a whole number"},
      {"unprofiled: kep",
       "site.yaml:1: unprofiled: \"kep\": expected keep, scale or refuse; did you mean keep?"},
      {"unprofiled_allowed: keep",
       "site.yaml:1: unprofiled_allowed: \"keep\": expected a list of keep, scale and refuse"},
      {"unprofiled_allowed: []",
       "site.yaml:1: unprofiled_allowed: a list: expected at least one of keep, scale and refuse"},
      {"unprofiled_allowed:\n- keep\n- scal", "site.yaml:3: unprofiled_allowed[1]: \"scal\""},
      {"unprofiled_allowed: [keep, keep]",
       "site.yaml:1: unprofiled_allowed[1]: \"keep\" is there twice"},
      {"unprofiled_allowed: [refuse]\nunprofiled: keep",
       "site.yaml:2: unprofiled: \"keep\": expected one of unprofiled_allowed"},
      {"slurm: x", "site.yaml:1: slurm: \"x\": expected a map"},
      {"slurm: {partition: [a]}", "site.yaml:1: slurm.partition: a list: expected a text"},
      {"slurm: {partition: \"a\\n#SBATCH -x\"}",
       "site.yaml:1: slurm.partition: \"a\\x0a#SBATCH -x\": expected"},
      {"slurm: {cpus_per_gpu: 1.5}",
       "site.yaml:1: slurm.cpus_per_gpu: \"1.5\": expected a whole number from 1"},
      {"slurm: {cpus_per_gpu: 0}", "site.yaml:1: slurm.cpus_per_gpu: \"0\": expected"},
      {"slurm: {cpus_per_gpu: {}}", "site.yaml:1: slurm.cpus_per_gpu: a map: expected"},
      {"slurm: {mem_per_gpu: lots}", "site.yaml:1: slurm.mem_per_gpu: \"lots\": not a memory size"},
      {"slurm: {gpu_flag: gpu}",
       "site.yaml:1: slurm.gpu_flag: \"gpu\": expected gres, gpus, gpus-per-node; did you mean "
       "gpus?"},
      {"slurm: {plugin: maybe}", "site.yaml:1: slurm.plugin: \"maybe\": expected true or false"},
      {"slurm: {plugin: 1}", "site.yaml:1: slurm.plugin: \"1\": expected true or false"},
      {"slurm: {prologue: [a]}", "site.yaml:1: slurm.prologue: a list: expected shell lines"},
      {"container_flags: {dokcer: [-a]}",
       "site.yaml:1: container_flags.dokcer: unknown key; did you mean docker"},
      {"container_flags: {local: [-a]}", "site.yaml:1: container_flags.local: unknown key"},
      {"container_flags: {docker: [host]}",
       "site.yaml:1: container_flags.docker[0]: \"host\": expected an option such as "},
      {"container_flags: {docker: -a}",
       "site.yaml:1: container_flags.docker: \"-a\": expected a list"},
      {"container_flags: [-a]", "site.yaml:1: container_flags: "},
      {"slurm: {extra_directives: --x}",
       "site.yaml:1: slurm.extra_directives: \"--x\": expected a list"},
      {"slurm: {extra_directives: [x]}",
       "site.yaml:1: slurm.extra_directives[0]: \"x\": expected an sbatch option"},
      {"slurm: {extra_directives: [\"-a\\nb\"]}", "site.yaml:1: slurm.extra_directives[0]: "},
      {"slurm: {max_running: -1}",
       "site.yaml:1: slurm.max_running: \"-1\": expected a whole number"},
  };
  for (const RefusalCase& c : cases) expect_refused(c);
}

TEST(RunConfigRefusals, HomeThatIsNotKnown) {
  expect_refused({"tasks_dir: ~/x", "site.yaml:1: tasks_dir: \"~/x\": expected a path; the home"},
                 "");
}

TEST(RunConfigRefusals, Files) {
  const TempFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {folder.path("absent.yaml"), ": cannot be read: No such file"},
      {folder.path(), ": is a folder"},
      {folder.write("long.yaml", std::string(kMostWritten + 1, '#')), ": is larger than"},
      {folder.write("nul.yaml", std::string("a\0b", 3)), ": holds a NUL byte"},
      {folder.write("bad.yaml", "\n\nseeds: x"), ":3: seeds: \"x\": expected a list"},
  };
  for (const auto& [file, said] : cases) {
    const Result<RunConfig> config = load_run_config(file, "/home/me");
    ASSERT_FALSE(config.ok()) << file;
    EXPECT_EQ(config.error().text.rfind(file + said, 0), 0u) << config.error().text;
  }
}

}  // namespace
}  // namespace compute_scale
