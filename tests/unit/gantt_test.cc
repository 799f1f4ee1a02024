#include "gantt.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace compute_scale {
namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++count;
  return count;
}

std::string picture(const Plan& plan, int devices) {
  return gantt_svg(plan, schedule(plan, devices));
}

TEST(Gantt, ShowsEveryStepOnItsDevicesInTheHeightOfItsShare) {
  const Plan plan = sample_plan({sample_task("t", R"([
      {"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.5, "time": "2:00:00"},
      {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0.25, "time": "1:00:00"},
      {"cmd": "c.sh", "label": "c", "group": 2, "compute": 2}])")},
                                "1");
  const std::string svg = picture(plan, 2);
  EXPECT_EQ(occurrences(svg, "<title>t/a seed 42, stage 1, 0.5 GPU, 0:00 to 2:00, job t-g1-s42<"),
            1u);
  EXPECT_EQ(occurrences(svg, "<title>t/c seed 42, stage 2, 2 GPU, 2:00 to 3:00, job t-g2-s42<"),
            2u);
  EXPECT_EQ(occurrences(svg, "height=\"17.00\""), 1u);  // half a row
  EXPECT_EQ(occurrences(svg, "height=\"8.50\""), 1u);
  EXPECT_EQ(occurrences(svg, "height=\"34.00\""), 2u);
  EXPECT_EQ(occurrences(svg, ">GPU 1<"), 1u);
  EXPECT_EQ(occurrences(svg, ">3 h<"), 1u);
}

TEST(Gantt, HostileLabelsAreText) {
  PlanTask task = sample_task("t", R"([{"cmd": "a.sh", "label": "x"}])");
  task.name = "<script>\"'&\x01\xff\xEF\xBF\xBF";
  task.entries[0].label = "]]></title>";
  const std::string svg = picture(sample_plan({task}, "1"), 1);
  EXPECT_EQ(occurrences(svg, "<script"), 0u);
  EXPECT_EQ(occurrences(svg, "&lt;script&gt;&quot;'&amp;\\x01\\xff?"), 3u) << svg;
  EXPECT_EQ(occurrences(svg, "<title>"), occurrences(svg, "</title>"));
}

TEST(Gantt, JobsWithoutGpuAreCounted) {
  const Plan plan = sample_plan({sample_task("t", R"([{"cmd": "a.sh", "compute": 0}])")}, "1");
  EXPECT_EQ(occurrences(picture(plan, 1), "1 job without GPU not shown"), 1u);
  EXPECT_EQ(occurrences(picture(Plan(), 1), "</svg>"), 1u);
}

}  // namespace
}  // namespace compute_scale
