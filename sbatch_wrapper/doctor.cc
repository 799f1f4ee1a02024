#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "doctor_checks.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

const char* word(Grade grade) {
  if (grade == Grade::kOk) return "ok";
  return grade == Grade::kWarning ? "warning" : "problem";
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ') + "  ";
}

std::string line_of(const Finding& finding) {
  return padded(word(finding.grade), 7) + padded(finding.check, 9) +
         printable(finding.found, 1000) +
         (finding.mend.empty() ? "" : "; to mend: " + printable(finding.mend, 1000)) + "\n";
}

Grade worst(const Findings& findings) {
  Grade out = Grade::kOk;
  for (const Finding& finding : findings) out = std::max(out, finding.grade);
  return out;
}

std::string as_json(const Findings& findings) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["result"] = word(worst(findings));
  out["checks"] = Json::array();
  for (const Finding& finding : findings) {
    Json json;
    json["check"] = finding.check;
    json["result"] = word(finding.grade);
    json["found"] = finding.found;
    json["mend"] = finding.mend.empty() ? Json(nullptr) : Json(finding.mend);
    out["checks"].push_back(std::move(json));
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string as_text(const Findings& findings, bool quiet) {
  std::string out;
  for (const Finding& finding : findings) {
    if (!quiet || finding.grade != Grade::kOk) out += line_of(finding);
  }
  return out;
}

// A broken config is what it is for every verb; it goes before all else.
int exit_status(const Site& site) {
  if (site.config_broken) return static_cast<int>(ErrorKind::kUsage);
  return worst(site.findings) == Grade::kProblem ? static_cast<int>(ErrorKind::kSite) : 0;
}

}  // namespace

void Site::ok(const std::string& check, const std::string& found) {
  findings.push_back({Grade::kOk, check, found, ""});
}

void Site::warn(const std::string& check, const std::string& found, const std::string& mend) {
  findings.push_back({Grade::kWarning, check, found, mend});
}

void Site::problem(const std::string& check, const std::string& found, const std::string& mend) {
  findings.push_back({Grade::kProblem, check, found, mend});
}

bool Site::plugin_wanted() const {
  return plugin_enabled || config.slurm.plugin.value_or(false);
}

std::vector<ProbeAnswer> Site::look_at(const std::vector<ProbeItem>& more) {
  const auto answer = probe_here(more, runner);
  std::vector<ProbeAnswer> seen =
      answer.ok() ? answer->items
                  : std::vector<ProbeAnswer>(more.size(), {false, answer.error().text});
  items.insert(items.end(), more.begin(), more.end());
  here.items.insert(here.items.end(), seen.begin(), seen.end());
  return seen;
}

Result<int> run_doctor(const Options& options, ProcessRunner& runner) {
  if (!options.nodes && !options.sbatch_args.empty()) {
    return usage_error("doctor: arguments behind -- go to the step of --nodes");
  }
  SlurmClient slurm(runner, submission_environment(present_environment()));
  Site site{options, runner, slurm, {}, {}, {}, false, "", {}, {}, {}, "", false, {}, {}};
  check_config(site);
  check_slurm(site);
  check_plugin(site);
  check_folders(site);
  check_runtime(site);
  check_arrays(site);
  check_shards(site);
  check_partitions(site);
  if (options.nodes) check_nodes(site);
  const bool printed =
      print(options.json ? as_json(site.findings) : as_text(site.findings, options.quiet));
  return printed ? exit_status(site) : 1;
}

}  // namespace compute_scale
