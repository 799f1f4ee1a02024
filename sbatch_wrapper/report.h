// How results and messages are shown: data on stdout, everything else on stderr.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_REPORT_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_REPORT_H_

#include <string>
#include <vector>

#include "options.h"
#include "result.h"

namespace compute_scale {

// Messages of one run of the program, one line each, on stderr.
class Reporter {
 public:
  explicit Reporter(const Options& options) : verbose_(options.verbose), quiet_(options.quiet) {}
  void error(const std::string& text) const;    // always
  void warning(const std::string& text) const;  // unless --quiet
  void note(const std::string& text) const;     // unless --quiet
  void detail(const std::string& text) const;   // with --verbose

 private:
  bool verbose_;
  bool quiet_;
};

// Prints each error on its line; the exit status is that of the first one's kind, 0 without any.
int report_errors(const Reporter& reporter, const std::vector<Error>& errors);

// A table for people: columns aligned, numbers to the right, two blanks between columns.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A rule above the next row, for totals.
  void rule() { rules_.push_back(rows_.size()); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;
};

// "12.5" without needless digits: for hours and ratios.
std::string short_number(double value, int decimals);

// Writes to stdout; false if that failed (a closed pipe, a full disk).
bool print(const std::string& text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_REPORT_H_
