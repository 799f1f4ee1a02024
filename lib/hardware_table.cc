#include "hardware_table.h"

#include <optional>
#include <string>

#include "text.h"

namespace compute_scale {
namespace {

Result<ScaleFactor> read_factor(const DocField& field) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  const Result<ScaleFactor> factor = ScaleFactor::parse(text);
  if (!factor.ok()) return field.placed(factor.error());
  return *factor;
}

struct Draft {
  std::optional<ScaleFactor> scale;
  std::vector<std::string> gres_types, partitions;
};

constexpr DocKey<Draft> kHardwareKeys[] = {
    {"compute_scale", [](const DocField& f, Draft& h) { return assign(read_factor(f), h.scale); }},
    {"gres_types", [](const DocField& f, Draft& h) { return assign(read_lines(f), h.gres_types); }},
    {"partitions", [](const DocField& f, Draft& h) { return assign(read_lines(f), h.partitions); }},
};

Result<Hardware> read_one_hardware(const DocField& field) {
  const std::string name = to_lower(field.key());
  if (!is_hardware_name(name)) {
    return field.problem(quoted(field.key()) +
                         ": not a hardware name: expected letters, digits, '_', '.' and '-', not "
                         "\"auto\" and no number");
  }
  COMPUTE_SCALE_CHECK(expect_map(field, "a map such as {compute_scale: 0.5}"));
  Draft draft;
  COMPUTE_SCALE_CHECK(read_map(field, kHardwareKeys, draft));
  if (!draft.scale) return field.problem("the key \"compute_scale\" is missing");
  return Hardware{name, *draft.scale, std::move(draft.gres_types), std::move(draft.partitions)};
}

}  // namespace

Result<std::vector<Hardware>> read_hardware_table(const DocField& field) {
  COMPUTE_SCALE_CHECK(expect_map(field, "a map such as {h200: {compute_scale: 0.5}}"));
  std::vector<Hardware> table;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(hardware, read_one_hardware(field.item(i)));
    for (const Hardware& known : table) {
      if (known.name == hardware.name) {
        return field.item(i).problem("the hardware " + quoted(known.name) + " is there twice");
      }
    }
    table.push_back(std::move(hardware));
  }
  return table;
}

}  // namespace compute_scale
