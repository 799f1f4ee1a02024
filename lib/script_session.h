// Containers that several steps of a job run in (docker-rootless).
#ifndef COMPUTE_SCALE_LIB_SCRIPT_SESSION_H_
#define COMPUTE_SCALE_LIB_SCRIPT_SESSION_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

// The steps of a job that start their container with the same words share it; it has the devices of
// all of them. Steps without GPU never share one with steps that have any.
class Sessions {
 public:
  // Errors: those of step_command().
  static Result<Sessions> of(const Plan& plan, const Job& job, const RunSettings& settings);

  // The functions of the script that start the sessions: session_1, session_2, …; "" if none.
  std::string functions(const Job& job) const;
  // The calls that start them.
  std::string starts() const;
  // The lines of a step's function by which it joins its session; "" if it has none.
  std::string join_lines(std::size_t step, const Lane& lane) const;
  // Whether the job's steps are to be built to join a session.
  bool in_use() const { return in_use_; }

 private:
  struct Session {
    std::string argv;  // lines
    std::vector<int> devices;
  };
  void add(std::size_t step, const std::string& argv, const std::vector<int>& devices);

  bool in_use_ = false;
  std::vector<Session> sessions_;
  std::map<std::size_t, std::size_t> session_of_step_;
};

// The positions "0 1 3" as arguments of the script's use_devices.
std::string device_words(const std::vector<int>& devices);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_SESSION_H_
