// A library that says what a test wants, in place of libcompute-scale.so.
//
// FAKE_LIBRARY_DECISION, one line each: `refuse TEXT`, `message TEXT`, `comment TEXT`, `record
// TEXT`, `option NAME VALUE`, `option NAME` (take back), `set NAME VALUE`, `unset NAME`.
// FAKE_LIBRARY_FAULT: throw, abort or crash instead.
// FAKE_LIBRARY_LOG: a file to which each call appends what it was given.
#include <signal.h>
#include <stdlib.h>

#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "client_api.h"

namespace {

struct Decision {
  compute_scale_client_decision face = {};
  std::deque<std::string> texts;
  std::vector<compute_scale_setting> request;
  std::vector<compute_scale_setting> environment;

  const char* keep(const std::string& text) {
    texts.push_back(text);
    return texts.back().c_str();
  }

  void read_setting(std::istringstream& line, bool with_value,
                    std::vector<compute_scale_setting>* target) {
    std::string name;
    std::string value;
    line >> name;
    with_value = with_value && std::getline(line >> std::ws, value);
    target->push_back({keep(name), with_value ? keep(value) : nullptr});
  }

  void read_line(const std::string& text) {
    std::istringstream line(text);
    std::string verb;
    std::string rest;
    line >> verb;
    if (verb == "option") return read_setting(line, true, &request);
    if (verb == "set") return read_setting(line, true, &environment);
    if (verb == "unset") return read_setting(line, false, &environment);
    std::getline(line >> std::ws, rest);
    if (verb == "refuse") face.refused = 1;
    const char*& target = verb == "comment"  ? face.comment
                          : verb == "record" ? face.record
                                             : face.message;
    target = keep(rest);
  }

  void finish() {
    face.request = request.data();
    face.request_size = request.size();
    face.environment = environment.data();
    face.environment_size = environment.size();
  }
};

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

void misbehave(const std::string& fault) {
  if (fault == "throw") throw std::runtime_error("thrown by the fake library");
  if (fault == "abort") abort();
  if (fault == "crash") raise(SIGSEGV);
}

const char* or_null(const char* text) {
  return text == nullptr ? "(null)" : text;
}

void log_input(const compute_scale_client_input& input) {
  std::ofstream log(variable("FAKE_LIBRARY_LOG"), std::ios::app);
  log << "command=" << input.command << " component=" << input.het_component
      << " in_allocation=" << input.in_allocation << "\n"
      << "scale=" << or_null(input.scale) << " entry=" << or_null(input.entry)
      << " unprofiled=" << or_null(input.unprofiled) << "\n"
      << "site_config=" << input.site_config << " user_config=" << or_null(input.user_config)
      << "\njob_payload=" << or_null(input.job_payload) << "\n";
  for (size_t i = 0; i < input.request_size; ++i) {
    const compute_scale_request_option& option = input.request[i];
    log << option.name << "=" << option.value << (option.from_environment != 0 ? " (env)" : "")
        << "\n";
  }
}

}  // namespace

extern "C" const compute_scale_client_decision* compute_scale_client_decide(
    const compute_scale_client_input* input) {
  log_input(*input);
  misbehave(variable("FAKE_LIBRARY_FAULT"));
  auto* decision = new Decision;
  std::istringstream lines(variable("FAKE_LIBRARY_DECISION"));
  for (std::string line; std::getline(lines, line);) decision->read_line(line);
  decision->finish();
  // The face is the first member.
  return &decision->face;
}

extern "C" void compute_scale_client_free(const compute_scale_client_decision* decision) {
  delete reinterpret_cast<const Decision*>(decision);
}
