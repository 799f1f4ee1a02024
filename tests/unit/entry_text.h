// An entry as text, so that tests can compare all of it and show what differs.
#ifndef COMPUTE_SCALE_TESTS_UNIT_ENTRY_TEXT_H_
#define COMPUTE_SCALE_TESTS_UNIT_ENTRY_TEXT_H_

#include <string>

#include "entry.h"

namespace compute_scale {

inline std::string env_text(const EnvList& env) {
  std::string text;
  for (const auto& [name, value] : env) text += " " + name + "=" + value;
  return text;
}

inline std::string entry_text(const Entry& e) {
  const auto number = [](const auto& optional) {
    return optional ? std::to_string(*optional) : std::string("-");
  };
  std::string text = e.task + "/" + e.label + " cmd=" + e.cmd + " group=" + number(e.group) +
                     " compute=" + e.compute.to_string() + " time=" + to_string(e.time) +
                     " package=" + e.package + " hidden=" + (e.hidden ? "1" : "0") +
                     " mem=" + (e.mem ? to_string(*e.mem) : "-") + " cpus=" + number(e.cpus) +
                     " use_cuda=" + number(e.use_cuda) + " workdir=" + e.workdir +
                     " env:" + env_text(e.env);
  for (const auto& [hardware, p] : e.profiles) {
    text += " [" + hardware + " compute=" + (p.compute ? p.compute->to_string() : "-") +
            " time=" + (p.time ? to_string(*p.time) : "-") +
            " mem=" + (p.mem ? to_string(*p.mem) : "-") + " cpus=" + number(p.cpus) +
            " env:" + env_text(p.env) + "]";
  }
  return text;
}

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_ENTRY_TEXT_H_
