#include "run_layout.h"

#include <cstdint>
#include <cstdio>

namespace compute_scale {
namespace {

constexpr std::size_t kLongestName = 120;

// FNV-1a, 64 bits: the same on every machine, unlike std::hash.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037u;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 1099511628211u;
  }
  return value;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool is_kept(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (!first && (c == '-' || c == '.'));
}

std::string step_file(const Plan& plan, const Step& step) {
  const PlanEntry& entry = plan.entries[step.entry];
  return safe_name(plan.tasks[entry.task].name) + "/" + safe_name(entry.entry.label) + "-seed" +
         std::to_string(step.seed);
}

}  // namespace

std::string safe_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_kept(c, out.empty())) {
      out += c;
      continue;
    }
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "=%02X", static_cast<unsigned char>(c));
    out += escaped;
  }
  if (out.empty()) return "=";
  if (out.size() > kLongestName) out = out.substr(0, kLongestName) + "==" + hex(hash(text));
  return out;
}

std::string script_path(const Job& job) {
  return "scripts/" + safe_name(job.name) + ".sh";
}

std::string job_log_path(const Job& job) {
  return "logs/" + safe_name(job.name) + ".slurm.log";
}

std::string step_log_path(const Plan& plan, const Step& step) {
  return "logs/" + step_file(plan, step) + ".log";
}

std::string step_result_path(const Plan& plan, const Step& step) {
  return "results/" + step_file(plan, step) + ".json";
}

std::string entry_name(const Plan& plan, const Step& step) {
  const PlanEntry& entry = plan.entries[step.entry];
  return plan.tasks[entry.task].name + "/" + entry.entry.label;
}

std::string slurm_job_name(std::string_view name, std::string_view run_dir, int submission) {
  return std::string(name) + "." + hex(hash(run_dir)).substr(0, 8) +
         (submission > 1 ? "." + std::to_string(submission) : "");
}

std::string array_script_path(std::string_view slurm_name) {
  return "arrays/" + safe_name(slurm_name) + ".sh";
}

std::string array_log_path(std::string_view slurm_name, std::string_view index) {
  return "arrays/" + safe_name(slurm_name) + "/" + std::string(index) + ".log";
}

std::string output_dir(std::string_view save_path, std::string_view task, std::string_view exp_name,
                       std::int64_t seed) {
  return std::string(save_path) + "/" + std::string(task) + "/" + std::string(exp_name) + "/seed_" +
         std::to_string(seed);
}

}  // namespace compute_scale
