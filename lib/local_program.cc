#include "local_program.h"

#include <algorithm>
#include <iterator>

#include "container_parts.h"
#include "package_env.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

// Keywords and builtins of bash that have no external program, or one that acts otherwise. "true"
// and "false" do the same outside as long as they get no argument.
constexpr std::string_view kBashWords[] = {
    ".",       ":",     "alias",    "bg",      "bind",      "break",    "builtin",  "caller",
    "case",    "cd",    "command",  "compgen", "complete",  "compopt",  "continue", "coproc",
    "declare", "dirs",  "disown",   "do",      "done",      "echo",     "elif",     "else",
    "enable",  "esac",  "eval",     "exec",    "exit",      "export",   "fc",       "fg",
    "fi",      "for",   "function", "getopts", "hash",      "help",     "history",  "if",
    "in",      "jobs",  "kill",     "let",     "local",     "logout",   "mapfile",  "popd",
    "printf",  "pushd", "pwd",      "read",    "readarray", "readonly", "return",   "select",
    "set",     "shift", "shopt",    "source",  "suspend",   "test",     "then",     "time",
    "times",   "trap",  "type",     "typeset", "ulimit",    "umask",    "unalias",  "unset",
    "until",   "wait",  "while"};

bool is_bash_word(std::string_view word, bool alone) {
  if (word == "true" || word == "false") return !alone;
  return std::find(std::begin(kBashWords), std::end(kBashWords), word) != std::end(kBashWords);
}

void set_command(LocalProgram& program, const Entry& entry, const std::string& task_dir) {
  const CommandLine line = split_command(entry.cmd);
  if (line.script.empty()) {
    program.argv = {"bash", "-c", line.rest};
    program.direct = plain_words(line.rest);
    return;
  }
  const std::string script = task_dir + "/" + line.script;
  if (line.rest.empty()) {
    program.argv = {"bash", script};
    return;
  }
  program.argv = {"bash", "-c", "bash " + shell_quote(script) + " " + line.rest};
  // The script's own words stand behind it, so none of them is a command.
  std::vector<std::string> words = plain_words("bash " + line.rest);
  if (words.empty()) return;
  words.insert(words.begin() + 1, script);
  program.direct = std::move(words);
}

}  // namespace

Result<LocalProgram> local_program(const Entry& entry, const ContainerContext& context,
                                   const std::string& devices) {
  LocalProgram program;
  COMPUTE_SCALE_TRY(variables, local_variables(entry, context));
  program.defaults = std::move(variables.defaults);
  EnvList plain;
  const EnvList run = run_variables(context);
  const EnvList own =
      overlay(overlay(run, {{"CUDA_VISIBLE_DEVICES", entry.compute.is_zero() ? "" : devices},
                            {"ENV", entry.label}}),
              entry.env);
  for (auto& [name, value] : variables.package) {
    (has_reference(value) ? program.package : plain).emplace_back(name, std::move(value));
  }
  program.env = overlay(std::move(plain), own);
  // What the run or the entry sets itself wins over the package's.
  const auto is_set = [&](const auto& variable) {
    return std::any_of(program.env.begin(), program.env.end(),
                       [&](const auto& known) { return known.first == variable.first; });
  };
  program.package.erase(std::remove_if(program.package.begin(), program.package.end(), is_set),
                        program.package.end());
  set_command(program, entry, context.task_dir);
  program.output_dir = context.output_dir;
  program.working_dir = context.working_copy.empty() ? context.task_dir : context.working_copy;
  program.fallback_dir = context.task_dir;
  return program;
}

std::vector<std::string> plain_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", i);
    if (begin == std::string_view::npos) break;
    i = std::min(line.find_first_of(" \t", begin), line.size());
    words.emplace_back(line.substr(begin, i - begin));
    if (shell_quote(words.back()) != words.back()) return {};
  }
  if (words.empty() || words.front().find('=') != std::string::npos ||
      is_bash_word(words.front(), words.size() == 1)) {
    return {};
  }
  return words;
}

bool concerns_bash(std::string_view name) {
  return name == "BASH_ENV" || name == "SHELLOPTS" || name == "BASHOPTS" ||
         name == "POSIXLY_CORRECT" || starts_with(name, "BASH_FUNC_");
}

}  // namespace compute_scale
