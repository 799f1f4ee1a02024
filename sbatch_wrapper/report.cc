#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace compute_scale {
namespace {

void say(const char* kind, const std::string& text) {
  std::fprintf(stderr, "sbatch-tasks: %s%s\n", kind, text.c_str());
}

// Characters on a terminal, near enough: bytes that do not continue a UTF-8 sequence.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string aligned(const std::string& text, std::size_t columns, Table::Align align) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return align == Table::Align::kLeft ? text + blanks : blanks + text;
}

}  // namespace

void Reporter::error(const std::string& text) const {
  say("error: ", text);
}

void Reporter::warning(const std::string& text) const {
  if (!quiet_) say("warning: ", text);
}

void Reporter::note(const std::string& text) const {
  if (!quiet_) say("", text);
}

void Reporter::detail(const std::string& text) const {
  if (verbose_) say("", text);
}

int report_errors(const Reporter& reporter, const std::vector<Error>& errors) {
  for (const Error& error : errors) reporter.error(error.text);
  return errors.empty() ? 0 : static_cast<int>(errors.front().kind);
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    std::size_t widest = width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[i]));
    widths.push_back(widest);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += "  ";
      out += aligned(cells[i], widths[i], columns_[i].align);
    }
    return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  };
  std::string out = line(titles);
  const std::string rule(std::max<std::size_t>(1, out.size() - 1), '-');
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (std::find(rules_.begin(), rules_.end(), i) != rules_.end()) out += rule + "\n";
    out += line(rows_[i]);
  }
  return out;
}

std::string short_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace compute_scale
