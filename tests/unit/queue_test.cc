#include "sbatch_wrapper/queue.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

// As squeue prints it: 16 fields, each with the separator behind it.
std::string line(const std::string& ids, const std::string& state, const std::string& tres,
                 const std::string& name = "n.00") {
  return ids + "|" + state + "|None|1-02:03:04|1796066395|2|" + tres + "|1796066300|" + name +
         "|\n";
}

TEST(Queue, ReadsJobsAndElements) {
  const auto jobs = parse_squeue(
      "Welcome to the cluster | have fun\n" +
      line("12|3|15", "RUNNING", "cpu=1,gres/gpu=2,gres/gpu:h200=2|N/A|1|N/A|1|N/A", "a|b") +
      "13|N/A|13|PENDING|DependencyNeverSatisfied|0:00|1796066999|0|cpu=1|gres:gpu:2|1|N/A|1|N/A|"
      "1796066301|x|\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].element_id() + " " + jobs[0].job_id + " " + jobs[0].name, "12_3 15 a|b");
  EXPECT_EQ(jobs[0].state + jobs[0].reason, "RUNNING");
  EXPECT_EQ(jobs[0].elapsed_seconds, 93784);
  EXPECT_EQ(jobs[0].started, 1796066395);
  EXPECT_EQ(jobs[0].submitted, 1796066300);
  EXPECT_EQ(jobs[0].restarts, 2);
  EXPECT_EQ(jobs[1].element_id() + " " + jobs[1].reason, "13 DependencyNeverSatisfied");
  EXPECT_EQ(jobs[1].started, 0) << "an expected start is none";
}

TEST(Queue, CountsGpusHoweverTheyWereAskedFor) {
  const struct {
    const char* tres;  // tres-alloc, per job, nodes, per node, tasks, per task
    std::int64_t gpus;
  } cases[] = {
      {"cpu=4,gres/gpu=2|N/A|1|N/A|1|N/A", 2},
      {"cpu=4,gres/gpu:a=1,gres/gpu:b=2|N/A|1|N/A|1|N/A", 3},
      // --gpus=2 where the site does not track GPUs.
      {"cpu=4|gres:gpu:2|1|N/A|1|N/A", 2},
      {"cpu=4|gres/gpu:h200:2|1|N/A|1|N/A", 2},
      {"cpu=4|N/A|2|gres:gpu:4|1|N/A", 8},
      {"cpu=4|N/A|1|N/A|3|gres/gpu:2", 6},
      {"cpu=4|N/A|1|gres:shard:4|1|N/A", 0},
      {"|(null)|1|N/A|1|N/A", 0},
  };
  for (const auto& c : cases) {
    const auto jobs = parse_squeue(line("1|N/A|1", "RUNNING", c.tres));
    ASSERT_EQ(jobs.size(), 1u) << c.tres;
    EXPECT_EQ(jobs[0].gpus, c.gpus) << c.tres;
  }
}

TEST(Queue, StatesAreOneWord) {
  EXPECT_EQ(state_word("CANCELLED by 1000"), "CANCELLED");
  EXPECT_EQ(state_word("CANCELLED+"), "CANCELLED");
  EXPECT_EQ(state_word(" xyz "), "XYZ");
  for (const char* state : {"OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "TIMEOUT", "CANCELLED"}) {
    EXPECT_EQ(phase_of(state), JobPhase::kEnded) << state;
  }
  EXPECT_EQ(phase_of("REQUEUED"), JobPhase::kWaiting);
  EXPECT_EQ(phase_of("COMPLETING"), JobPhase::kActive);
  EXPECT_EQ(phase_of("XYZ"), JobPhase::kUnknown);
}

TEST(Queue, ElapsedTimes) {
  EXPECT_EQ(elapsed_seconds("0:07"), 7);
  EXPECT_EQ(elapsed_seconds("3:01:02"), 10862);
  EXPECT_EQ(elapsed_seconds("2-00:00:01"), 172801);
  EXPECT_EQ(elapsed_seconds("INVALID"), 0);
  EXPECT_EQ(elapsed_seconds(""), 0);
  EXPECT_EQ(elapsed_seconds("9223372036854775807-00:00:01"), 0);
  EXPECT_EQ(elapsed_seconds("9223372036854775807:00"), 0);
  EXPECT_EQ(elapsed_seconds("1:1:1:1:1:1:1:1:1:1:1:1:1"), 0);
}

// Slurm prints 4294967294 where it has no number.
TEST(Queue, NumbersThatCannotBeAreNone) {
  const auto jobs = parse_squeue(
      "1|N/A|1|RUNNING|None|0:01|99999999999999|4294967294|cpu=4|N/A|4294967294|gres:gpu:4|1|N/A|"
      "9223372036854775807|x|\n"
      "2|N/A|2|RUNNING|None|0:01|7|1|cpu=4|N/A|1000000|gres:gpu:1000000|1|N/A|7|x|\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].restarts, 0);
  EXPECT_EQ(jobs[0].gpus, 4);
  EXPECT_EQ(jobs[0].started + jobs[0].submitted, 0);
  EXPECT_EQ(jobs[1].gpus, 1000000);
  EXPECT_EQ(parse_sacct("3|COMPLETED|9223372036854775807|\n").front().elapsed_seconds, 0);
}

TEST(Queue, ReadsTheAccounting) {
  const auto jobs = parse_sacct(
      "12_3|CANCELLED by 1000|61|cpu=1,gres/gpu=2\n12_[5-6,9%2]|PENDING|0|\n14|COMPLETED|5|\n"
      "Banner\n12_[0-99999999]|PENDING|0|\n");
  ASSERT_EQ(jobs.size(), 5u);
  EXPECT_EQ(jobs[0].element_id() + " " + jobs[0].state, "12_3 CANCELLED");
  EXPECT_EQ(jobs[0].elapsed_seconds + jobs[0].gpus, 63);
  EXPECT_EQ(jobs[1].element_id() + jobs[2].element_id() + jobs[3].element_id(), "12_512_612_9");
  EXPECT_EQ(jobs[4].element_id() + jobs[4].state, "14COMPLETED");
}

TEST(Queue, OneCallAsksForAllAndNoArgumentIsTooLong) {
  const auto argv = squeue_argv("1000", "beta");
  EXPECT_EQ(argv[0] + argv.back(), "squeue--clusters=beta");
  EXPECT_EQ(squeue_argv("1000", "").back().substr(0, 9), "--Format=");
  const auto calls = sacct_argvs(std::vector<std::string>(20'000, "123456789"), "");
  ASSERT_EQ(calls.size(), 2u);
  for (const auto& call : calls) EXPECT_LT(call.back().size(), 131'072u);
  EXPECT_TRUE(sacct_argvs({}, "").empty());
}

TEST(Queue, OnlyOurSettingsReachTheCommands) {
  const auto environment = query_environment(
      {"PATH=/bin", "SQUEUE_FORMAT=%i", "SLURM_CONF=/c", "SLURM_CLUSTERS=x", "SACCT_FORMAT=a"});
  EXPECT_EQ(environment,
            (std::vector<std::string>{"PATH=/bin", "SLURM_CONF=/c", "SLURM_TIME_FORMAT=%s"}));
}

}  // namespace
}  // namespace compute_scale
