#include "script_session.h"

#include <algorithm>

#include "script_argv.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

std::size_t count_steps(const Job& job) {
  std::size_t count = 0;
  for (const Lane& lane : job.lanes) count += lane.steps.size();
  return count;
}

std::string name_of(std::size_t index) {
  return "session_" + std::to_string(index + 1);
}

}  // namespace

Result<Sessions> Sessions::of(const Plan& plan, const Job& job, const RunSettings& settings) {
  Sessions sessions;
  sessions.in_use_ = settings.backend == Backend::kDockerRootless && count_steps(job) > 1;
  if (!sessions.in_use_) return sessions;
  for (const Lane& lane : job.lanes) {
    for (const std::size_t step : lane.steps) {
      COMPUTE_SCALE_TRY(command, step_command(plan, plan.steps[step], settings, true));
      sessions.add(step, argv_lines(command.session, {}), lane.devices);
    }
  }
  for (Session& session : sessions.sessions_) {
    std::sort(session.devices.begin(), session.devices.end());
    session.devices.erase(std::unique(session.devices.begin(), session.devices.end()),
                          session.devices.end());
  }
  return sessions;
}

void Sessions::add(std::size_t step, const std::string& argv, const std::vector<int>& devices) {
  const auto same = [&](const Session& session) { return session.argv == argv; };
  auto found = std::find_if(sessions_.begin(), sessions_.end(), same);
  if (found == sessions_.end()) found = sessions_.insert(found, Session{argv, {}});
  found->devices.insert(found->devices.end(), devices.begin(), devices.end());
  session_of_step_[step] = static_cast<std::size_t>(found - sessions_.begin());
}

std::string Sessions::functions(const Job& job) const {
  std::string out;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    out += "\n" + name_of(i) + "() {\n  name=" + shell_quote(job.name) + "\n";
    if (!sessions_[i].devices.empty()) {
      out += "  use_devices " + device_words(sessions_[i].devices) + "\n";
    }
    out += sessions_[i].argv + "}\n";
  }
  return out;
}

std::string Sessions::starts() const {
  std::string out;
  for (std::size_t i = 0; i < sessions_.size(); ++i) out += "start_session " + name_of(i) + "\n";
  return out;
}

std::string Sessions::join_lines(std::size_t step, const Lane& lane) const {
  const auto found = session_of_step_.find(step);
  if (found == session_of_step_.end()) return "";
  const std::vector<int>& all = sessions_[found->second].devices;
  std::vector<std::string> inner;
  for (const int device : lane.devices) {
    inner.push_back(std::to_string(std::find(all.begin(), all.end(), device) - all.begin()));
  }
  return "  in_session " + name_of(found->second) + " " + shell_quote(join(inner, ",")) + "\n";
}

std::string device_words(const std::vector<int>& devices) {
  std::vector<std::string> words;
  words.reserve(devices.size());
  for (const int device : devices) words.push_back(std::to_string(device));
  return join(words, " ");
}

}  // namespace compute_scale
