// Builds a DocValue from the events of a JSON or YAML reader.
#ifndef COMPUTE_SCALE_LIB_DOC_BUILDER_H_
#define COMPUTE_SCALE_LIB_DOC_BUILDER_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "doc_value.h"

namespace compute_scale {

// Every call returns false once the document is refused; `problem` then says why. Later calls
// change nothing.
class DocBuilder {
 public:
  bool scalar(DocValue::Kind kind, std::string text, int line = 0);
  bool open(DocValue::Kind kind, int line = 0);
  bool close();
  // The name of the member that comes next.
  bool key(const std::string& name, int line = 0);
  // Refuses the innermost open value.
  bool refuse(const std::string& problem, int line = 0);

  // Whether a map is open that waits for the name of its next member.
  bool wants_key() const;
  bool refused() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }
  int problem_line() const { return problem_line_; }
  // The JSON pointer of what the refusal is about.
  const std::string& pointer() const { return pointer_; }
  DocValue& root() { return root_; }

 private:
  struct Level {
    DocValue* value;
    std::unordered_set<std::string> keys;
    bool named = false;  // the next value's key is known
  };

  DocValue* add(DocValue::Kind kind, int line);
  // `steps`: how many open values the pointer leads through.
  bool refuse_at(std::size_t steps, const std::string& problem, int line);

  DocValue root_;
  // Only the innermost open value grows, so that the addresses of the outer ones stay good.
  std::vector<Level> open_;
  std::string next_key_, problem_, pointer_;
  int key_line_ = 0, problem_line_ = 0;
};

// `key` as one step of a JSON pointer that fits in a message: "/key".
std::string pointer_step(std::string_view key);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DOC_BUILDER_H_
