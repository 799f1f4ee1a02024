#include "array.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run_layout.h"

namespace compute_scale {
namespace {

ArrayJob job(std::int64_t chain, std::vector<std::size_t> after = {}, const char* time = "1:00") {
  ArrayJob out;
  out.directives = {"--job-name=x" + std::to_string(chain), "--output=o",
                    std::string("--time=") + time, "--compute-scale=0.5",
                    "--compute-entry=e" + std::to_string(chain)};
  out.chain = chain;
  out.after = std::move(after);
  return out;
}

// "0-2 aftercorr:A" for each call, where A is the first call, B the second, …
std::vector<std::string> calls(const std::vector<ArrayJob>& jobs,
                               const ArrayOptions& options = {}) {
  std::vector<std::string> ids;
  std::vector<std::string> out;
  for (const ArraySubmission& call : array_submissions(jobs, options)) {
    const std::string dependency = dependency_text(call, ids);
    out.push_back((call.is_array() ? array_indices(call) : "one") +
                  (dependency.empty() ? "" : " " + dependency));
    ids.emplace_back(1, static_cast<char>('A' + ids.size()));
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Array, EqualJobsAreOneArray) {
  EXPECT_EQ(calls({job(0), job(1), job(2)}), Texts{"0-2"});
  EXPECT_EQ(calls({job(0), job(1, {}, "2:00"), job(2)}), (Texts{"0,2", "one"}));
  EXPECT_EQ(array_submissions({job(0), job(1)}, {})[0].directives, Texts{"--time=1:00"});
  EXPECT_EQ(calls({}), Texts{});
}

TEST(Array, TheNextStageFollowsElementByElement) {
  EXPECT_EQ(calls({job(0), job(1), job(0, {0}), job(1, {1})}), (Texts{"0,1", "0,1 aftercorr:A"}));
  // An element that has no follower.
  EXPECT_EQ(calls({job(0), job(1), job(2), job(0, {0}), job(2, {2})}),
            (Texts{"0-2", "0,2 aftercorr:A"}));
  // A single follower of an element.
  EXPECT_EQ(calls({job(0), job(1), job(1, {1})}), (Texts{"0,1", "one afterok:A_1"}));
  EXPECT_EQ(calls({job(0), job(0, {0})}), (Texts{"one", "one afterok:A"}));
}

TEST(Array, NoArrayWaitsForOneWithoutItsIndices) {
  // Chains 0 and 1 are in an array, 2 and 3 in another: their followers look alike, but no
  // array may name both.
  const std::vector<ArrayJob> jobs = {
      job(0),      job(1),      job(2, {}, "2:00"), job(3, {}, "2:00"),
      job(0, {0}), job(1, {1}), job(2, {2}),        job(3, {3})};
  EXPECT_EQ(calls(jobs), (Texts{"0,1", "2,3", "0,1 aftercorr:A", "2,3 aftercorr:B"}));
  for (const ArraySubmission& call : array_submissions(jobs, {})) {
    for (const auto& reference : call.corresponding) {
      const auto parents = array_submissions(jobs, {})[*reference.submission].members;
      for (const auto& member : call.members) {
        EXPECT_TRUE(std::any_of(parents.begin(), parents.end(),
                                [&](const auto& parent) { return parent.index == member.index; }));
      }
    }
  }
}

TEST(Array, SeveralParentsInSeveralArrays) {
  // Each chain has two unlike jobs before the third, and two alike ones.
  EXPECT_EQ(calls({job(0), job(0, {}, "2:00"), job(1), job(1, {}, "2:00"), job(0, {0, 1}, "3:00"),
                   job(1, {2, 3}, "3:00")}),
            (Texts{"0,1", "0,1", "0,1 aftercorr:A:B"}));
  EXPECT_EQ(calls({job(0), job(0), job(1), job(1), job(0, {0, 1}), job(1, {2, 3})}),
            (Texts{"0,1", "0,1", "0,1 aftercorr:A:B"}));
}

TEST(Array, JobsOfSeveralChainsWaitForExactlyTheirOwn) {
  // Job 3 holds steps of the chains 0 and 1, job 4 of 2; the last two wait for both.
  EXPECT_EQ(calls({job(0), job(1), job(2), job(7, {0, 1}), job(8, {2})}),
            (Texts{"0-2", "one afterok:A_0:A_1", "one afterok:A_2"}));
  EXPECT_EQ(calls({job(7), job(0, {0}), job(1, {0})}), (Texts{"one", "0,1 afterok:A"}));
}

TEST(Array, ChunksAtMaxArraySize) {
  ArrayOptions options;
  options.max_array_size = 2;  // indices 0 and 1
  std::vector<ArrayJob> jobs;
  for (std::int64_t chain = 0; chain < 5; ++chain) jobs.push_back(job(chain));
  for (std::size_t chain = 0; chain < 5; ++chain) {
    jobs.push_back(job(static_cast<std::int64_t>(chain), {chain}));
  }
  EXPECT_EQ(calls(jobs, options),
            (Texts{"0,1", "0,1", "one", "0,1 aftercorr:A", "0,1 aftercorr:B", "one afterok:C"}));
  options.max_array_size = 0;
  EXPECT_EQ(calls({job(0), job(1)}, options), (Texts{"one", "one"}));
}

TEST(Array, JobsThatSlurmHasAlready) {
  std::vector<ArrayJob> jobs = {job(4), job(5), job(6)};
  jobs[0].after_queued = {{"90", 4}};
  jobs[1].after_queued = {{"90", 5}};
  jobs[2].after_queued = {{"91", std::nullopt}};
  EXPECT_EQ(calls(jobs), (Texts{"4,5 aftercorr:90", "one afterok:91"}));
  jobs[1].after_queued = {{"90", 6}};
  EXPECT_EQ(calls(jobs), (Texts{"one afterok:90_4", "one afterok:90_6", "one afterok:91"}));
}

TEST(Array, MaxRunningIsShared) {
  ArrayOptions options;
  options.max_running = 4;
  std::vector<ArrayJob> jobs;
  for (std::int64_t chain = 0; chain < 6; ++chain) jobs.push_back(job(chain));
  for (std::int64_t chain = 0; chain < 3; ++chain) jobs.push_back(job(chain, {}, "2:00"));
  EXPECT_EQ(calls(jobs, options), (Texts{"0-5%3", "0-2%1"}));
  options.max_running = 100;
  EXPECT_EQ(calls(jobs, options), (Texts{"0-5", "0-2"}));
  options.max_running = 1;
  EXPECT_EQ(calls(jobs, options), (Texts{"0-5%1", "0-2%1 afterany:A"}));
  options.still_there = {"70", "71"};
  EXPECT_EQ(calls(jobs, options), (Texts{"0-5%1 afterany:70:71", "0-2%1 afterany:A"}));
}

// However the calls are, what can run at once is within the limit: calls that no afterany orders
// share it.
TEST(Array, NeverMoreThanMaxRunning) {
  for (int most = 1; most <= 12; ++most) {
    std::vector<ArrayJob> jobs;
    for (std::int64_t kind = 1; kind <= 7; ++kind) {
      for (std::int64_t chain = 0; chain < kind; ++chain) {
        jobs.push_back(job(chain, {}, std::to_string(kind).c_str()));
      }
    }
    ArrayOptions options;
    options.max_running = most;
    std::vector<int> lane_most;  // of each lane, by its last call
    std::vector<std::size_t> lane_of;
    const auto all = array_submissions(jobs, options);
    std::size_t jobs_seen = 0;
    for (const ArraySubmission& call : all) {
      const int size = static_cast<int>(call.members.size());
      jobs_seen += call.members.size();
      const int running = call.most_running > 0 ? std::min(call.most_running, size) : size;
      std::size_t lane = lane_most.size();
      if (call.ended.empty()) {
        lane_most.push_back(0);
      } else {
        lane = lane_of[*call.ended.front().submission];
      }
      lane_of.push_back(lane);
      lane_most[lane] = std::max(lane_most[lane], running);
    }
    int sum = 0;
    for (const int lane : lane_most) sum += lane;
    EXPECT_LE(sum, most);
    EXPECT_EQ(jobs_seen, jobs.size());
  }
}

TEST(Array, ScriptsStaySmall) {
  ArrayScript array{
      "n", "/runs/50% of it", array_log_path("n", "%a"), {"--time=1"}, {{3, "scripts/a b.sh"}}};
  const auto text = array_script(array);
  ASSERT_TRUE(text.ok()) << text.error().text;
  EXPECT_EQ(*text, R"(#!/usr/bin/env bash
#SBATCH --job-name=n
#SBATCH --output="/runs/50%% of it/arrays/n/%a.log"
#SBATCH --time=1
# Written by sbatch-tasks: each element runs the script of one job of the run.
run_dir='/runs/50% of it'
case $SLURM_ARRAY_TASK_ID in
3) script='scripts/a b.sh' ;;
*) echo "compute-scale: no element $SLURM_ARRAY_TASK_ID in this array" >&2 && exit 3 ;;
esac
exec bash "$run_dir/$script" "$@"
)");
  for (std::int64_t i = 0; i < 60000; ++i) array.elements.push_back({i, std::string(80, 'x')});
  const auto large = array_script(array);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().kind, ErrorKind::kSite);
  array.run_dir = "/a\\b";
  EXPECT_FALSE(array_script(array).ok());
}

TEST(Array, TenThousandJobsOfLongNamesFit) {
  std::vector<ArrayJob> jobs;
  for (std::int64_t chain = 0; chain < 25000; ++chain) jobs.push_back(job(chain));
  ArrayOptions options;
  options.max_array_size = 4000001;
  const auto all = array_submissions(jobs, options);
  ASSERT_EQ(all.size(), 3u);
  for (const ArraySubmission& call : all) {
    ArrayScript array{"n", "/r", "o", {}, {}};
    for (const auto& member : call.members) {
      array.elements.push_back({member.index, "scripts/" + std::string(200, 'x') + ".sh"});
    }
    EXPECT_TRUE(array_script(array).ok());
    EXPECT_LT(array_indices(call).size(), 128u * 1024);
  }
}

}  // namespace
}  // namespace compute_scale
