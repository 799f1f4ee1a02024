#include "task.h"

#include <gtest/gtest.h>

#include "entry_text.h"
#include "temp_folder.h"

namespace compute_scale {
namespace {

Result<Task> parse(const std::string& text) {
  return parse_task(text, "t", "/tasks/t", "t/config.json");
}

// The only entry of a task, given as the inside of its object.
std::string entry_of(const std::string& fields) {
  const Result<Task> task =
      parse("{\"test_cmds\": [{\"cmd\": \"s.sh\"" + (fields.empty() ? "" : ", " + fields) + "}]}");
  return task.ok() ? entry_text(task->entries[0]) : task.error().text;
}

std::string with(const std::string& from, const std::string& to) {
  std::string text =
      "t/test cmd=s.sh group=- compute=1 time=01:00:00 package= hidden=0 mem=- cpus=- use_cuda=- "
      "workdir= env:";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

struct FieldCase {
  const char *fields, *from, *to;
};

TEST(Task, EntryFields) {
  const FieldCase cases[] = {
      {"", "", ""},
      {R"("label": "gpt/3 45\u00e4")", "t/test", "t/gpt/3 45\xc3\xa4"},
      {R"("group": 2)", "group=-", "group=2"},
      {R"("group": "0")", "group=-", "group=0"},
      {R"("compute": 4.0)", "compute=1", "compute=4"},
      {R"("compute": 0)", "compute=1", "compute=0"},
      {R"("compute": "2")", "compute=1", "compute=2"},
      {R"("compute": 0.33)", "compute=1", "compute=0.33"},
      {R"("compute": 1e-1)", "compute=1", "compute=0.1"},
      {R"("compute": 2E0)", "compute=1", "compute=2"},
      {R"("time": "12:00:00")", "01:00:00", "12:00:00"},
      {R"("time": "1-12")", "01:00:00", "1-12:00:00"},
      {R"("time": 90)", "01:00:00", "01:30:00"},
      {R"("time": "90")", "01:00:00", "01:30:00"},
      {R"("time": 90.0)", "01:00:00", "01:30:00"},
      {R"("package": "lm-evaluation-harness")", "package=", "package=lm-evaluation-harness"},
      {R"("hidden": true)", "hidden=0", "hidden=1"},
      {R"("mem": 200)", "mem=-", "mem=200G"},
      {R"("mem": "200")", "mem=-", "mem=200G"},
      {R"("mem": 0.5)", "mem=-", "mem=512M"},
      {R"("mem": "8000M")", "mem=-", "mem=8000M"},
      {R"("cpus": 4.0)", "cpus=-", "cpus=4"},
      {R"("cpus": "48")", "cpus=-", "cpus=48"},
      {R"("use_cuda": false)", "use_cuda=-", "use_cuda=0"},
      {R"("use_cuda": true)", "use_cuda=-", "use_cuda=1"},
      {R"("workdir": "/work space")", "workdir=", "workdir=/work space"},
      {R"("env": {"B": "64", "_a1": 64, "C": 1e-4, "D": 0.50, "E": "", "F": "a,b=\"c\"\n\u00e4"})",
       "env:", "env: B=64 _a1=64 C=1e-4 D=0.50 E= F=a,b=\"c\"\n\xc3\xa4"},
      {R"("env": {})", "", ""},
      {R"("cmd2": {})", "env:", "env: [cmd2 compute=- time=- mem=- cpus=- env:]"},
      {R"("H200": {"compute": "2", "time": 30, "mem": 8, "cpus": 3, "env": {"A": "1"}})",
       "env:", "env: [h200 compute=2 time=00:30:00 mem=8G cpus=3 env: A=1]"},
      {R"("a100-80_gb.x": {"compute": 1}, "h200": {"cpus": 2})", "env:",
       "env: [a100-80_gb.x compute=1 time=- mem=- cpus=- env:] "
       "[h200 compute=- time=- mem=- cpus=2 env:]"},
  };
  for (const FieldCase& c : cases) {
    const std::string fields = c.fields;
    EXPECT_EQ(entry_of(fields), with(c.from, c.to)) << fields;
  }
}

TEST(Task, Commands) {
  const std::pair<const char*, const char*> cases[] = {
      {"scripts/train.sh", "scripts/train.sh"},
      {"scripts/a..b.sh", "scripts/a..b.sh"},
      {"./x.sh", "./x.sh"},
      {"x.sh --data /data ../up 'a \\\"b\\\"' $HOME", "x.sh --data /data ../up 'a \"b\"' $HOME"},
      {"x.sh\\targ", "x.sh\targ"},
      {"  x.sh  ", "x.sh"},
      {"x.sh\\r\\n", "x.sh"},
      {"x.sh\\n\\n", "x.sh"},
      {"scripts/\\u00e4.sh", "scripts/\xc3\xa4.sh"},
  };
  for (const auto& [json, command] : cases) {
    const Result<Task> task = parse("{\"test_cmds\": [{\"cmd\": \"" + std::string(json) + "\"}]}");
    ASSERT_TRUE(task.ok()) << task.error().text;
    EXPECT_EQ(task->entries[0].cmd, command);
  }
}

TEST(Task, NameDirAndEntriesInOrder) {
  const Result<Task> task = parse_task(
      "\xef\xbb\xbf{\r\n\"test_cmds\": [{\"cmd\": \"a.sh\", \"label\": \"b\"},\r\n"
      "{\"cmd\": \"a.sh\", \"label\": \"a\"}]}\r\n",
      "my-task", "/x/my-task", "f");
  ASSERT_TRUE(task.ok()) << task.error().text;
  EXPECT_EQ(task->name, "my-task");
  EXPECT_EQ(task->dir, "/x/my-task");
  ASSERT_EQ(task->entries.size(), 2u);
  EXPECT_EQ(task->entries[0].label, "b");
  EXPECT_EQ(task->entries[1].label, "a");
  EXPECT_EQ(task->entries[1].task, "my-task");
  EXPECT_TRUE(task->seeds.empty() && task->baselines.empty() && task->edit_ranges.empty());
}

TEST(Task, AnEntryWithoutPackageGetsTheFirstThatIsNamed) {
  const Result<Task> task = parse(R"({"test_cmds": [
      {"cmd": "a", "label": "a"}, {"cmd": "b", "label": "b", "package": "P"},
      {"cmd": "c", "label": "c", "package": "Q"}, {"cmd": "d", "label": "d"}]})");
  ASSERT_TRUE(task.ok()) << task.error().text;
  std::string packages;
  for (const Entry& entry : task->entries) packages += entry.package;
  EXPECT_EQ(packages, "PPQP");
}

// The tops of a task that has two entries, a and b.
Result<Task> with_top(const std::string& keys) {
  return parse(R"({"test_cmds": [{"cmd": "a", "label": "a"}, {"cmd": "b", "label": "b"}], )" +
               keys + "}");
}

TEST(Task, Seeds) {
  const Result<Task> task = with_top(R"("seeds": [42, "7", 0, 9223372036854775807])");
  ASSERT_TRUE(task.ok()) << task.error().text;
  EXPECT_EQ(task->seeds, (std::vector<std::int64_t>{42, 7, 0, 9223372036854775807}));
  EXPECT_TRUE(with_top(R"("seeds": [])")->seeds.empty());
}

TEST(Task, OtherKeysOfTheBenchmarkAreLeftOut) {
  EXPECT_TRUE(with_top(R"("hidden_metrics": ["x_*"], "allow_create": false, "notes": {"a": [1]},
                          "rigorous_codebase": true)")
                  .ok());
}

struct BaselineCase {
  const char *json, *text;
};

TEST(Task, Baselines) {
  const BaselineCase cases[] = {
      {R"([])", ""},
      {R"({})", ""},
      {R"(["x", "y z"])", "x: cmd= labels= env:; y z: cmd= labels= env:; "},
      {R"([{"name": "x", "cmd": "scripts/x.sh\r\n", "labels": ["b", "a"], "env": {"A": 1}}, "y"])",
       "x: cmd=scripts/x.sh labels=b,a env: A=1; y: cmd= labels= env:; "},
      {R"({"default": {"cmd": "d.sh"}, "bn": {"edit_ops": "edits/bn.py", "labels": ["a"]}})",
       "default: cmd=d.sh labels= env:; bn: cmd= labels=a env:; "},
      {R"({"key": {"name": "name"}})", "name: cmd= labels= env:; "},
  };
  for (const BaselineCase& c : cases) {
    const Result<Task> task = with_top("\"baselines\": " + std::string(c.json));
    ASSERT_TRUE(task.ok()) << task.error().text;
    std::string text;
    for (const Baseline& b : task->baselines) {
      std::string labels;
      for (const std::string& label : b.labels) labels += (labels.empty() ? "" : ",") + label;
      text += b.name + ": cmd=" + b.cmd + " labels=" + labels + " env:" + env_text(b.env) + "; ";
    }
    EXPECT_EQ(text, c.text);
  }
}

TEST(Task, ARigorousCodebaseKeepsTheEntriesCommands) {
  const Result<Task> task = with_top(
      R"("baselines": {"x": {"cmd": "x.sh", "labels": ["a"], "env": {"A": "1"}}}, "rigorous_codebase": true)");
  ASSERT_TRUE(task.ok()) << task.error().text;
  EXPECT_EQ(task->baselines[0].cmd, "");
  EXPECT_TRUE(task->baselines[0].labels.empty());
  EXPECT_EQ(env_text(task->baselines[0].env), " A=1");
}

TEST(Task, EditRanges) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", ""},
      {R"([{"filename": "a.py", "read": [{"start": -1, "end": -1}]}])", ""},
      {R"([{"filename": "a.py", "edit": [{"start": 1, "end": -1}]}])", "a.py:1--1 "},
      {R"([{"filename": "a.py", "edit": [{"start": -1, "end": -1}]}])", "a.py:1--1 "},
      {R"([{"path": "a.py", "edit": [{"start": 5, "end": 5}, {"start": "6", "end": 9.0}]}])",
       "a.py:5-5 a.py:6-9 "},
      // in the order in which they were written, and only those of one file may not overlap
      {R"([{"filename": "b", "edit": [{"start": 10, "end": -1}, {"start": 1, "end": 9}]},
           {"filename": "a", "edit": [{"start": 1, "end": 20}]}])",
       "b:10--1 b:1-9 a:1-20 "},
  };
  for (const auto& [json, text] : cases) {
    const Result<Task> task = with_top("\"files\": " + std::string(json));
    ASSERT_TRUE(task.ok()) << task.error().text;
    std::string shown;
    for (const EditRange& range : task->edit_ranges) {
      shown +=
          range.file + ":" + std::to_string(range.start) + "-" + std::to_string(range.end) + " ";
    }
    EXPECT_EQ(shown, text) << json;
  }
}

TEST(Task, FindEntry) {
  const Task task = with_top("\"seeds\": [1]").value();
  EXPECT_EQ(find_entry(task, "b").value().cmd, "b");
  const Task one = parse(R"({"test_cmds": [{"cmd": "x.sh", "label": "only"}]})").value();
  EXPECT_EQ(find_entry(one, "").value().cmd, "x.sh");
  EXPECT_EQ(find_entry(one, "only").value().cmd, "x.sh");
}

constexpr const char* kConfig = R"({"test_cmds": [{"cmd": "x.sh"}]})";

TEST(TaskFiles, ListTasks) {
  const TempFolder folder;
  folder.write("b/config.json", kConfig);
  folder.write("a/config.json", "broken");
  folder.write("no-config/x", "");
  folder.write("plain-file", "");
  folder.write(".hidden/config.json", kConfig);
  EXPECT_EQ(list_tasks(folder.path()).value(), (std::vector<std::string>{"a", "b"}));
  const TempFolder empty;
  EXPECT_TRUE(list_tasks(empty.path()).value().empty());
}

TEST(TaskFiles, LoadTask) {
  const TempFolder folder;
  folder.write("one two/config.json", kConfig);
  const Result<Task> task = load_task(folder.path() + "/./", "one two");
  ASSERT_TRUE(task.ok()) << task.error().text;
  EXPECT_EQ(task->name, "one two");
  EXPECT_EQ(task->dir, folder.path("one two"));
}

TEST(TaskFiles, ABrokenTaskDoesNotDisturbItsNeighbours) {
  const TempFolder folder;
  folder.write("a/config.json", kConfig);
  folder.write("broken/config.json", "{");
  EXPECT_TRUE(load_task(folder.path(), "a").ok());
}

}  // namespace
}  // namespace compute_scale
