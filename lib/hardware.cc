#include "hardware.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "partition_list.h"
#include "text.h"

namespace compute_scale {
namespace {

using Table = std::vector<Hardware>;

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Hardware& hardware : table) names.push_back(hardware.name);
  return names;
}

std::string known_hardware(const Table& table) {
  return table.empty() ? "the site's config names no hardware"
                       : "the site has " + join(names_of(table), ", ");
}

bool lists(const std::vector<std::string>& names, const std::string& lowered) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return to_lower(name) == lowered; });
}

const Hardware* find_name(const Table& table, std::string_view name) {
  const std::string lowered = to_lower(name);
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Hardware& h) { return to_lower(h.name) == lowered; });
  return found == table.end() ? nullptr : &*found;
}

Scale scale_of(const Hardware& hardware) {
  return {hardware.scale, to_lower(hardware.name)};
}

Result<Scale> by_factor(ScaleFactor factor, const Table& table) {
  std::vector<const Hardware*> equal;
  for (const Hardware& hardware : table) {
    if (hardware.scale == factor) equal.push_back(&hardware);
  }
  if (equal.size() == 1) return scale_of(*equal[0]);
  // At 1 nothing depends on the hardware, so that it may stay open which one it is.
  if (equal.empty() || factor.is_one()) return Scale{factor, ""};
  return usage_error(quoted(factor.to_string()) + ": the factor of both " + equal[0]->name +
                     " and " + equal[1]->name + "; name the one that is meant");
}

// The hardware that every one of `values` (one or more) means; `lists_value` tells whether a
// hardware has one.
template <typename Lists>
Result<Scale> common_hardware(const std::vector<std::string>& values, const Table& table,
                              const std::string& what, const Lists& lists_value) {
  std::set<std::size_t> meant;  // by place in the table
  for (const std::string& value : values) {
    bool known = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!lists_value(table[i], to_lower(value))) continue;
      meant.insert(i);
      known = true;
    }
    if (!known) {
      return usage_error("\"auto\": no hardware has " + what + " " + quoted(value) + " (" +
                         known_hardware(table) + "); name the one that is meant");
    }
  }
  const Hardware& first = table[*meant.begin()];
  if (meant.size() == 1) return scale_of(first);
  return usage_error("\"auto\": the request's " + what + " means both " + first.name + " and " +
                     table[*std::next(meant.begin())].name + "; name the one that is meant");
}

Result<Scale> by_hints(const Table& table, const RequestHints& hints) {
  if (!hints.gres_types.empty()) {
    return common_hardware(hints.gres_types, table, "gres type",
                           [](const Hardware& hardware, const std::string& type) {
                             return to_lower(hardware.name) == type ||
                                    lists(hardware.gres_types, type);
                           });
  }
  const std::vector<std::string> partitions = partition_names(hints.partition);
  if (partitions.empty()) {
    return usage_error(
        "\"auto\": the request has neither a gres type nor a partition to tell the hardware by; "
        "name it (" +
        known_hardware(table) + ")");
  }
  return common_hardware(partitions, table, "partition",
                         [](const Hardware& hardware, const std::string& partition) {
                           return lists(hardware.partitions, partition);
                         });
}

// What a factor may be mistaken as; other texts are misspelt names.
bool looks_like_a_number(std::string_view text) {
  return text.empty() || std::string_view("0123456789.,+-").find(text[0]) != std::string_view::npos;
}

std::string with_factor(const std::string& name, ScaleFactor factor) {
  return name.empty() ? factor.to_string() : name + " (" + factor.to_string() + ")";
}

Status check_partition(const Scale& scale, const Table& table, const std::string& partition) {
  std::vector<std::string> has;
  for (const Hardware& hardware : table) {
    if (!lists(hardware.partitions, to_lower(partition))) continue;
    const std::string name = to_lower(hardware.name);
    if (name == scale.hardware && hardware.scale == scale.factor) return Done{};
    has.push_back(with_factor(name, hardware.scale));
  }
  if (has.empty()) return Done{};
  return site_error(with_factor(scale.hardware, scale.factor) + ": the partition " +
                    quoted(partition) + " has " + join(has, " and "));
}

}  // namespace

bool is_hardware_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !name.empty() && name[0] != '.' && name[0] != '-' && name != "auto" &&
         name.find_first_not_of(kLetters) == std::string_view::npos && !parse_decimal_micro(name);
}

Result<Scale> resolve_scale(std::string_view text, const std::vector<Hardware>& table,
                            const RequestHints& hints) {
  if (to_lower(text) == "auto") return by_hints(table, hints);
  if (const Hardware* named = find_name(table, text); named != nullptr) return scale_of(*named);
  const Result<ScaleFactor> factor = ScaleFactor::parse(text);
  if (factor.ok()) return by_factor(*factor, table);
  if (looks_like_a_number(text)) return factor.error();
  return usage_error(quoted(text) + ": no hardware of that name and not a factor such as 0.5 (" +
                     known_hardware(table) + ")" + did_you_mean(text, names_of(table)));
}

Status check_partitions(const Scale& scale, const std::vector<Hardware>& table,
                        const std::string& partitions) {
  if (scale.factor.is_one()) return Done{};
  for (const std::string& partition : partition_names(partitions)) {
    COMPUTE_SCALE_CHECK(check_partition(scale, table, partition));
  }
  return Done{};
}

}  // namespace compute_scale
