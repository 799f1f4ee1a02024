#include "library.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace compute_scale {
namespace {

using Decide = decltype(&compute_scale_client_decide);
using Free = decltype(&compute_scale_client_free);

struct Library {
  void* handle;
  Decide decide;
  Free free;
};

Library library;

// What the commands would die of if the library threw (terminate aborts) or crashed.
constexpr int kFatalSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kFatalSignalCount = sizeof(kFatalSignals) / sizeof(kFatalSignals[0]);

char crash_message[512];

// Only what a signal handler may do. Nothing has been submitted yet, so ending here is safe.
void end_after_crash(int /*signal*/) {
  const ssize_t written = write(STDERR_FILENO, crash_message, strlen(crash_message));
  _exit(written < 0 ? 2 : 1);
}

struct CrashGuard {
  struct sigaction saved[kFatalSignalCount];
};

void set_guard(const char* command, CrashGuard* guard) {
  snprintf(crash_message, sizeof crash_message,
           "%s: error: compute-scale: the library failed; nothing was submitted\n", command);
  struct sigaction action = {};
  action.sa_handler = end_after_crash;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kFatalSignalCount; ++i) {
    sigaction(kFatalSignals[i], &action, &guard->saved[i]);
  }
}

void remove_guard(const CrashGuard& guard) {
  for (size_t i = 0; i < kFatalSignalCount; ++i) {
    sigaction(kFatalSignals[i], &guard.saved[i], nullptr);
  }
}

}  // namespace

const char* open_library(const char* path) {
  if (library.handle != nullptr) return nullptr;
  // RTLD_NOW would look up every function of the C++ libraries behind it: a third of an sbatch.
  void* handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  Library found = {handle, nullptr, nullptr};
  found.decide = reinterpret_cast<Decide>(dlsym(handle, "compute_scale_client_decide"));
  found.free = reinterpret_cast<Free>(dlsym(handle, "compute_scale_client_free"));
  if (found.decide == nullptr || found.free == nullptr) return dlerror();
  library = found;
  return nullptr;
}

const compute_scale_client_decision* decide(const compute_scale_client_input& input) {
  CrashGuard guard;
  set_guard(input.command, &guard);
  const compute_scale_client_decision* decision = library.decide(&input);
  remove_guard(guard);
  return decision;
}

void free_decision(const compute_scale_client_decision* decision) {
  library.free(decision);
}

}  // namespace compute_scale
