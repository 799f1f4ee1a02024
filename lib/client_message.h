// What the client says about a decision, in one line.
#ifndef COMPUTE_SCALE_LIB_CLIENT_MESSAGE_H_
#define COMPUTE_SCALE_LIB_CLIENT_MESSAGE_H_

#include <string>
#include <vector>

#include "entry.h"
#include "gpu_rewrite.h"
#include "hardware.h"
#include "payload.h"

namespace compute_scale {

// "on h200 (0.5)", or "(0.3)" where the factor is no hardware's.
std::string scale_text(const Scale& scale);

// "gpu 4 -> 2", "gpu 2", "gpu 1 -> shard:3", "gpu 4 -> 2 per node"; "" without GPUs.
std::string gpu_text(const RequestPlan& plan);

// "BATCH_SIZE=64 GRAD_ACCUM=8"; values quoted as for a shell, long ones cut.
std::string environment_text(const EnvList& env);

// "`subject`: gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8, ntasks 3 kept".
std::string message_text(const std::string& subject, const RequestPlan& plan, const EnvList& env);

// What became of the request as one word (audit_record.h).
std::string record_text(const Payload& payload, const RequestPlan& plan);

// "4 GPUs", "1 GPU", "4 GPUs per node": what a request asks for.
std::string request_text(const RequestPlan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CLIENT_MESSAGE_H_
