#include "script_argv.h"

#include "shell_quote.h"

namespace compute_scale {
namespace {

constexpr std::size_t kColumns = 100;

// Appends words to an array `argv` of the script, in lines of a readable length.
class ArgvText {
 public:
  void word(const std::string& text) {
    if (line_.empty()) {
      line_ = "  argv+=(";
    } else if (line_.size() + text.size() + 2 > kColumns) {
      out_ += line_ + "\n";
      line_ = "    ";
    } else {
      line_ += " ";
    }
    line_ += text;
  }
  // A line of its own, between the words so far and the next ones.
  void statement(const std::string& text) {
    close();
    out_ += "  " + text + "\n";
  }
  std::string take() {
    close();
    return std::move(out_);
  }

 private:
  void close() {
    if (!line_.empty()) out_ += line_ + ")\n";
    line_.clear();
  }
  std::string out_;
  std::string line_;
};

void add_arg(ArgvText& argv, const Arg& arg, const std::vector<std::string>& srun) {
  switch (arg.kind) {
    case ArgKind::kText:
      return argv.word(shell_quote(arg.text));
    case ArgKind::kDevices:
      return argv.word(shell_quote(arg.text) + "\"$devices\"");
    case ArgKind::kInnerDevices:
      return argv.word(shell_quote(arg.text) + "\"$inner_devices\"");
    case ArgKind::kBind:
      return argv.statement("bind_path " + std::string(arg.optional ? "optional " : "required ") +
                            shell_quote(arg.text) + " " + shell_join(arg.words));
    case ArgKind::kScratch:
      argv.statement("make_scratch");
      argv.word("--bind");
      return argv.word("\"$scratch:/tmp\"");
    case ArgKind::kEntryEnv:
      return argv.word("\"${entry_env[@]}\"");
    case ArgKind::kCall:
      return argv.statement(arg.text + (arg.words.empty() ? "" : " " + shell_join(arg.words)));
    case ArgKind::kSrun:
      for (const std::string& word : srun) argv.word(word);
      return;
    case ArgKind::kSession:
      return argv.word("\"$inside\"");
    case ArgKind::kStep:
      return argv.word("\"$step\"");
  }
}

}  // namespace

std::string argv_lines(const std::vector<Arg>& args, const std::vector<std::string>& srun) {
  ArgvText argv;
  for (const Arg& arg : args) add_arg(argv, arg, srun);
  return argv.take();
}

}  // namespace compute_scale
