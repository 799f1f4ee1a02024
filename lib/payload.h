// What a scaled job carries with it, typed. The text form is payload_wire.h's.
#ifndef COMPUTE_SCALE_LIB_PAYLOAD_H_
#define COMPUTE_SCALE_LIB_PAYLOAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "entry.h"
#include "gpu_amount.h"
#include "result.h"

namespace compute_scale {

struct Payload {                       // key in the text
  ScaleFactor scale;                   // scale: "0.5"
  std::string hardware;                // hardware: "h200"; absent where empty
  std::string entry;                   // entry: "task/label"; absent for a job without an entry
  std::optional<std::int64_t> base;    // base: whole GPUs of the request before, in total
  std::optional<std::int64_t> gpus;    // gpus: whole GPUs after, in total
  std::optional<std::int64_t> shards;  // shards: set where one GPU became so many shards
  std::int64_t het = 0;                // het: the component it belongs to
  EnvList env;                         // env.NAME: the entry's environment, in order
  EnvList slurm;  // slurm.NAME: Slurm's own counts, for the batch step to correct
};

// payload_wire.h's codec for lists of pairs. Errors: out of memory; a malformed text.
Result<std::string> encode_wire(const std::vector<std::pair<std::string, std::string>>& pairs);
Result<std::vector<std::pair<std::string, std::string>>> decode_wire(std::string_view text);

// Errors: a name that an entry may not set (payload_env_name_allowed), a NUL in a value, or a text
// that does not fit into one environment variable; they name the entry.
Result<std::string> encode_payload(const Payload& payload);

// Errors: a malformed text, an unknown or missing key, a value out of range. Any input is safe.
Result<Payload> decode_payload(std::string_view text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PAYLOAD_H_
