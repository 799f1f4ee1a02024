#include "plugstack.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "read_file.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4095;  // of a line; Slurm takes the rest for a line of its own
constexpr std::size_t kMostIncludes = 20;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

std::vector<std::string> files_of(const std::string& pattern) {
  glob_t found = {};
  std::vector<std::string> out;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return out;
}

class Reader {
 public:
  Plugstack stack;

  void read(const std::string& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return;
    const std::string real = fs::canonical(file, error).string();
    if (std::find(open_.begin(), open_.end(), real) != open_.end() ||
        open_.size() >= kMostIncludes) {
      return fault(Grade::kProblem, file + ": includes itself", "take the include out");
    }
    const auto text = read_binary_file(file);
    if (!text.ok()) {
      return fault(Grade::kProblem, text.error().text,
                   "Slurm's commands stop at it: make it readable");
    }
    open_.push_back(real);
    int number = 0;
    for (const std::string_view line : split(*text, '\n')) read_line(file, ++number, line);
    open_.pop_back();
  }

 private:
  void fault(Grade grade, const std::string& found, const std::string& mend) {
    stack.faults.push_back({grade, "plugstack", found, mend});
  }

  void read_line(const std::string& file, int number, std::string_view line) {
    const std::string place = file + ":" + std::to_string(number);
    if (line.size() > kMostBytes) {
      return fault(Grade::kProblem, place + ": is longer than 4095 bytes, where Slurm cuts it",
                   "make it shorter");
    }
    const std::size_t comment = line.find('#');
    const std::vector<std::string> words = words_of(line.substr(0, comment));
    if (words.empty()) return;
    const bool loads = words[0] == "optional" || words[0] == "required";
    if (words.size() < 2 || (!loads && words[0] != "include")) {
      return fault(Grade::kWarning,
                   place + ": " + quoted(trim(line)) + ": Slurm passes over this line",
                   "begin it with optional FILE, required FILE or include FILE");
    }
    if (!loads) return include(file, place, words[1]);
    if (fs::path(words[1]).filename() != kPluginFile) return;
    PlugstackLine found{
        place, words[0] == "required", words[1], {words.begin() + 2, words.end()}, ""};
    const bool in_word = comment != std::string_view::npos && comment > 0 &&
                         line[comment - 1] != ' ' && line[comment - 1] != '\t';
    if (in_word) found.cut = words.back();
    stack.lines.push_back(std::move(found));
  }

  void include(const std::string& file, const std::string& place, const std::string& name) {
    const std::string pattern =
        starts_with(name, "/") ? name : (fs::path(file).parent_path() / name).string();
    const std::vector<std::string> files = files_of(pattern);
    if (files.empty() && name.find_first_of("*?[") == std::string::npos) {
      fault(Grade::kWarning, place + ": includes " + pattern + ", which is not there",
            "make the file, or take the include out");
    }
    for (const std::string& included : files) read(included);
  }

  std::vector<std::string> open_;  // the files that lead to the present one
};

}  // namespace

Plugstack read_plugstack(const std::string& file) {
  Reader reader;
  reader.read(file);
  return std::move(reader.stack);
}

}  // namespace compute_scale
