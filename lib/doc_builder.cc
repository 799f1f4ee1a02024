#include "doc_builder.h"

#include "text.h"

namespace compute_scale {

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : printable(key)) {
    if (c == '~') step += "~0";
    if (c == '/') step += "~1";
    if (c != '~' && c != '/') step += c;
  }
  return step;
}

bool DocBuilder::wants_key() const {
  return !open_.empty() && open_.back().value->kind == DocValue::Kind::kMap && !open_.back().named;
}

DocValue* DocBuilder::add(DocValue::Kind kind, int line) {
  DocValue* value = &root_;
  if (!open_.empty()) {
    open_.back().named = false;
    value = &open_.back().value->items.emplace_back();
    value->key = std::move(next_key_);
    next_key_.clear();
    // A member is where its key is; a null that is not written out would be at the next token.
    if (open_.back().value->kind == DocValue::Kind::kMap) line = key_line_;
  }
  value->kind = kind;
  value->line = line;
  return value;
}

bool DocBuilder::scalar(DocValue::Kind kind, std::string text, int line) {
  if (refused()) return false;
  DocValue* value = add(kind, line);
  if (text.find('\0') != std::string::npos)
    return refuse_at(open_.size(), "a text cannot hold NUL", line);
  value->text = std::move(text);
  return true;
}

bool DocBuilder::open(DocValue::Kind kind, int line) {
  if (refused()) return false;
  DocValue* value = add(kind, line);
  if (open_.size() == kMostNesting) {
    // Without a pointer: 64 steps help nobody.
    return refuse_at(0, "nested too deeply (more than " + std::to_string(kMostNesting) + " levels)",
                     line);
  }
  open_.push_back({value, {}});
  return true;
}

bool DocBuilder::close() {
  if (refused()) return false;
  open_.pop_back();
  return true;
}

bool DocBuilder::key(const std::string& name, int line) {
  if (refused()) return false;
  if (name.find('\0') != std::string::npos) return refuse("a key cannot hold NUL", line);
  if (!open_.back().keys.insert(name).second) {
    return refuse("the key " + quoted(name) + " is there twice", line);
  }
  next_key_ = name;
  key_line_ = line;
  open_.back().named = true;
  return true;
}

bool DocBuilder::refuse(const std::string& problem, int line) {
  return refuse_at(open_.empty() ? 0 : open_.size() - 1, problem, line);
}

bool DocBuilder::refuse_at(std::size_t steps, const std::string& problem, int line) {
  if (refused()) return false;
  pointer_.clear();
  for (std::size_t i = 0; i < steps; ++i) {
    const DocValue& parent = *open_[i].value;
    pointer_ += parent.kind == DocValue::Kind::kMap ? pointer_step(parent.items.back().key)
                                                    : "/" + std::to_string(parent.items.size() - 1);
  }
  problem_ = problem;
  problem_line_ = line;
  return false;
}

}  // namespace compute_scale
