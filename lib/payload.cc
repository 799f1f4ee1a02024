#include "payload.h"

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "payload_wire.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::string_view kEnvPrefix = "env.";
constexpr std::string_view kSlurmPrefix = "slurm.";
constexpr std::int64_t kMostNumber = 1000000000;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const Payload& payload) {
  Pairs pairs = {{"scale", payload.scale.to_string()}};
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) pairs.emplace_back(key, value);
  };
  const auto number = [&](const char* key, const std::optional<std::int64_t>& value) {
    if (value) pairs.emplace_back(key, std::to_string(*value));
  };
  text("hardware", payload.hardware);
  text("entry", payload.entry);
  number("base", payload.base);
  number("gpus", payload.gpus);
  number("shards", payload.shards);
  number("het", payload.het);
  for (const auto& [name, value] : payload.env) {
    pairs.emplace_back(std::string(kEnvPrefix) + name, value);
  }
  for (const auto& [name, value] : payload.slurm) {
    pairs.emplace_back(std::string(kSlurmPrefix) + name, value);
  }
  return pairs;
}

Status check_environment(const Payload& payload) {
  for (const auto& [name, value] : payload.env) {
    if (name.find('\0') != std::string::npos || !payload_env_name_allowed(name.c_str())) {
      return task_error(payload.entry + ": an entry cannot set the variable " + quoted(name));
    }
    if (value.find('\0') != std::string::npos) {
      return task_error(payload.entry + ": the value of " + name + " holds a NUL byte");
    }
  }
  return Done{};
}

Error broken(const std::string& what) {
  return site_error(std::string(kPayloadVariable) + ": " + what);
}

Status read_number(const std::string& key, const std::string& value, std::int64_t& number) {
  const std::optional<std::int64_t> digits = parse_digits(value);
  if (!digits || *digits > kMostNumber) {
    return broken(key + "=" + quoted(value) + " is not a count");
  }
  number = *digits;
  return Done{};
}

Status read_optional(const std::string& key, const std::string& value,
                     std::optional<std::int64_t>& number) {
  std::int64_t digits = 0;
  COMPUTE_SCALE_CHECK(read_number(key, value, digits));
  number = digits;
  return Done{};
}

Status read_variable(const std::string& key, const std::string& value, Payload& payload) {
  if (starts_with(key, kEnvPrefix)) {
    const std::string name = key.substr(kEnvPrefix.size());
    if (!payload_env_name_allowed(name.c_str())) return broken("it sets " + quoted(name));
    payload.env.emplace_back(name, value);
    return Done{};
  }
  if (starts_with(key, kSlurmPrefix)) {
    const std::string name = key.substr(kSlurmPrefix.size());
    if (!payload_slurm_name_allowed(name.c_str())) return broken("it corrects " + quoted(name));
    payload.slurm.emplace_back(name, value);
    return Done{};
  }
  return broken("unknown key " + quoted(key));
}

Status read_pair(const std::string& key, const std::string& value, Payload& payload) {
  if (key == "scale") {
    const Result<ScaleFactor> factor = ScaleFactor::parse(value);
    if (!factor) return broken("scale=" + quoted(value) + " is not a factor");
    payload.scale = *factor;
    return Done{};
  }
  if (key == "hardware") {
    payload.hardware = value;
    return Done{};
  }
  if (key == "entry") {
    payload.entry = value;
    return Done{};
  }
  if (key == "base") return read_optional(key, value, payload.base);
  if (key == "gpus") return read_optional(key, value, payload.gpus);
  if (key == "shards") return read_optional(key, value, payload.shards);
  if (key == "het") return read_number(key, value, payload.het);
  return read_variable(key, value, payload);
}

}  // namespace

Result<std::string> encode_wire(const Pairs& pairs) {
  std::vector<WirePair> wire;
  for (const auto& [key, value] : pairs) wire.push_back({key.c_str(), value.c_str()});
  const std::unique_ptr<char, decltype(&std::free)> text(wire_encode(wire.data(), wire.size()),
                                                         &std::free);
  if (text == nullptr) return site_error("out of memory");
  return std::string(text.get());
}

Result<Pairs> decode_wire(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return site_error("it holds a NUL byte");
  WireRecord record;
  const WireError error = wire_decode(std::string(text).c_str(), &record);
  if (error != WireError::kNone) return site_error(wire_error_text(error));
  const std::unique_ptr<WireRecord, decltype(&wire_free)> owner(&record, &wire_free);
  Pairs pairs;
  for (std::size_t i = 0; i < record.size; ++i) {
    pairs.emplace_back(record.pairs[i].key, record.pairs[i].value);
  }
  return pairs;
}

Result<std::string> encode_payload(const Payload& payload) {
  COMPUTE_SCALE_CHECK(check_environment(payload));
  COMPUTE_SCALE_TRY(text, encode_wire(pairs_of(payload)));
  const std::size_t most = kEnvironmentStringMost - sizeof(kPayloadVariable);
  if (text.size() > most || payload.env.size() > kWirePairsMost / 2) {
    return task_error(payload.entry + ": an environment of " + std::to_string(text.size()) +
                      " bytes (encoded) in " + std::to_string(payload.env.size()) +
                      " variable(s) is more than a job can carry: " + std::to_string(most) +
                      " in " + std::to_string(kWirePairsMost / 2));
  }
  return text;
}

Result<Payload> decode_payload(std::string_view text) {
  const Result<Pairs> pairs = decode_wire(text);
  if (!pairs) return broken(pairs.error().text);
  Payload payload;
  bool has_scale = false;
  for (const auto& [key, value] : *pairs) {
    COMPUTE_SCALE_CHECK(read_pair(key, value, payload));
    has_scale = has_scale || key == "scale";
  }
  if (!has_scale) return broken("it names no scale");
  return payload;
}

}  // namespace compute_scale
