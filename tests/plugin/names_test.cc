// Who named an option, and with what value: the command line, the environment, a directive, or
// nobody.
#include <gtest/gtest.h>

#include "run.h"

namespace compute_scale_test {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// What the library is told, or "(not asked)".
std::string told(const Outcome& outcome, std::size_t call = 0) {
  if (outcome.calls.size() <= call) return "(not asked)";
  const std::string& text = outcome.calls[call];
  const std::size_t from = text.find("scale=");
  return text.substr(from, text.find('\n', from) - from);
}

constexpr char kPayload[] = "1;scale=0.5;entry=a/x;base=4;gpus=2;het=0;env.BATCH_SIZE=64";

struct NamedCase {
  const char* what;
  const char* command;
  Options directives;
  Options command_line;
  Variables environment;
  const char* expected;
};

const NamedCase kNamed[] = {
    {"nothing", "sbatch", {}, {}, {}, "(not asked)"},
    {"command line",
     "sbatch",
     {},
     {{"compute-scale", "0.5"}},
     {},
     "scale=0.5 entry=(null) unprofiled=(null)"},
    {"all three options",
     "sbatch",
     {},
     {{"compute-scale", "h200"}, {"compute-entry", "a/x"}, {"compute-unprofiled", "scale"}},
     {},
     "scale=h200 entry=a/x unprofiled=scale"},
    {"the last of several wins",
     "srun",
     {},
     {{"compute-scale", "1"}, {"compute-scale", "2"}},
     {},
     "scale=2 entry=(null) unprofiled=(null)"},
    {"directive",
     "sbatch",
     {{"compute-scale", "4"}},
     {},
     {},
     "scale=4 entry=(null) unprofiled=(null)"},
    {"command line over directive",
     "sbatch",
     {{"compute-scale", "4"}},
     {{"compute-scale", "2"}},
     {},
     "scale=2 entry=(null) unprofiled=(null)"},
    {"environment over directive",
     "sbatch",
     {{"compute-scale", "4"}},
     {},
     {{"SBATCH_COMPUTE_SCALE", "3"}},
     "scale=3 entry=(null) unprofiled=(null)"},
    {"command line over environment over directive",
     "sbatch",
     {{"compute-scale", "4"}},
     {{"compute-scale", "2"}},
     {{"SBATCH_COMPUTE_SCALE", "3"}},
     "scale=2 entry=(null) unprofiled=(null)"},
    {"each option has its twin",
     "salloc",
     {},
     {},
     {{"SALLOC_COMPUTE_SCALE", "1"},
      {"SALLOC_COMPUTE_ENTRY", "e"},
      {"SALLOC_COMPUTE_UNPROFILED", "refuse"}},
     "scale=1 entry=e unprofiled=refuse"},
    {"srun's twins",
     "srun",
     {},
     {},
     {{"SLURM_COMPUTE_SCALE", "1"},
      {"SLURM_COMPUTE_ENTRY", "e"},
      {"SLURM_COMPUTE_UNPROFILED", "keep"}},
     "scale=1 entry=e unprofiled=keep"},
    {"the twins of other commands do not count",
     "sbatch",
     {},
     {},
     {{"SALLOC_COMPUTE_SCALE", "1"}, {"SLURM_COMPUTE_SCALE", "2"}},
     "(not asked)"},
    {"an empty twin is named",
     "sbatch",
     {},
     {},
     {{"SBATCH_COMPUTE_SCALE", ""}},
     "scale= entry=(null) unprofiled=(null)"},
    {"an empty value is named",
     "sbatch",
     {},
     {{"compute-scale", ""}},
     {},
     "scale= entry=(null) unprofiled=(null)"},
    {"what Slurm passed on from a surrounding job is not named",
     "sbatch",
     {},
     {},
     {{passed_on("compute-scale"), "0.5"}, {passed_on("compute-entry"), "a/x"}},
     "(not asked)"},
    {"nor is it in srun", "srun", {}, {}, {{passed_on("compute-scale"), "0.5"}}, "(not asked)"},
    {"the twin counts, not what was passed on",
     "sbatch",
     {},
     {},
     {{passed_on("compute-scale"), "0.5"}, {"SBATCH_COMPUTE_SCALE", "3"}},
     "scale=3 entry=(null) unprofiled=(null)"},
    {"what a scaled job shows is not named",
     "srun",
     {},
     {},
     {{"SLURM_COMPUTE_SCALE_PAYLOAD", kPayload},
      {"SLURM_COMPUTE_SCALE", "0.5"},
      {"SLURM_COMPUTE_ENTRY", "a/x"}},
     "(not asked)"},
    {"another value in a scaled job is named",
     "srun",
     {},
     {},
     {{"SLURM_COMPUTE_SCALE_PAYLOAD", kPayload},
      {"SLURM_COMPUTE_SCALE", "0.5"},
      {"SLURM_COMPUTE_ENTRY", "b/y"}},
     "scale=(null) entry=b/y unprofiled=(null)"},
    {"sbatch's twin in a scaled job is named",
     "sbatch",
     {},
     {},
     {{"SLURM_COMPUTE_SCALE_PAYLOAD", kPayload}, {"SBATCH_COMPUTE_SCALE", "0.5"}},
     "scale=0.5 entry=(null) unprofiled=(null)"},
};

TEST(Named, TheLibraryIsToldWhatCounts) {
  for (const NamedCase& c : kNamed) {
    SCOPED_TRACE(c.what);
    CommandRun run;
    run.command = c.command;
    run.components = {{c.directives, c.command_line, {}, {}}};
    run.environment = c.environment;
    const Outcome outcome = run_command(run);
    EXPECT_EQ(outcome.status, 0) << outcome.error_output;
    EXPECT_EQ(told(outcome), c.expected);
  }
}

TEST(Named, EachComponentStartsAfresh) {
  CommandRun run;
  run.components = {{{}, {{"compute-scale", "0.5"}}, {}, {}},
                    {{}, {}, {}, {}},
                    {{{"compute-scale", "0.25"}}, {}, {}, {}}};
  const Outcome outcome = run_command(run);
  ASSERT_EQ(outcome.calls.size(), 2u);
  EXPECT_EQ(told(outcome, 0), "scale=0.5 entry=(null) unprofiled=(null)");
  EXPECT_EQ(told(outcome, 1), "scale=0.25 entry=(null) unprofiled=(null)");
  EXPECT_NE(outcome.calls[1].find("component=2"), std::string::npos);
}

TEST(Named, ATwinHoldsForEachComponentWithItsPrecedence) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run;
    run.command = command;
    run.environment = {
        {"SBATCH_COMPUTE_SCALE", "3"}, {"SALLOC_COMPUTE_SCALE", "3"}, {"SLURM_COMPUTE_SCALE", "3"}};
    run.components = {{}, {{}, {{"compute-scale", "2"}}, {}, {}}, {}};
    const Outcome outcome = run_command(run);
    ASSERT_EQ(outcome.calls.size(), 3u);
    EXPECT_EQ(told(outcome, 0), "scale=3 entry=(null) unprofiled=(null)");
    EXPECT_EQ(told(outcome, 1), "scale=2 entry=(null) unprofiled=(null)");
    EXPECT_EQ(told(outcome, 2), "scale=3 entry=(null) unprofiled=(null)");
  }
}

TEST(Named, ATwinBeatsTheDirectiveOfALaterComponent) {
  CommandRun run;
  run.environment = {{"SBATCH_COMPUTE_SCALE", "3"}};
  run.components = {{}, {{{"compute-scale", "4"}}, {}, {}, {}}};
  EXPECT_EQ(told(run_command(run), 1), "scale=3 entry=(null) unprofiled=(null)");
}

// Otherwise each command in the job would be told the option again.
TEST(Named, NothingIsPassedOnToTheJob) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run;
    run.command = command;
    run.components[0].command_line = {{"compute-scale", "0.5"}, {"compute-entry", "a/x"}};
    run.components.resize(2);
    const Outcome outcome = run_command(run);
    EXPECT_EQ(outcome.job_control, Variables{});
    for (const Variables& environment : outcome.environments) {
      for (const auto& [name, value] : environment) {
        EXPECT_EQ(name.find("SPANK"), std::string::npos) << name << "=" << value;
      }
    }
  }
}

TEST(Named, ATwinLeavesNoTraceInTheShellOfSalloc) {
  CommandRun run;
  run.command = "salloc";
  run.environment = {{"SALLOC_COMPUTE_SCALE", "0.5"}};
  EXPECT_EQ(run_command(run).variable(passed_on("compute-scale")), kUnset);
}

}  // namespace
}  // namespace compute_scale_test
