// Typed reading of a document's values, with errors that name the place: "file: /pointer" in JSON,
// "file:line: key.key" in YAML.
#ifndef COMPUTE_SCALE_LIB_DOC_FIELD_H_
#define COMPUTE_SCALE_LIB_DOC_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doc_value.h"
#include "entry.h"
#include "result.h"

namespace compute_scale {

enum class DocFormat { kJson, kYaml };

// A value and where it is. It points into the document, which must outlive it.
class DocField {
 public:
  DocField(const DocValue& document, DocFormat format, const std::string& file);

  const DocValue& value() const { return *value_; }
  const std::string& key() const { return value_->key; }
  DocFormat format() const { return format_; }
  // The member or element number `index` of this map or list.
  DocField item(std::size_t index) const;
  std::size_t size() const { return value_->items.size(); }
  // A YAML null or empty text, which means "not set here".
  bool unset() const;

  // The place without the file: "/test_cmds/0/compute" or "slurm.qos".
  const std::string& path() const { return path_; }
  // An error at this place: "place: problem".
  Error problem(const std::string& text) const;
  // "place: value: expected …".
  Error expected(const std::string& what) const;
  // The same for an error of a parser that already quotes the value.
  Error placed(const Error& error) const;

 private:
  const DocValue* value_;
  DocFormat format_;
  const std::string* file_;
  std::string path_;
};

// Each returns the value, or expected(). A number may be written as a text ("2") and a whole number
// as 4.0. `read_line` wants a text that is not empty and has no control characters. `read_bool`
// takes true and false; in YAML also yes, no, on and off, in any case.
Result<std::string> read_line(const DocField& field);
// As read_line, but it may be empty.
Result<std::string> read_line_or_empty(const DocField& field);
Result<std::string> read_absolute_path(const DocField& field);
Result<std::int64_t> read_whole(const DocField& field, std::int64_t least, std::int64_t most);
Result<int> read_count(const DocField& field, int least = 1);
Result<bool> read_bool(const DocField& field);
Result<std::vector<std::string>> read_lines(const DocField& field);
// Different whole numbers >= 0.
Result<std::vector<std::int64_t>> read_seeds(const DocField& field);
// A map of [A-Za-z_][A-Za-z0-9_]* to a text or number; no SLURM_* and SPANK_*, which are Slurm's,
// and no setting too long for the kernel to hand to a program (128 KiB).
Result<EnvList> read_env(const DocField& field);

Status expect_map(const DocField& field, const std::string& what);
Status expect_list(const DocField& field, const std::string& what);

// "place: unknown key; did you mean …?", or the valid keys where none is near.
Error unknown_key(const DocField& field, const std::vector<std::string>& valid);
// unknown_key where a valid key is near.
Status refuse_misspelt(const DocField& field, const std::vector<std::string>& valid);

// A key of a map and how its value becomes part of Target.
template <typename Target>
struct DocKey {
  const char* name;
  Status (*read)(const DocField&, Target&);
};

template <typename Target, std::size_t N>
std::vector<std::string> names_of(const DocKey<Target> (&keys)[N]) {
  std::vector<std::string> names;
  for (const DocKey<Target>& key : keys) names.emplace_back(key.name);
  return names;
}

template <typename Target, std::size_t N>
const DocKey<Target>* find_key(const DocKey<Target> (&keys)[N], std::string_view name) {
  for (const DocKey<Target>& key : keys) {
    if (name == key.name) return &key;
  }
  return nullptr;
}

// Reads a map whose keys are all in `keys`.
template <typename Target, std::size_t N>
Status read_map(const DocField& map, const DocKey<Target> (&keys)[N], Target& target) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    const DocField field = map.item(i);
    const DocKey<Target>* key = find_key(keys, field.key());
    if (key == nullptr) return unknown_key(field, names_of(keys));
    if (field.unset()) continue;
    COMPUTE_SCALE_CHECK(key->read(field, target));
  }
  return Done{};
}

// As read_map for a map that may have further keys. One that is nearly a known one is refused all
// the same, as it would else be passed over in silence.
template <typename Target, std::size_t N>
Status read_open_map(const DocField& map, const DocKey<Target> (&keys)[N], Target& target) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    const DocField field = map.item(i);
    if (const DocKey<Target>* key = find_key(keys, field.key())) {
      COMPUTE_SCALE_CHECK(key->read(field, target));
    } else {
      COMPUTE_SCALE_CHECK(refuse_misspelt(field, names_of(keys)));
    }
  }
  return Done{};
}

// As read_map for a map that a program wrote, maybe a later release of it: members that are null or
// not in `keys` are passed over.
template <typename Target, std::size_t N>
Status read_record(const DocField& map, const DocKey<Target> (&keys)[N], Target& target) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    const DocField field = map.item(i);
    const DocKey<Target>* key = find_key(keys, field.key());
    if (key == nullptr || field.value().kind == DocValue::Kind::kNull) continue;
    COMPUTE_SCALE_CHECK(key->read(field, target));
  }
  return Done{};
}

// Moves a result's value into `target`.
template <typename T, typename Target>
Status assign(Result<T> result, Target& target) {
  if (!result.ok()) return result.error();
  target = std::move(*result);
  return Done{};
}

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DOC_FIELD_H_
