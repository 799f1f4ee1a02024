// Reading JSON that this program wrote itself: members by name, into whatever type stands there.
// Unknown members are passed over, so that a later release may add some.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_MEMBERS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_MEMBERS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "doc_field.h"
#include "result.h"

namespace compute_scale {

inline Status read_value(const DocField& field, std::string& target) {
  if (field.value().kind != DocValue::Kind::kText) return field.expected("a text");
  target = field.value().text;
  return Done{};
}

inline Status read_value(const DocField& field, bool& target) {
  return assign(read_bool(field), target);
}

template <typename Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
Status read_value(const DocField& field, Number& target) {
  constexpr std::int64_t kMost = sizeof(Number) < 8 ? std::numeric_limits<std::int32_t>::max()
                                                    : std::numeric_limits<std::int64_t>::max();
  COMPUTE_SCALE_TRY(value, read_whole(field, 0, kMost));
  target = static_cast<Number>(value);
  return Done{};
}

template <typename Item>
Status read_value(const DocField& field, std::optional<Item>& target) {
  return read_value(field, target.emplace());
}

// Reads the members of one object and keeps the first problem.
class Members {
 public:
  explicit Members(const DocField& map) : map_(map), status_(expect_map(map, "an object")) {}

  // A member that has to be there.
  template <typename Target>
  Members& need(const char* name, Target& target) {
    return read(name, target, true);
  }
  // One that may be absent or null.
  template <typename Target>
  Members& may(const char* name, Target& target) {
    return read(name, target, false);
  }
  Status status() const { return status_; }

 private:
  template <typename Target>
  Members& read(const char* name, Target& target, bool needed);

  DocField map_;
  Status status_;
};

// Types of one's own have a `Status read_value(const DocField&, Type&)` in this namespace.
template <typename Item>
Status read_value(const DocField& field, std::vector<Item>& target) {
  COMPUTE_SCALE_CHECK(expect_list(field, "a list"));
  target.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    Item item{};
    COMPUTE_SCALE_CHECK(read_value(field.item(i), item));
    target.push_back(std::move(item));
  }
  return Done{};
}

template <typename Target>
Members& Members::read(const char* name, Target& target, bool needed) {
  if (!status_.ok()) return *this;
  for (std::size_t i = 0; i < map_.size(); ++i) {
    const DocField field = map_.item(i);
    if (field.key() != name || field.value().kind == DocValue::Kind::kNull) continue;
    status_ = read_value(field, target);
    return *this;
  }
  if (needed) status_ = map_.problem(std::string("no \"") + name + "\"");
  return *this;
}

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_MEMBERS_H_
