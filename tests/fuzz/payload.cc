// A payload, which a user can forge: what it does to a job's environment, and how it is undone.
#include "payload.h"

#include <cstring>
#include <map>
#include <set>

#include "fuzz.h"
#include "payload_env.h"

namespace compute_scale::fuzz {
namespace {

using Variables = std::map<std::string, std::string>;

struct Job {
  Variables variables;
  std::set<std::string> touched;
};

Environment environment_of(Job& job) {
  return {&job,
          [](void* handle, const char* name) -> const char* {
            const Variables& all = static_cast<Job*>(handle)->variables;
            const auto found = all.find(name);
            return found == all.end() ? nullptr : found->second.c_str();
          },
          [](void* handle, const char* name, const char* value) {
            static_cast<Job*>(handle)->touched.insert(name);
            static_cast<Job*>(handle)->variables[name] = value;
            return true;
          },
          [](void* handle, const char* name) {
            static_cast<Job*>(handle)->touched.insert(name);
            static_cast<Job*>(handle)->variables.erase(name);
          }};
}

const Variables& before() {
  static const Variables variables = {
      {"A", "1"},       {"APPTAINERENV_A", "2"}, {"BATCH_SIZE", "32"}, {"LD_PRELOAD", ""},
      {"PATH", "/bin"}, {"SLURM_JOB_ID", "7"},   {"SLURM_NTASKS", "4"}};
  return variables;
}

// Said anew, so that the product's own list is not its only judge.
bool steers_slurm_or_linker(const std::string& name) {
  for (const char* prefix : {"SLURM_", "SPANK_", "SBATCH_", "SALLOC_", "SRUN_", "LD_"}) {
    if (starts_with(name, prefix) && !starts_with(name, "SLURM_COMPUTE_")) return true;
  }
  return false;
}

void check_environment(const WireRecord& payload) {
  Job job{before(), {}};
  const Environment environment = environment_of(job);
  if (apply_payload(environment, payload) != nullptr) {
    require(job.touched.empty(), "a refused payload changes nothing");
    return;
  }
  for (const std::string& name : job.touched) {
    require(!steers_slurm_or_linker(name), "a payload steers neither Slurm nor the linker", name);
  }
  undo_payload(environment, payload);
  require(job.variables == before(), "a payload can be undone");
  job.touched.clear();
  correct_task_counts(environment, payload);
  for (const std::string& name : job.touched) {
    require(name == "SLURM_NTASKS", "only counts that are there are corrected", name);
  }
}

void check_round_trip(const WireRecord& record) {
  char* text = wire_encode(record.pairs, record.size);
  require(text != nullptr, "a record can be written");
  WireRecord again = {nullptr, 0, nullptr};
  // Written plainly it may be longer than it was.
  const WireError error = wire_decode(text, &again);
  require(error == WireError::kNone || error == WireError::kTooLong, "a record is read again");
  if (error == WireError::kNone) {
    require(again.size == record.size, "a record keeps its pairs", text);
    for (std::size_t i = 0; i < again.size; ++i) {
      require(std::strcmp(again.pairs[i].key, record.pairs[i].key) == 0 &&
                  std::strcmp(again.pairs[i].value, record.pairs[i].value) == 0,
              "a pair is read as it was written", text);
    }
    wire_free(&again);
  }
  std::free(text);
}

void check_typed(std::string_view text) {
  const auto payload = decode_payload(text);
  if (!good(payload)) return;
  const auto written = encode_payload(*payload);
  if (!good(written)) return;
  const auto again = decode_payload(*written);
  require(again.ok() && again->env == payload->env && again->slurm == payload->slurm &&
              again->scale == payload->scale && again->gpus == payload->gpus,
          "a payload is written as it is read", text);
}

}  // namespace
}  // namespace compute_scale::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale;
  const std::string text(fuzz::text_of(data, size));
  fuzz::check_typed(text);
  WireRecord record = {nullptr, 0, nullptr};
  const WireError error = wire_decode(text.c_str(), &record);
  fuzz::require(std::strlen(wire_error_text(error)) > 0, "an error has a text");
  if (error != WireError::kNone) {
    fuzz::require(record.pairs == nullptr && record.size == 0, "a bad text leaves no record");
    return 0;
  }
  fuzz::check_round_trip(record);
  fuzz::check_environment(record);
  wire_free(&record);
  return 0;
}
