// What a site permits, through the C face: the plugin's config= is the site's, COMPUTE_SCALE_CONFIG
// the user's.
#include "site_limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/client_site.h"

namespace compute_scale {
namespace {

constexpr char kSite[] =
    "tasks_dir: tasks\n"
    "hardware:\n"
    "  h100: {compute_scale: 1, partitions: [old, mixed]}\n"
    "  h200: {compute_scale: 0.5, partitions: [New, mixed]}\n"
    "  b200: {compute_scale: 0.25, partitions: [newest]}\n";

Submission to_partition(const std::string& scale, const std::string& partition) {
  Submission submission;
  submission.scale = scale;
  submission.entry = "llm/train";
  submission.request = partition.empty() ? "" : "partition=" + partition;
  return submission;
}

// "gres=gpu:2", or what refuses it.
std::string result(const Site& site, const Submission& submission) {
  return shown(submit(site, submission));
}

std::string refusal(const Site& site, const std::string& scale, const std::string& has) {
  return "refused: --compute-scale: " + scale + ": the partition " + has + " (hardware in " +
         site.path("site.yaml") + ")";
}

TEST(SiteLimits, APartitionTakesItsOwnHardwareOnly) {
  const Site site;
  site.config(kSite);
  for (const char* scale : {"h200", "0.5", "H200", "auto"}) {
    for (const char* partition : {"new", "NEW", "new,unlisted"}) {
      if (std::string(scale) == "auto" && std::string(partition) == "new,unlisted") continue;
      EXPECT_EQ(result(site, to_partition(scale, partition)), "gres=gpu:2") << partition;
    }
  }
  for (const char* partition : {"mixed", "unlisted", ""}) {
    EXPECT_EQ(result(site, to_partition("h200", partition)), "gres=gpu:2") << partition;
  }
  const std::string old = "\"old\" has h100 (1)";
  EXPECT_EQ(result(site, to_partition("h200", "old")), refusal(site, "h200 (0.5)", old));
  EXPECT_EQ(result(site, to_partition("0.5", "new,old")), refusal(site, "h200 (0.5)", old));
  EXPECT_EQ(result(site, to_partition("0.7", "new")),
            refusal(site, "0.7", "\"new\" has h200 (0.5)"));
  EXPECT_EQ(result(site, to_partition("b200", "mixed")),
            refusal(site, "b200 (0.25)", "\"mixed\" has h100 (1) and h200 (0.5)"));
  // By the type of GPU, the request is for another hardware than the partition's.
  Submission typed = to_partition("auto", "old");
  typed.request += " gres=gpu:h200:4";
  EXPECT_EQ(result(site, typed), refusal(site, "h200 (0.5)", old));
}

TEST(SiteLimits, ScaleOneFitsEverywhere) {
  const Site site;
  site.config(kSite);
  for (const char* scale : {"1", "h100"}) {
    for (const char* partition : {"old", "new", "mixed", "newest"}) {
      EXPECT_EQ(result(site, to_partition(scale, partition)), "") << partition;
    }
  }
}

TEST(SiteLimits, RequestsWithoutAPartitionGoToTheDefaultOne) {
  const Site site;
  site.config(std::string(kSite) + "slurm: {default_partition: new}\n");
  EXPECT_EQ(result(site, to_partition("auto", "")), "gres=gpu:2");
  EXPECT_EQ(result(site, to_partition("b200", "")),
            refusal(site, "b200 (0.25)", "\"new\" has h200 (0.5)"));
  EXPECT_EQ(result(site, to_partition("b200", "newest")).rfind("refused", 0), std::string::npos);
}

TEST(SiteLimits, AStepIsInThePartitionOfItsJob) {
  const Site site;
  site.config(kSite);
  Submission step = to_partition("0.5", "");
  step.command = "srun";
  step.step = true;
  step.environment = {"SLURM_JOB_PARTITION=old"};
  EXPECT_EQ(result(site, step), refusal(site, "h200 (0.5)", "\"old\" has h100 (1)"));
}

TEST(SiteLimits, AUsersConfigDoesNotLiftThem) {
  const Site site;
  site.config(std::string(kSite) + "slurm: {default_partition: old}\n");
  site.write("user.yaml",
             "hardware:\n  h200: {compute_scale: 0.5, partitions: [old]}\n"
             "  b200: {compute_scale: 0.5}\n"
             "slurm: {default_partition: new}\n");
  for (const char* partition : {"old", ""}) {
    Submission submission = to_partition("h200", partition);
    submission.user_config = site.path("user.yaml");
    EXPECT_EQ(result(site, submission), refusal(site, "h200 (0.5)", "\"old\" has h100 (1)"));
  }
  // The name is the site's, the factor is not.
  Submission other = to_partition("b200", "newest");
  other.user_config = site.path("user.yaml");
  EXPECT_EQ(result(site, other), refusal(site, "b200 (0.5)", "\"newest\" has b200 (0.25)"));
}

struct PolicyCase {
  std::string site, user, option, expected;
};

TEST(SiteLimits, Unprofiled) {
  const Site site;
  const std::string some =
      "this site allows keep, refuse (unprofiled_allowed in " + site.path("site.yaml") + ")";
  const std::string forced =
      "this site allows scale (unprofiled_allowed in " + site.path("site.yaml") + ")";
  const std::vector<PolicyCase> cases = {
      {"unprofiled_allowed: [keep, refuse]", "", "", ""},
      {"unprofiled_allowed: [keep, refuse]", "", "keep", ""},
      {"unprofiled_allowed: [keep, refuse]", "", "scale",
       "refused: --compute-unprofiled: \"scale\": " + some},
      {"unprofiled_allowed: [keep, refuse]", "unprofiled: scale", "",
       "refused: unprofiled of the config: \"scale\": " + some},
      // The option counts, not what it takes the place of.
      {"unprofiled_allowed: [keep, refuse]", "unprofiled: scale", "keep", ""},
      // The first is the default; a single one is forced.
      {"unprofiled_allowed: [scale]", "", "", "gres=gpu:2"},
      {"unprofiled_allowed: [scale, keep]", "", "", "gres=gpu:2"},
      {"unprofiled_allowed: [scale, keep]\nunprofiled: keep", "", "", ""},
      {"unprofiled_allowed: [scale]", "unprofiled: keep", "",
       "refused: unprofiled of the config: \"keep\": " + forced},
      {"unprofiled_allowed: [scale]", "", "keep",
       "refused: --compute-unprofiled: \"keep\": " + forced},
      {"", "unprofiled_allowed: [scale]", "scale",
       "refused: " + site.path("user.yaml") +
           ": unprofiled_allowed: only the site's config may have this key"},
      {"unprofiled_allowed: null", "unprofiled: scale", "", "gres=gpu:2"},
  };
  for (const PolicyCase& c : cases) {
    site.config(c.site + "\n");
    site.write("user.yaml", c.user + "\n");
    Submission submission;
    submission.scale = "0.5";
    submission.request = "gres=gpu:4";
    if (!c.option.empty()) submission.unprofiled = c.option;
    if (!c.user.empty()) submission.user_config = site.path("user.yaml");
    EXPECT_EQ(shown(submit(site, submission)), c.expected) << c.site << " | " << c.user;
  }
}

}  // namespace
}  // namespace compute_scale
