#include "gpu_view.h"

#include <algorithm>

#include "text.h"

namespace compute_scale {
namespace {

struct OptionKind {
  const char* name;
  GpuUnit unit;
  bool names_resources;  // a list of name:count, not of counts
};

constexpr OptionKind kKinds[] = {
    {"gres", GpuUnit::kPerNode, true},
    {"gpus-per-node", GpuUnit::kPerNode, false},
    {"gpus-per-socket", GpuUnit::kPerSocket, false},
    {"gpus", GpuUnit::kTotal, false},
    {"gpus-per-task", GpuUnit::kPerTask, false},
    {"tres-per-task", GpuUnit::kPerTask, true},
};

// Slurm writes the prefixes of --gres itself; those of --tres-per-task belong to its grammar.
GresPrefix prefix_of(const std::string& option) {
  return option == "gres" ? GresPrefix::kDrop : GresPrefix::kKeep;
}

}  // namespace

std::string GpuView::to_string() const {
  return "--" + option + "=" + printable(compute_scale::to_string(items, prefix_of(option)), 200);
}

Result<std::optional<GpuView>> read_gpu_view(const RequestOption& option) {
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const OptionKind& k) { return option.name == k.name; });
  if (kind == std::end(kKinds)) return std::optional<GpuView>();
  if (kind->names_resources && is_gres_keyword(option.value)) return std::optional<GpuView>();
  Result<std::vector<GresItem>> items =
      kind->names_resources ? parse_gres(option.value) : parse_gpu_counts(option.value);
  if (!items) return at("--" + option.name, items.error());
  if (std::none_of(items->begin(), items->end(), [](const GresItem& i) { return i.is_gpu(); })) {
    return std::optional<GpuView>();
  }
  GpuView view;
  view.option = option.name;
  view.unit = kind->unit;
  view.items = *std::move(items);
  view.inherited = option.from_environment;
  if (view.count() > kMostGpus) {
    return usage_error(view.to_string() + " asks for more than 1,000,000 GPUs");
  }
  return std::optional<GpuView>(std::move(view));
}

std::map<std::string, std::int64_t> gpus_by_type(const GpuView& view) {
  std::map<std::string, std::int64_t> types;
  for (const GresItem& item : view.items) {
    if (item.is_gpu()) types[item.type] += item.count;
  }
  return types;
}

Result<std::string> view_at(const GpuView& view, std::int64_t count) {
  const std::int64_t before = view.count();
  const auto gpu_items = std::count_if(view.items.begin(), view.items.end(),
                                       [](const GresItem& item) { return item.is_gpu(); });
  std::vector<GresItem> items = view.items;
  for (GresItem& item : items) {
    if (!item.is_gpu()) continue;
    if (gpu_items == 1) {
      item = with_count(item, count);
    } else if (before > 0 && item.count * count % before == 0) {
      item = with_count(item, item.count * count / before);
    } else {
      return site_error(view.to_string() + ": its parts cannot keep their proportion at " +
                        std::to_string(count) + " instead of " + std::to_string(before) + " GPUs");
    }
  }
  return to_string(items, prefix_of(view.option));
}

}  // namespace compute_scale
