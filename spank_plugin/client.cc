#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "instance.h"
#include "library.h"
#include "log.h"
#include "options.h"
#include "payload_env.h"
#include "process_environment.h"
#include "slurm_options.h"

namespace compute_scale {
namespace {

// With the name under which the job control of sbatch and salloc passes a variable on.
constexpr char kPayloadJobControl[] = "COMPUTE_SCALE_PAYLOAD";

struct Client {
  Command command;
  Arguments arguments;
  int plugstack_lines;     // that load this very file
  int post_opt_calls;      // of all lines
  char* job_payload;       // the surrounding job's, null if there is none
  bool payload_delivered;  // this command put a payload of its own into the environment
};

Client client;

// The number of the present component, and whether it was dealt with on behalf of another line.
struct Call {
  int component;
  bool repeated;
};

Call count_call() {
  const int call = client.post_opt_calls++;
  return {call / client.plugstack_lines, call % client.plugstack_lines != 0};
}

bool is_step() {
  return client.command == Command::kSrun && option_is_set("jobid");
}

int component_of(int call_component) {
  const int group = client.command == Command::kSrun ? het_group() : -1;
  return group >= 0 ? group : call_component;
}

compute_scale_client_input input_for(const Request& request, int component) {
  compute_scale_client_input input = {};
  input.api_version = COMPUTE_SCALE_CLIENT_API_VERSION;
  input.command = command_name(client.command);
  input.site_config = client.arguments.config;
  input.user_config = getenv("COMPUTE_SCALE_CONFIG");
  input.home = getenv("HOME");
  input.scale = option_value(Option::kScale);
  input.entry = option_value(Option::kEntry);
  input.unprofiled = option_value(Option::kUnprofiled);
  input.in_allocation = is_step() ? 1 : 0;
  input.job_payload = client.job_payload;
  input.het_component = component;
  input.request = request.options;
  input.request_size = request.size;
  input.environment = environ;
  return input;
}

void apply_request(const compute_scale_client_decision& decision) {
  for (size_t i = 0; i < decision.request_size; ++i) {
    const compute_scale_setting& setting = decision.request[i];
    if (set_option(setting.name, setting.value)) continue;
    refuse("Slurm does not take --%s=%s", setting.name,
           setting.value == nullptr ? "" : setting.value);
  }
}

// The component that the surrounding job's payload belongs to; -1 without one that can be read.
int job_payload_component() {
  WireRecord payload = {nullptr, 0, nullptr};
  if (client.job_payload == nullptr) return -1;
  if (wire_decode(client.job_payload, &payload) != WireError::kNone) return -1;
  const char* component = wire_get(&payload, "het");
  const int number = component == nullptr ? 0 : atoi(component);
  wire_free(&payload);
  return number;
}

// The components of one srun share its environment, which holds one payload; on the node it counts
// for the component that it belongs to, and the others go without.
void check_single_payload(int call_component, bool named) {
  if (client.command != Command::kSrun || call_component == 0) return;
  const bool needs_job_payload = job_payload_component() == component_of(call_component);
  const bool conflict = named ? client.payload_delivered || client.job_payload != nullptr
                              : client.payload_delivered && needs_job_payload;
  if (conflict) refuse("one srun carries one entry: start a srun for each component");
}

// --export-file empties the environment after this hook and before what the job control holds is
// put into it (main in Slurm's src/sbatch/sbatch.c).
void deliver_payload(spank_t spank, const char* payload) {
  client.payload_delivered = true;
  if (client.command == Command::kSbatch && option_is_set("export-file")) {
    spank_job_control_setenv(spank, kPayloadJobControl, payload, 1);
  }
}

void apply_environment(spank_t spank, const compute_scale_client_decision& decision) {
  for (size_t i = 0; i < decision.environment_size; ++i) {
    const compute_scale_setting& setting = decision.environment[i];
    if (setting.value == nullptr) {
      unsetenv(setting.name);
    } else if (setenv(setting.name, setting.value, 1) != 0) {
      refuse("cannot set the variable %s", setting.name);
    } else if (strcmp(setting.name, kPayloadVariable) == 0) {
      deliver_payload(spank, setting.value);
    }
  }
}

void report(const compute_scale_client_decision& decision) {
  if (decision.record != nullptr) slurm_verbose("%s", decision.record);
  if (decision.message != nullptr && !option_is_set("quiet")) say(decision.message);
  if (decision.comment != nullptr && !is_step() && !option_is_set("comment")) {
    set_option("comment", decision.comment);
  }
}

void ask_library(spank_t spank, const Request& request, int component, int call_component) {
  const compute_scale_client_decision* decision = decide(input_for(request, component));
  if (decision->refused != 0) {
    refuse("%s", decision->message == nullptr ? "refused" : decision->message);
  }
  apply_request(*decision);
  // sbatch and salloc start programs with the first component's environment only.
  if (call_component == 0 || client.command == Command::kSrun) {
    apply_environment(spank, *decision);
  }
  report(*decision);
  free_decision(decision);
}

void handle_named(spank_t spank, int call_component) {
  if (const char* symbol = missing_request_symbol(); symbol != nullptr) {
    refuse("this Slurm has no '%s', by which a request is rewritten", symbol);
  }
  if (client.arguments.fault != nullptr) {
    complain(
        "argument '%s' of the plugstack line is ignored: known are config=/FILE and "
        "library=/FILE",
        client.arguments.fault);
  }
  check_single_payload(call_component, true);
  if (const char* fault = open_library(client.arguments.library); fault != nullptr) {
    refuse("cannot use the library %s: %s", client.arguments.library, fault);
  }
  ask_library(spank, read_request(is_step()), component_of(call_component), call_component);
}

// A step of a scaled job: its environment comes from the payload, on the node. Only counts that the
// user typed may have to follow, and only then the library is worth its time.
void handle_inherited_step(spank_t spank, int call_component) {
  check_single_payload(call_component, false);
  const Request request = read_request(true);
  if (!asks_for_gpus(request) || job_payload_component() != component_of(call_component)) return;
  if (const char* fault = open_library(client.arguments.library); fault != nullptr) {
    slurm_verbose("compute-scale: counts of this step are left: cannot use the library: %s", fault);
    return;
  }
  ask_library(spank, request, component_of(call_component), call_component);
}

// A job that is started from a scaled job and names nothing is not scaled, and does not see that
// the other one was.
void leave_surrounding_job(int call_component) {
  if (call_component > 0) return;
  WireRecord payload = {nullptr, 0, nullptr};
  wire_decode(client.job_payload, &payload);
  undo_payload(process_environment(), payload);
  wire_free(&payload);
}

void handle_component(spank_t spank, int call_component) {
  const bool named = any_option_named();
  if (!named && client.job_payload == nullptr) return;
  if (!is_first_copy()) return;
  if (named) {
    handle_named(spank, call_component);
  } else if (missing_request_symbol() == nullptr && !is_step()) {
    leave_surrounding_job(call_component);
  } else if (missing_request_symbol() == nullptr) {
    handle_inherited_step(spank, call_component);
  }
}

}  // namespace

void client_init(spank_t spank, int count, char** arguments) {
  const Command command = running_command();
  if (command == Command::kOther) return;
  if (client.plugstack_lines++ > 0) return;
  client.command = command;
  client.arguments = parse_arguments(count, arguments);
  const char* payload = getenv(kPayloadVariable);
  client.job_payload = payload == nullptr ? nullptr : strdup(payload);
  register_options(spank);
  take_twins(command, client.job_payload);
}

void client_post_opt(spank_t spank) {
  if (client.plugstack_lines == 0) return;
  const Call call = count_call();
  if (!call.repeated) handle_component(spank, call.component);
  // Slurm passes the options on before every call of this hook.
  finish_component(spank, client.command);
}

}  // namespace compute_scale
