// Times two commands in turn, A B A B …, and prints the ratio of their medians. Whole processes
// from start to exit, so that what is compared is what a user waits for.
//
//   pairs PAIRS -- [NAME=VALUE…] A… -- [NAME=VALUE…] B…
//
// Prints one line: ratio, median A, median B (milliseconds), and the quartiles of the pairwise
// ratios. Exits non-zero when a command cannot be started or fails.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern char** environ;

namespace {

// What to run: the environment is ours with the command's own variables in front (the first of two
// equal names is the one that getenv finds).
struct Command {
  std::vector<char*> environment;
  std::vector<char*> argv;
};

// Wall milliseconds of one run; what it prints goes to /dev/null.
double run_once(const Command& command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.argv[0], &actions, nullptr, command.argv.data(),
                                 command.environment.data());
  if (error != 0) {
    std::fprintf(stderr, "pairs: %s: %s\n", command.argv[0], std::strerror(error));
    std::exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    std::fprintf(stderr, "pairs: %s ended with wait status %d\n", command.argv[0], status);
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(end - start).count();
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(place + 0.5)];
}

// The commands behind each "--".
std::vector<Command> commands_of(int argc, char** argv) {
  std::vector<Command> commands;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) {
      commands.emplace_back();
    } else if (!commands.empty()) {
      Command& command = commands.back();
      const bool assignment = command.argv.empty() && std::strchr(argv[i], '=') != nullptr;
      (assignment ? command.environment : command.argv).push_back(argv[i]);
    }
  }
  for (Command& command : commands) {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      command.environment.push_back(*variable);
    }
    command.environment.push_back(nullptr);
    command.argv.push_back(nullptr);
  }
  return commands;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Command> commands = commands_of(argc, argv);
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 0;
  if (pairs < 1 || commands.size() != 2 || commands[0].argv.size() < 2 ||
      commands[1].argv.size() < 2) {
    std::fprintf(stderr, "usage: pairs PAIRS -- [NAME=VALUE…] A… -- [NAME=VALUE…] B…\n");
    return 1;
  }
  std::vector<double> a, b, ratios;
  for (int i = -3; i < pairs; ++i) {  // three pairs to warm up
    // Which one goes first alternates, so that neither always follows the other.
    const bool a_first = i % 2 == 0;
    const double first = run_once(commands[a_first ? 0 : 1]);
    const double second = run_once(commands[a_first ? 1 : 0]);
    if (i < 0) continue;
    a.push_back(a_first ? first : second);
    b.push_back(a_first ? second : first);
    ratios.push_back(a.back() / b.back());
  }
  std::printf("%.4f %.3f %.3f %.4f %.4f\n", quantile(a, 0.5) / quantile(b, 0.5), quantile(a, 0.5),
              quantile(b, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
  return 0;
}
