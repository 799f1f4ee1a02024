#include <gtest/gtest.h>
#include <sys/stat.h>

#include "read_file.h"
#include "task.h"
#include "temp_folder.h"

namespace compute_scale {
namespace {

struct RefusalCase {
  std::string text;
  std::vector<std::string> said;  // the beginning of the error, and what else it holds
};

void expect_refused(const Error& error, const std::vector<std::string>& said, ErrorKind kind) {
  EXPECT_EQ(error.text.rfind(said[0], 0), 0u) << error.text << "\nexpected: " << said[0];
  for (const std::string& part : said) {
    EXPECT_NE(error.text.find(part), std::string::npos) << error.text << "\nexpected: " << part;
  }
  EXPECT_EQ(error.text.find('\n'), std::string::npos) << error.text;
  EXPECT_LT(error.text.size(), 500u);
  EXPECT_EQ(error.kind, kind);
}

void expect_refused(const RefusalCase& c) {
  const Result<Task> task = parse_task(c.text, "t", "/tasks/t", "t/config.json");
  ASSERT_FALSE(task.ok()) << c.text.substr(0, 200);
  std::vector<std::string> said = c.said;
  said[0] = "t/config.json" + said[0];
  expect_refused(task.error(), said, ErrorKind::kTask);
}

TEST(TaskRefusals, Documents) {
  const RefusalCase cases[] = {
      {"", {":1:1: not valid JSON"}},
      {"{\"test_cmds\": [}", {":1:16: not valid JSON"}},
      {"[]", {": a list: expected an object with \"test_cmds\""}},
      {"\"x\"", {": \"x\": expected an object"}},
      {"{}", {": the key \"test_cmds\" is missing"}},
      {"{\"test_cmd\": []}", {": the key \"test_cmds\" is missing; is it \"test_cmd\"?"}},
      {"{\"test_cmds\": {}}", {": /test_cmds: an object: expected a list of entries"}},
      {"{\"test_cmds\": null}", {": /test_cmds: null: expected a list"}},
      {"{\"test_cmds\": []}", {": /test_cmds: a list: expected at least one entry"}},
      {"{\"test_cmds\": [\"x.sh\"]}", {": /test_cmds/0: \"x.sh\": expected an entry"}},
      {"{\"test_cmds\": [{\"cmd\": \"x\"}], \"test_cmds\": []}",
       {": the key \"test_cmds\" is there twice"}},
      {"{\"notes\": {\"a\": 1, \"a\": 2}}", {": /notes: the key \"a\" is there twice"}},
      {std::string(100000, '['), {": nested too deeply"}},
      {"{\"test_cmds\": [{\"cmd\": \"x\\u0000\"}]}",
       {": /test_cmds/0/cmd: a text cannot hold NUL"}},
      {"{\"test_cmds\": [{\"cmd\": \"\xff\"}]}", {":1:", "not valid JSON"}},
  };
  for (const RefusalCase& c : cases) expect_refused(c);
}

struct FieldCase {
  std::string fields;  // of the second entry
  std::vector<std::string> said;
};

TEST(TaskRefusals, EntryFields) {
  const FieldCase cases[] = {
      {R"("label": "x")", {": the key \"cmd\" is missing"}},
      {R"("cmd": "x", "cmd": "y")", {": the key \"cmd\" is there twice"}},
      {R"("cmd": 1)", {"/cmd: 1: expected a command"}},
      {R"("cmd": "")", {"/cmd: \"\": expected a command"}},
      {R"("cmd": " \r\n")", {"/cmd: ", "expected a command"}},
      {R"("cmd": "/bin/sh")", {"/cmd: \"/bin/sh\": expected a path relative to the task folder"}},
      {R"("cmd": "../x.sh")", {"/cmd: \"../x.sh\": expected a path relative"}},
      {R"("cmd": "scripts/../../x.sh a")", {"/cmd: ", "without \"..\""}},
      {R"("cmd": "..")", {"/cmd: \"..\": expected"}},
      {R"("cmd": "a.sh\nrm -rf b")",
       {"/cmd: \"a.sh\\x0arm -rf b\": expected a command of one line"}},
      {R"("cmd": "a.sh\r b")", {"/cmd: \"a.sh\\x0d b\": expected a command of one line"}},
      {R"("cmd": "a.sh\u001b[1m")", {"/cmd: ", "control characters"}},
      {R"("cmd": "a", "label": "")", {"/label: \"\": expected a text of one line"}},
      {R"("cmd": "a", "label": "x\ny")", {"/label: \"x\\x0ay\": expected a text of one line"}},
      {R"("cmd": "a", "label": 345)", {"/label: 345: expected a text"}},
      {R"("cmd": "a", "label": "first")", {": the label \"first\" is that of /test_cmds/0 too"}},
      {R"("cmd": "a", "group": -1)", {"/group: -1: expected a whole number from 0"}},
      {R"("cmd": "a", "group": 1.5)", {"/group: 1.5: expected a whole number"}},
      {R"("cmd": "a", "group": null)", {"/group: null: expected a whole number"}},
      {R"("cmd": "a", "compute": -1)", {"/compute: \"-1\": not an amount of GPU", "from 0"}},
      {R"("cmd": "a", "compute": "-1")", {"/compute: \"-1\": not an amount of GPU"}},
      {R"("cmd": "a", "compute": "two")", {"/compute: \"two\": not an amount"}},
      {R"("cmd": "a", "compute": 1e9)", {"/compute: ", "not an amount"}},
      {R"("cmd": "a", "compute": 1e-9)", {"/compute: ", "not an amount"}},
      {R"("cmd": "a", "compute": 0.1234567)", {"/compute: \"0.1234567\"", "six decimal places"}},
      {R"("cmd": "a", "compute": true)", {"/compute: true: expected a number of GPUs"}},
      {R"("cmd": "a", "compute": [1])", {"/compute: a list: expected a number of GPUs"}},
      {R"("cmd": "a", "time": "soon")", {"/time: \"soon\": not a time limit"}},
      {R"("cmd": "a", "time": 0)", {"/time: 0: expected a whole number from 1"}},
      {R"("cmd": "a", "time": 90.5)", {"/time: 90.5: expected a whole number"}},
      {R"("cmd": "a", "time": "UNLIMITED")", {"/time: \"UNLIMITED\": not a time limit"}},
      {R"("cmd": "a", "time": {})", {"/time: an object: expected a time limit"}},
      {R"("cmd": "a", "package": "../P")", {"/package: \"../P\": expected a package name"}},
      {R"("cmd": "a", "package": ".P")", {"/package: \".P\": expected a package name"}},
      {R"("cmd": "a", "package": "")", {"/package: \"\": expected a text"}},
      {R"("cmd": "a", "hidden": "true")", {"/hidden: \"true\": expected true or false"}},
      {R"("cmd": "a", "hidden": 1)", {"/hidden: 1: expected true or false"}},
      {R"("cmd": "a", "mem": 0)", {"/mem: \"0\": not a memory size"}},
      {R"("cmd": "a", "mem": "lots")", {"/mem: \"lots\": not a memory size"}},
      {R"("cmd": "a", "mem": null)", {"/mem: null: expected a number of GB"}},
      {R"("cmd": "a", "cpus": 4.5)", {"/cpus: 4.5: expected a whole number from 1"}},
      {R"("cmd": "a", "cpus": "4.5")", {"/cpus: \"4.5\": expected a whole number"}},
      {R"("cmd": "a", "cpus": 0)", {"/cpus: 0: expected a whole number"}},
      {R"("cmd": "a", "cpus": 99999999999)", {"/cpus: 99999999999: expected"}},
      {R"("cmd": "a", "use_cuda": null)", {"/use_cuda: null: expected true or false"}},
      {R"("cmd": "a", "workdir": "work")", {"/workdir: \"work\": expected an absolute path"}},
      {R"("cmd": "a", "comptue": 2)", {"/comptue: unknown key; did you mean compute?"}},
      {R"("cmd": "a", "zzz": 2)", {"/zzz: unknown key; expected cmd, label, group"}},
      {R"("cmd": "a", "x/y~": 2)", {"/x~1y~0: unknown key"}},
  };
  for (const FieldCase& c : cases) {
    std::vector<std::string> said = c.said;
    said[0] = ": /test_cmds/1" + said[0];
    expect_refused(
        {R"({"test_cmds": [{"cmd": "a", "label": "first"}, {)" + c.fields + "}]}", said});
  }
}

TEST(TaskRefusals, Environments) {
  const FieldCase cases[] = {
      {R"([])", {": a list: expected an object of variables"}},
      {R"("A=1")", {": \"A=1\": expected an object of variables"}},
      {R"({"A": true})", {"/A: true: expected a text or a number"}},
      {R"({"A": null})", {"/A: null: expected a text or a number"}},
      {R"({"A": {}})", {"/A: an object: expected a text or a number"}},
      {R"({"A": ["1"]})", {"/A: a list: expected a text or a number"}},
      {R"({"A": "x\u0000y"})", {"/A: a text cannot hold NUL"}},
      {R"({"A": "1", "A": "2"})", {": the key \"A\" is there twice"}},
      {R"({"1A": "1"})", {"/1A: \"1A\": not a variable name"}},
      {R"({"A-B": "1"})", {"/A-B: \"A-B\": not a variable name"}},
      {R"({"A=B": "1"})", {"/A=B: \"A=B\": not a variable name"}},
      {R"({"": "1"})", {"/: \"\": not a variable name"}},
      {R"({"\u00e4": "1"})", {"/\xc3\xa4: ", "not a variable name"}},
      {R"({"A\nB": "1"})", {"/A\\x0aB: \"A\\x0aB\": not a variable name"}},
      {R"({"SLURM_JOB_ID": "1"})", {"/SLURM_JOB_ID: \"SLURM_JOB_ID\": SLURM_* and SPANK_*"}},
      {R"({"SPANK_X": "1"})", {"/SPANK_X: ", "expected another name"}},
      {"{\"A\": \"" + std::string(131070, 'x') + "\"}",
       {"/A: the value has 131070 bytes", "128 KiB"}},
  };
  for (const FieldCase& c : cases) {
    for (const std::string place : {"/test_cmds/0/env", "/test_cmds/0/h200/env"}) {
      const bool in_block = place.find("h200") != std::string::npos;
      const std::string env = "\"env\": " + c.fields;
      std::vector<std::string> said = c.said;
      said[0] = ": " + place + said[0];
      expect_refused({"{\"test_cmds\": [{\"cmd\": \"a\", " +
                          (in_block ? "\"h200\": {" + env + "}" : env) + "}]}",
                      said});
    }
  }
}

TEST(TaskRefusals, TheLongestEnvironmentValueIsStillAccepted) {
  const std::string value(131069, 'x');
  const Result<Task> task = parse_task(
      "{\"test_cmds\": [{\"cmd\": \"a\", \"env\": {\"A\": \"" + value + "\"}}]}", "t", "/t", "f");
  ASSERT_TRUE(task.ok()) << task.error().text;
  EXPECT_EQ(task->entries[0].env[0].second, value);
}

TEST(TaskRefusals, ProfileBlocks) {
  const FieldCase cases[] = {
      {R"("h200": {"comptue": 2})", {"/h200/comptue: unknown key; did you mean compute?"}},
      {R"("h200": {"label": "x"})",
       {"/h200/label: unknown key; expected compute, env, time, mem, cpus"}},
      {R"("h200": {"compute": -1})", {"/h200/compute: \"-1\": not an amount"}},
      {R"("h200": {"compute": 2, "compute": 1})", {"/h200: the key \"compute\" is there twice"}},
      {R"("h200": {}, "H200": {})", {"/H200: the profile block of \"h200\" is there twice"}},
      {R"("h200": 0.5)", {"/h200: unknown key; expected cmd"}},
      {R"("h200": null)", {"/h200: unknown key"}},
      {R"("h 200": {})", {"/h 200: not a hardware name"}},
      {R"("\u00e4": {})", {"/\xc3\xa4: not a hardware name"}},
      {R"("": {})", {"/: not a hardware name"}},
      {R"("auto": {})", {"/auto: not a hardware name"}},
      {R"("0.5": {})", {"/0.5: not a hardware name"}},
      {R"("evn": {"A": "1"})", {"/evn: unknown key; did you mean env?"}},
      {R"("ENV": {"A": "1"})", {"/ENV: unknown key; did you mean env?"}},
      {R"("envs": {})", {"/envs: unknown key; did you mean env?"}},
  };
  for (const FieldCase& c : cases) {
    std::vector<std::string> said = c.said;
    said[0] = ": /test_cmds/0" + said[0];
    expect_refused({R"({"test_cmds": [{"cmd": "a", )" + c.fields + "}]}", said});
  }
}

TEST(TaskRefusals, TopLevel) {
  const FieldCase cases[] = {
      {R"("seeds": 42)", {": /seeds: 42: expected a list of whole numbers"}},
      {R"("seeds": [42, -1])", {": /seeds/1: -1: expected a whole number from 0"}},
      {R"("seeds": [42.5])", {": /seeds/0: 42.5: expected a whole number"}},
      {R"("seeds": [1, "1"])", {": /seeds/1: 1: the seed is there twice"}},
      {R"("seeds": [9223372036854775808])", {": /seeds/0: 9223372036854775808: expected"}},
      {R"("baselines": "x")", {": /baselines: \"x\": expected a list of names or an object"}},
      {R"("baselines": [1])", {": /baselines/0: 1: expected a text"}},
      {R"("baselines": ["x", "x"])", {": /baselines/1: the baseline \"x\" is there twice"}},
      {R"("baselines": [{"cmd": "x.sh"}])", {": /baselines/0: the key \"name\" is missing"}},
      {R"("baselines": {"x": "x.sh"})", {": /baselines/x: \"x.sh\": expected an object"}},
      {R"("baselines": {"x": {"cmd": "/x.sh"}})",
       {": /baselines/x/cmd: \"/x.sh\": expected a path"}},
      {R"("baselines": {"x": {"labels": "a"}})", {": /baselines/x/labels: \"a\": expected a list"}},
      {R"("baselines": {"x": {"labels": ["tets"]}})",
       {": /baselines/x: \"labels\": no entry has the label \"tets\"; did you mean test?"}},
      {R"("baselines": {"x": {"label": ["test"]}})",
       {": /baselines/x/label: unknown key; did you mean labels?"}},
      {R"("baselines": {"x": {"env": {"SLURM_X": "1"}}})", {": /baselines/x/env/SLURM_X: "}},
      {R"("baselines": {}, "rigorous_codebase": 1)",
       {": /rigorous_codebase: 1: expected true or false"}},
      {R"("files": {})", {": /files: an object: expected a list of files"}},
      {R"("files": ["a.py"])", {": /files/0: \"a.py\": expected an object"}},
      {R"("files": [{"edit": []}])", {": /files/0: the key \"filename\" is missing"}},
      {R"("files": [{"filename": ""}])", {": /files/0/filename: \"\": expected a text"}},
      {R"("files": [{"filename": "a", "edit": {}}])",
       {": /files/0/edit: an object: expected a list of ranges"}},
  };
  for (const FieldCase& c : cases) {
    expect_refused({R"({"test_cmds": [{"cmd": "a"}], )" + c.fields + "}", c.said});
  }
}

TEST(TaskRefusals, EditRanges) {
  const FieldCase cases[] = {
      {R"([1, 2])", {"/0: 1: expected a range"}},
      {R"([{"start": 0, "end": 5}])", {"/0: start \"0\", end \"5\": expected 1 <= start <= end"}},
      {R"([{"start": 5, "end": 4}])", {"/0: start \"5\", end \"4\": expected"}},
      {R"([{"start": 1, "end": 0}])", {"/0: start \"1\", end \"0\": expected"}},
      {R"([{"start": 1, "end": -2}])", {"/0: start \"1\", end \"-2\": expected"}},
      {R"([{"start": -1, "end": 5}])", {"/0: start \"-1\", end \"5\": expected"}},
      {R"([{"start": 1}])", {"/0: start \"1\", end \"\": expected"}},
      {R"([{"end": 1}])", {"/0: start \"\", end \"1\": expected"}},
      {R"([{"strat": 1, "end": 2}])", {"/0/strat: unknown key; did you mean start?"}},
      {R"([{"start": 1.5, "end": 2}])", {"/0: start \"1.5\""}},
      {R"([{"start": 1, "end": 5}, {"start": 5, "end": 9}])",
       {"/1: lines 5 to 9 overlap lines 1 to 5 (/files/0/edit/0)"}},
      {R"([{"start": 7, "end": 8}, {"start": 3, "end": -1}])",
       {"/0: lines 7 to 8 overlap lines 3 to the end (/files/0/edit/1)"}},
  };
  for (const FieldCase& c : cases) {
    std::vector<std::string> said = c.said;
    said[0] = ": /files/0/edit" + said[0];
    expect_refused({R"({"test_cmds": [{"cmd": "a"}], "files": [{"filename": "a.py", "edit": )" +
                        c.fields + "}]}",
                    said});
  }
}

TEST(TaskRefusals, EditRangesOverlapAcrossElementsOfOneFile) {
  expect_refused({R"({"test_cmds": [{"cmd": "a"}], "files": [
      {"filename": "a.py", "edit": [{"start": 1, "end": 5}]},
      {"filename": "a.py", "edit": [{"start": 2, "end": 3}]}]})",
                  {": /files/1/edit/0: lines 2 to 3 overlap lines 1 to 5 (/files/0/edit/0)"}});
}

TEST(TaskRefusals, FindEntry) {
  const Task task = parse_task(R"({"test_cmds": [{"cmd": "a", "label": "gpt-345m"},
      {"cmd": "b", "label": "lm-eval-345m"}]})",
                               "llm", "/llm", "f")
                        .value();
  expect_refused(find_entry(task, "gpt-354m").error(),
                 {"task \"llm\" has no entry \"gpt-354m\"; did you mean gpt-345m?",
                  "(gpt-345m, lm-eval-345m)"},
                 ErrorKind::kUsage);
  expect_refused(find_entry(task, "").error(),
                 {"task \"llm\" has several entries; name one of them (gpt-345m, lm-eval-345m)"},
                 ErrorKind::kUsage);
}

constexpr const char* kConfig = R"({"test_cmds": [{"cmd": "x.sh"}]})";

TEST(TaskFilesRefusals, NamesThatAreNoTask) {
  const TempFolder folder;
  folder.write("config.json", kConfig);
  folder.write("a/config.json", kConfig);
  for (const std::string name : {"", ".", "..", ".a", "a/", "../a", "/a", "a\nb"}) {
    expect_refused(load_task(folder.path(), name).error(),
                   {"\"" + name.substr(0, 1), "not a task name"}, ErrorKind::kUsage);
  }
}

TEST(TaskFilesRefusals, AMissingTaskNamesTheNearest) {
  const TempFolder folder;
  folder.write("llm-pretrain-loss/config.json", kConfig);
  folder.write("cv-vae-loss/config.json", kConfig);
  expect_refused(
      load_task(folder.path(), "llm-pretrain-los").error(),
      {"no task \"llm-pretrain-los\" in " + folder.path() + "; did you mean llm-pretrain-loss?"},
      ErrorKind::kUsage);
  expect_refused(load_task(folder.path(), "zz").error(), {"no task \"zz\" in " + folder.path()},
                 ErrorKind::kUsage);
}

TEST(TaskFilesRefusals, FilesThatCannotBeRead) {
  const TempFolder folder;
  folder.write("long/config.json", std::string(kMostWritten + 1, ' '));
  folder.write("nul/config.json", std::string("{\0}", 3));
  folder.write("broken/config.json", "{");
  folder.write("folder/config.json/x", "");
  folder.write("pipe/x", "");
  ASSERT_EQ(mkfifo(folder.path("pipe/config.json").c_str(), 0600), 0);
  const std::pair<const char*, const char*> cases[] = {
      {"long", ": is larger than"},        {"nul", ": holds a NUL byte"},
      {"broken", ":1:2: not valid JSON"},  {"folder", ": is a folder"},
      {"pipe", ": is not a regular file"},
  };
  for (const auto& [name, said] : cases) {
    expect_refused(load_task(folder.path(), name).error(),
                   {folder.path(name) + "/config.json" + said}, ErrorKind::kTask);
  }
}

TEST(TaskFilesRefusals, AMissingTasksFolder) {
  const TempFolder folder;
  const std::string missing = folder.path("tasks");
  expect_refused(list_tasks(missing).error(),
                 {missing + ": the tasks folder cannot be read: No such"}, ErrorKind::kUsage);
  expect_refused(load_task(missing, "a").error(), {missing + ": the tasks folder cannot be read"},
                 ErrorKind::kUsage);
  const std::string file = folder.write("file", "");
  expect_refused(list_tasks(file).error(), {file + ": the tasks folder cannot be read: Not a dir"},
                 ErrorKind::kUsage);
}

}  // namespace
}  // namespace compute_scale
