#include "run_layout.h"

#include <gtest/gtest.h>

#include <set>

namespace compute_scale {
namespace {

TEST(SafeName, Table) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"gpt-345m", "gpt-345m"},
      {"a.b_C", "a.b_C"},
      {"a/b", "a=2Fb"},
      {"..", "=2E."},
      {"-x", "=2Dx"},
      {"50%", "50=25"},
      {"a b", "a=20b"},
      {"a|b", "a=7Cb"},
      {"", "="},
      {"=", "=3D"},
      {"a=2Fb", "a=3D2Fb"},
      {"\n", "=0A"},
  };
  for (const auto& c : cases) EXPECT_EQ(safe_name(c.text), c.expected) << c.text;
}

TEST(SafeName, LongTextsStayDistinctAndShort) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(safe_name(std::string(5000, '/') + std::to_string(i)));
  EXPECT_EQ(names.size(), 100u);
  for (const std::string& name : names) EXPECT_LE(name.size(), 140u);
}

TEST(RunLayout, JobNamesDifferBetweenRunDirectories) {
  Job job;
  job.name = "t-g1-s42";
  EXPECT_EQ(slurm_job_name(job.name, "/runs/a"), slurm_job_name(job.name, "/runs/a"));
  EXPECT_NE(slurm_job_name(job.name, "/runs/a"), slurm_job_name(job.name, "/runs/b"));
  EXPECT_EQ(slurm_job_name(job.name, "/runs/a").substr(0, 9), "t-g1-s42.");
}

TEST(RunLayout, OutputIsThePlaceOfTaskRunAndSeed) {
  EXPECT_EQ(output_dir("/results", "t", "r1", 3), "/results/t/r1/seed_3");
}

}  // namespace
}  // namespace compute_scale
