#include "show_command.h"

namespace compute_scale {
namespace {

std::string join_words(const Arg& arg) {
  std::string out;
  for (const std::string& word : arg.words) out += " " + word;
  return out;
}

std::string show(const Arg& arg, const StepCommand& command) {
  std::string env;
  switch (arg.kind) {
    case ArgKind::kText:
      return arg.text;
    case ArgKind::kDevices:
      return arg.text + "<devices>";
    case ArgKind::kInnerDevices:
      return arg.text + "<inner devices>";
    case ArgKind::kBind:
      return "<bind " + arg.text + (arg.optional ? ", optional:" : ":") + join_words(arg) + ">";
    case ArgKind::kScratch:
      return "<scratch>";
    case ArgKind::kEntryEnv:
      for (const auto& [name, value] : command.entry_env) env += name + "=" + value + " ";
      return env;
    case ArgKind::kCall:
      return "<" + arg.text + join_words(arg) + ">";
    case ArgKind::kSrun:
      return "<srun>";
    case ArgKind::kSession:
      return "<session>";
    case ArgKind::kStep:
      return "<step>";
  }
  return "";
}

}  // namespace

std::string show_args(const StepCommand& command, ArgsOf which) {
  std::string out;
  for (const Arg& arg : which == ArgsOf::kStep ? command.args : command.session) {
    out += show(arg, command) + '\n';
  }
  return out;
}

}  // namespace compute_scale
