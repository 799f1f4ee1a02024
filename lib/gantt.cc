#include "gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "run_layout.h"
#include "text.h"

namespace compute_scale {
namespace {

// All lengths in pixels.
constexpr double kLeft = 64;
constexpr double kTop = 64;
constexpr double kWidth = 1400;  // of the time axis
constexpr double kRow = 34;
constexpr double kGap = 4;  // between rows
constexpr double kLegendRow = 18;
constexpr std::size_t kLegendColumns = 4;

// Text for an XML document, whatever a label holds.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 200)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  // Two characters that XML does not know.
  for (const char* unknown : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t i = out.find(unknown); i != std::string::npos; i = out.find(unknown, i)) {
      out.replace(i, 3, "?");
    }
  }
  return out;
}

// Neighbours in the list are far from each other on the colour circle; where it comes round, other
// tones of nearly the same colour follow.
std::string colour(std::size_t task) {
  const std::size_t hue = task * 137 % 360;
  const std::size_t strength = 45 + task % 2 * 30;
  const std::size_t light = 42 + task / 21 % 3 * 16;
  return fmt::format("hsl({},{}%,{}%)", hue, strength, light);
}

std::string hours_text(std::int64_t minutes) {
  return fmt::format("{}:{:02}", minutes / 60, minutes % 60);
}

// A distance between the marks of the time axis, so that there are at most about 14.
std::int64_t hours_per_mark(std::int64_t minutes) {
  for (const std::int64_t hours : {1, 2, 3, 6, 12, 24, 48}) {
    if (minutes <= hours * 60 * 14) return hours;
  }
  return (minutes / 60 / 14 / 24 + 1) * 24;
}

class Picture {
 public:
  Picture(const Plan& plan, const Schedule& schedule) : plan_(plan), schedule_(schedule) {}

  std::string text() {
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) add_job(i);
    const std::string body = std::move(out_);
    const double bottom = row_top(schedule_.devices);
    const std::size_t legend_rows = (plan_.tasks.size() + kLegendColumns - 1) / kLegendColumns;
    const double height = bottom + 40 + kLegendRow * static_cast<double>(legend_rows + 1);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kLeft + kWidth + 20, height);
    add_title();
    add_axes(bottom);
    out_ += body;
    add_legend(bottom + 40);
    return out_ + "</svg>\n";
  }

 private:
  double x(std::int64_t minutes) const {
    const auto all = static_cast<double>(std::max<std::int64_t>(schedule_.minutes, 1));
    return kLeft + kWidth * static_cast<double>(minutes) / all;
  }
  static double row_top(int device) { return kTop + (kRow + kGap) * device; }

  void add_text(double left, double top, const std::string& attributes, std::string_view text) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", left, top, attributes,
                        xml(text));
  }

  void add_title() {
    const auto without = std::count_if(plan_.jobs.begin(), plan_.jobs.end(),
                                       [](const Job& job) { return job.devices == 0; });
    std::string title = counted(static_cast<std::int64_t>(plan_.tasks.size()), "task") + " at " +
                        plan_.scale.factor.to_string() + ", --pack=" + to_string(plan_.pack) +
                        ": " + counted(static_cast<std::int64_t>(plan_.jobs.size()), "job") +
                        " on " + counted(schedule_.devices, "device") + ", " +
                        hours_text(schedule_.minutes) + " hours if each takes its whole limit";
    if (without > 0) title += "; " + counted(without, "job") + " without GPU not shown";
    add_text(kLeft, 22, " font-size=\"15\"", title);
    add_text(kLeft, 40, " fill=\"#555\"",
             "frame: a job, with the number of its stage; height: share of the device; white in a "
             "frame: requested and not used");
  }

  void add_axes(double bottom) {
    for (int device = 0; device < schedule_.devices; ++device) {
      out_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#eee\"/>\n",
          kLeft, row_top(device), kWidth, kRow);
      add_text(kLeft - 6, row_top(device) + kRow / 2 + 4, " text-anchor=\"end\"",
               "GPU " + std::to_string(device));
    }
    const std::int64_t step = hours_per_mark(schedule_.minutes);
    for (std::int64_t hour = 0; hour * 60 <= schedule_.minutes; hour += step) {
      out_ += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#bbb\"/>\n",
          x(hour * 60), kTop - 6, bottom);
      add_text(x(hour * 60), kTop - 8, " text-anchor=\"middle\"", std::to_string(hour) + " h");
    }
  }

  void add_job(std::size_t index) {
    const Job& job = plan_.jobs[index];
    const Placement& place = schedule_.jobs[index];
    std::string frames;
    for (const int device : place.devices) {
      frames += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" ",
                            x(place.start), row_top(device), x(place.end) - x(place.start), kRow);
      out_ += frames.substr(frames.rfind("<rect")) + "fill=\"white\"/>\n";
      frames += "fill=\"none\" stroke=\"#222\"/>\n";
    }
    std::map<int, double> used;  // of each device of the job, from the top
    for (const Lane& lane : job.lanes) add_lane(job, place, lane, used);
    out_ += frames;
    add_stage_numbers(job, place);
  }

  void add_stage_numbers(const Job& job, const Placement& place) {
    if (place.devices.empty() || x(place.end) - x(place.start) < 12) return;
    const std::size_t step = job.lanes.front().steps.front();
    const int stage = plan_.entries[plan_.steps[step].entry].stage;
    add_text(x(place.start) + 3, row_top(place.devices.front()) + 12,
             " font-weight=\"bold\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"",
             std::to_string(stage + 1));
  }

  void add_lane(const Job& job, const Placement& place, const Lane& lane,
                std::map<int, double>& used) {
    GpuAmount largest;
    for (const std::size_t step : lane.steps) {
      largest = std::max(largest, plan_.entries[plan_.steps[step].entry].entry.compute);
    }
    for (const int position : lane.devices) {
      const int device = place.devices[static_cast<std::size_t>(position)];
      double& offset = used[device];
      std::int64_t start = place.start;
      for (const std::size_t step : lane.steps) {
        add_step(job, plan_.steps[step], start, row_top(device) + offset);
        start += plan_.entries[plan_.steps[step].entry].entry.time.minutes;
      }
      offset += height(largest);
    }
  }

  static double height(GpuAmount amount) {
    return kRow * static_cast<double>(std::min(amount, GpuAmount::whole(1)).micro()) / 1e6;
  }

  void add_step(const Job& job, const Step& step, std::int64_t start, double top) {
    const PlanEntry& planned = plan_.entries[step.entry];
    const std::int64_t end = start + planned.entry.time.minutes;
    const std::string title = entry_name(plan_, step) + " seed " + std::to_string(step.seed) +
                              ", stage " + std::to_string(planned.stage + 1) + ", " +
                              planned.entry.compute.to_string() + " GPU, " + hours_text(start) +
                              " to " + hours_text(end) + ", job " + job.name;
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.1f}\" height=\"{:.2f}\" fill=\"{}\" "
        "stroke=\"white\" stroke-width=\"0.5\"><title>{}</title></rect>\n",
        x(start), top, x(end) - x(start), height(planned.entry.compute), colour(planned.task),
        xml(title));
  }

  void add_legend(double top) {
    const double column = kWidth / static_cast<double>(kLegendColumns);
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) {
      const double left = kLeft + column * static_cast<double>(i % kLegendColumns);
      const std::size_t row = i / kLegendColumns;
      const double y = top + kLegendRow * static_cast<double>(row);
      out_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                      left, y, colour(i));
      add_text(left + 18, y + 11, "", printable(plan_.tasks[i].name, 44));
    }
  }

  const Plan& plan_;
  const Schedule& schedule_;
  std::string out_;
};

}  // namespace

std::string gantt_svg(const Plan& plan, const Schedule& schedule) {
  return Picture(plan, schedule).text();
}

}  // namespace compute_scale
