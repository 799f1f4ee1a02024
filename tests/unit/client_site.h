// A site on the disk and submissions to it, for tests of the client through its C face.
#ifndef COMPUTE_SCALE_TESTS_UNIT_CLIENT_SITE_H_
#define COMPUTE_SCALE_TESTS_UNIT_CLIENT_SITE_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_api.h"
#include "tests/unit/request_options.h"

namespace compute_scale {

// A temporary folder with site.yaml and tasks.
class Site {
 public:
  Site() {
    std::string pattern = (std::filesystem::temp_directory_path() / "site-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    config("tasks_dir: tasks\n");
    task("llm", R"({"test_cmds": [
      {"cmd": "scripts/a.sh", "label": "train", "compute": 4,
       "h200": {"compute": 2, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}}},
      {"cmd": "scripts/b.sh", "label": "other", "compute": 2, "env": {"LEVEL": "1"},
       "h200": {"compute": 1, "env": {"TP_SIZE": "1"}}},
      {"cmd": "scripts/c.sh", "label": "eval", "compute": 1},
      {"cmd": "scripts/c.sh", "label": "small", "compute": 0.33},
      {"cmd": "scripts/d.sh", "label": "cpu", "compute": 0}]})");
    task("vae", R"({"test_cmds": [
      {"cmd": "scripts/v.sh", "label": "train", "compute": 8, "env": {"LEVEL": "3"}}]})");
  }
  ~Site() { std::filesystem::remove_all(root_); }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void config(const std::string& yaml) const { write("site.yaml", yaml); }
  void task(const std::string& name, const std::string& json) const {
    write("tasks/" + name + "/config.json", json);
  }

 private:
  std::string root_;
};

// What a user types, less what most tests have in common.
struct Submission {
  std::string command = "sbatch";
  std::optional<std::string> scale, entry, unprofiled;
  std::string request;  // options_of's form
  std::optional<std::string> job_payload;
  std::vector<std::string> environment;
  bool step = false;
  int het_component = 0;
  std::optional<std::string> user_config;
};

using Settings = std::vector<std::pair<std::string, std::string>>;  // "(unset)" where taken away

struct Decision {
  bool refused = false;
  std::string message, comment, record;
  Settings request, environment;

  std::string variable(const std::string& name) const {
    for (const auto& [key, value] : environment) {
      if (key == name) return value;
    }
    return "(untouched)";
  }
};

inline Settings settings_from(const compute_scale_setting* settings, size_t size) {
  Settings copies;
  for (size_t i = 0; i < size; ++i) {
    copies.emplace_back(settings[i].name, settings[i].value ? settings[i].value : "(unset)");
  }
  return copies;
}

inline const char* pointer(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

inline Decision submit(const Site& site, const Submission& submission) {
  const std::string site_config = site.path("site.yaml");
  const std::vector<RequestOption> options = options_of(submission.request);
  std::vector<compute_scale_request_option> request;
  request.reserve(options.size());
  for (const RequestOption& option : options) {
    request.push_back({option.name.c_str(), option.value.c_str(), option.from_environment});
  }
  std::vector<const char*> environment;
  environment.reserve(submission.environment.size() + 1);
  for (const std::string& variable : submission.environment) {
    environment.push_back(variable.c_str());
  }
  environment.push_back(nullptr);
  compute_scale_client_input input = {};
  input.api_version = COMPUTE_SCALE_CLIENT_API_VERSION;
  input.command = submission.command.c_str();
  input.site_config = site_config.c_str();
  input.user_config = pointer(submission.user_config);
  input.home = "/nowhere";
  input.scale = pointer(submission.scale);
  input.entry = pointer(submission.entry);
  input.unprofiled = pointer(submission.unprofiled);
  input.in_allocation = submission.step;
  input.job_payload = pointer(submission.job_payload);
  input.het_component = submission.het_component;
  input.request = request.data();
  input.request_size = request.size();
  input.environment = environment.data();
  const compute_scale_client_decision* decision = compute_scale_client_decide(&input);
  Decision copy;
  copy.refused = decision->refused != 0;
  if (decision->message != nullptr) copy.message = decision->message;
  if (decision->comment != nullptr) copy.comment = decision->comment;
  if (decision->record != nullptr) copy.record = decision->record;
  copy.request = settings_from(decision->request, decision->request_size);
  copy.environment = settings_from(decision->environment, decision->environment_size);
  compute_scale_client_free(decision);
  EXPECT_EQ(copy.message.find('\n'), std::string::npos);
  return copy;
}

// "gres=gpu:2 ntasks=2", or "refused: why".
inline std::string shown(const Decision& decision) {
  if (decision.refused) return "refused: " + decision.message;
  std::vector<std::string> words;
  for (const auto& [name, value] : decision.request)
    words.push_back(std::string(name).append("=").append(value));
  return join(words, " ");
}

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_CLIENT_SITE_H_
