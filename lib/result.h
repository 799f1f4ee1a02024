// Errors are values: every function that can fail returns Result<T>. No exception crosses a file.
#ifndef COMPUTE_SCALE_LIB_RESULT_H_
#define COMPUTE_SCALE_LIB_RESULT_H_

#include <string>
#include <utility>
#include <variant>

namespace compute_scale {

// What kind of thing went wrong. The values are the exit codes of sbatch-tasks.
enum class ErrorKind {
  kUsage = 1,   // a command line or a config that cannot be used
  kTask = 2,    // a task's config.json or script is invalid
  kSite = 3,    // valid, but it does not fit the site or the request
  kSubmit = 4,  // sbatch refused, or a step failed
};

// `text` is one line that a person understands: file, place, value, and what would be right.
struct Error {
  ErrorKind kind;
  std::string text;
};

inline Error usage_error(std::string text) {
  return {ErrorKind::kUsage, std::move(text)};
}
inline Error task_error(std::string text) {
  return {ErrorKind::kTask, std::move(text)};
}
inline Error site_error(std::string text) {
  return {ErrorKind::kSite, std::move(text)};
}
inline Error submit_error(std::string text) {
  return {ErrorKind::kSubmit, std::move(text)};
}

// The same error with `place` ("file: /pointer") in front of its text.
inline Error at(const std::string& place, Error error) {
  error.text = place + ": " + error.text;
  return error;
}

// A value or an Error. Reading the value of a failed result is a programming fault (terminates).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T value() && { return std::get<0>(std::move(state_)); }  // not a reference: it would dangle
  const Error& error() const { return std::get<1>(state_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

// The result of something that only succeeds or fails.
struct Done {};
using Status = Result<Done>;

}  // namespace compute_scale

// NOLINTBEGIN(bugprone-macro-parentheses): a declared name cannot stand in parentheses.
// Declares `name` as the value of `expression`, or returns its error from this function.
#define COMPUTE_SCALE_TRY(name, expression)              \
  auto name##_result = (expression);                     \
  if (!name##_result.ok()) return name##_result.error(); \
  auto& name = *name##_result
// NOLINTEND(bugprone-macro-parentheses)

// Returns the error of `expression` from this function if it failed.
#define COMPUTE_SCALE_CHECK(expression)                         \
  do {                                                          \
    if (auto check_status = (expression); !check_status.ok()) { \
      return check_status.error();                              \
    }                                                           \
  } while (false)

#endif  // COMPUTE_SCALE_LIB_RESULT_H_
