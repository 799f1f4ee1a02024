#include "task_extras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>

#include "task_entry.h"
#include "text.h"

namespace compute_scale {
namespace {

using Kind = DocValue::Kind;
using Labels = std::vector<std::string>;

constexpr DocKey<Baseline> kBaselineKeys[] = {
    {"name", [](const DocField& f, Baseline& b) { return assign(read_line(f), b.name); }},
    {"cmd", [](const DocField& f, Baseline& b) { return assign(read_command(f), b.cmd); }},
    {"labels", [](const DocField& f, Baseline& b) { return assign(read_lines(f), b.labels); }},
    {"env", [](const DocField& f, Baseline& b) { return assign(read_env(f), b.env); }},
};

// A block has keys of the benchmark (edit_ops, …) that are no business of ours.
Status read_baseline_block(const DocField& block, const Labels& labels, Baseline& baseline) {
  COMPUTE_SCALE_CHECK(read_open_map(block, kBaselineKeys, baseline));
  for (const std::string& label : baseline.labels) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      return block.problem("\"labels\": no entry has the label " + quoted(label) +
                           did_you_mean(label, labels));
    }
  }
  return Done{};
}

// An element of a list (a name or a block with one), or a member of a map (a block by its name).
Result<Baseline> read_baseline(const DocField& field, const Labels& labels) {
  Baseline baseline;
  baseline.name = field.key();
  if (field.value().kind == Kind::kMap) {
    COMPUTE_SCALE_CHECK(read_baseline_block(field, labels, baseline));
    if (baseline.name.empty()) return field.problem("the key \"name\" is missing");
  } else if (!baseline.name.empty()) {
    return field.expected("an object, such as {\"cmd\": \"scripts/baseline.sh\"}");
  } else {
    COMPUTE_SCALE_CHECK(assign(read_line(field), baseline.name));
  }
  return baseline;
}

}  // namespace

Result<std::vector<Baseline>> read_baselines(const DocField& field, const Labels& labels) {
  if (field.value().is_scalar()) {
    return field.expected("a list of names or an object of baselines by name");
  }
  std::vector<Baseline> baselines;
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(baseline, read_baseline(field.item(i), labels));
    if (!names.insert(baseline.name).second) {
      return field.item(i).problem("the baseline " + quoted(baseline.name) + " is there twice");
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

namespace {

constexpr std::int64_t kLastLine = std::numeric_limits<std::int64_t>::max();

struct RawRange {
  std::string start, end;
};

// A range and where it was written.
struct PlacedRange {
  EditRange range;
  DocField place;

  std::int64_t last() const { return range.end == -1 ? kLastLine : range.end; }
  std::string lines() const {
    return std::to_string(range.start) + " to " +
           (range.end == -1 ? "the end" : std::to_string(range.end));
  }
};

constexpr DocKey<RawRange> kRangeKeys[] = {
    {"start",
     [](const DocField& f, RawRange& r) -> Status {
       r.start = f.value().text;
       return Done{};
     }},
    {"end",
     [](const DocField& f, RawRange& r) -> Status {
       r.end = f.value().text;
       return Done{};
     }},
};

// -1 stands for the end of the file; the benchmark writes the whole file as -1 to -1.
Result<EditRange> read_range(const DocField& field, const std::string& file) {
  COMPUTE_SCALE_CHECK(expect_map(field, "a range, {\"start\": 1, \"end\": -1}"));
  RawRange raw;
  COMPUTE_SCALE_CHECK(read_map(field, kRangeKeys, raw));
  if (raw.start == "-1" && raw.end == "-1") return EditRange{file, 1, -1};
  const auto start = parse_whole(raw.start);
  const auto end = raw.end == "-1" ? std::optional<std::int64_t>(-1) : parse_whole(raw.end);
  if (!start || !end || *start < 1 || (*end != -1 && *end < *start)) {
    return field.problem("start " + quoted(raw.start) + ", end " + quoted(raw.end) +
                         ": expected 1 <= start <= end, or end -1 for the end of the file");
  }
  return EditRange{file, *start, *end};
}

// The file of one element of `files`; its name stands under `filename` or `path`.
Result<std::string> read_file_name(const DocField& field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    const DocField member = field.item(i);
    if (member.key() == "filename" || member.key() == "path") return read_line(member);
  }
  return field.problem("the key \"filename\" is missing");
}

Status read_ranges_of(const DocField& field, std::vector<PlacedRange>& ranges) {
  COMPUTE_SCALE_CHECK(expect_map(field, "an object with \"filename\" and \"edit\""));
  COMPUTE_SCALE_TRY(file, read_file_name(field));
  for (std::size_t i = 0; i < field.size(); ++i) {
    const DocField edit = field.item(i);
    if (edit.key() != "edit") continue;
    COMPUTE_SCALE_CHECK(expect_list(edit, "a list of ranges"));
    for (std::size_t j = 0; j < edit.size(); ++j) {
      COMPUTE_SCALE_TRY(range, read_range(edit.item(j), file));
      ranges.push_back({std::move(range), edit.item(j)});
    }
  }
  return Done{};
}

Status check_overlaps(std::vector<PlacedRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const PlacedRange& a, const PlacedRange& b) {
    return std::tie(a.range.file, a.range.start) < std::tie(b.range.file, b.range.start);
  });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const PlacedRange& before = ranges[i - 1];
    const PlacedRange& next = ranges[i];
    if (before.range.file == next.range.file && next.range.start <= before.last()) {
      return next.place.problem("lines " + next.lines() + " overlap lines " + before.lines() +
                                " (" + before.place.path() + ")");
    }
  }
  return Done{};
}

}  // namespace

Result<std::vector<EditRange>> read_edit_ranges(const DocField& files) {
  COMPUTE_SCALE_CHECK(expect_list(files, "a list of files"));
  std::vector<PlacedRange> ranges;
  for (std::size_t i = 0; i < files.size(); ++i) {
    COMPUTE_SCALE_CHECK(read_ranges_of(files.item(i), ranges));
  }
  COMPUTE_SCALE_CHECK(check_overlaps(ranges));
  std::vector<EditRange> plain;
  plain.reserve(ranges.size());
  for (PlacedRange& placed : ranges) plain.push_back(std::move(placed.range));
  return plain;
}

}  // namespace compute_scale
