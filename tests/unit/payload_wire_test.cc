#include "payload_wire.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace compute_scale {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string encode(const Pairs& pairs) {
  std::vector<WirePair> wire;
  for (const auto& [key, value] : pairs) wire.push_back({key.c_str(), value.c_str()});
  char* text = wire_encode(wire.data(), wire.size());
  std::string result = text;
  std::free(text);
  return result;
}

// The pairs of a text, or a single pair {"error", its sentence}.
Pairs decode(const std::string& text) {
  WireRecord record;
  const WireError error = wire_decode(text.c_str(), &record);
  if (error != WireError::kNone) {
    EXPECT_EQ(record.pairs, nullptr);
    EXPECT_EQ(record.size, 0u);
    return {{"error", wire_error_text(error)}};
  }
  Pairs pairs;
  for (size_t i = 0; i < record.size; ++i) {
    pairs.emplace_back(record.pairs[i].key, record.pairs[i].value);
    EXPECT_STREQ(wire_get(&record, record.pairs[i].key), record.pairs[i].value);
  }
  EXPECT_EQ(wire_get(&record, "no such key"), nullptr);
  wire_free(&record);
  return pairs;
}

struct TextCase {
  Pairs pairs;
  std::string text;
};

TEST(PayloadWire, WritesAndReadsText) {
  const std::vector<TextCase> cases = {
      {{}, "1"},
      {{{"scale", "0.5"}}, "1;scale=0.5"},
      {{{"a", ""}, {"b", "x"}}, "1;a=;b=x"},
      {{{"entry", "llm-pretrain-loss/gpt-345m"}}, "1;entry=llm-pretrain-loss/gpt-345m"},
      {{{"env.A", "a b=c;d,e%"}}, "1;env.A=a%20b%3Dc%3Bd%2Ce%25"},
      {{{"env.A", "line\nnext\ttab\r"}}, "1;env.A=line%0Anext%09tab%0D"},
      {{{"env.A", "\xc3\xa9\xff\x01"}}, "1;env.A=%C3%A9%FF%01"},
      {{{"env.A", "$(x) `y` \"z\" 'w' \\"}},
       "1;env.A=%24%28x%29%20%60y%60%20%22z%22%20%27w%27%20%5C"},
      {{{"a;b=c", "d"}}, "1;a%3Bb%3Dc=d"},
  };
  for (const TextCase& c : cases) {
    EXPECT_EQ(encode(c.pairs), c.text);
    EXPECT_EQ(decode(c.text), c.pairs) << c.text;
  }
}

TEST(PayloadWire, CarriesEveryByte) {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
  const Pairs pairs = {{every, every}, {"last", "-"}};
  EXPECT_EQ(decode(encode(pairs)), pairs);
}

TEST(PayloadWire, AcceptsLowerCaseDigits) {
  EXPECT_EQ(decode("1;a=%c3%a9"), (Pairs{{"a", "\xc3\xa9"}}));
}

TEST(PayloadWire, RefusesWhatItDidNotWrite) {
  const std::vector<std::pair<std::string, WireError>> cases = {
      {"", WireError::kVersion},
      {"2;a=b", WireError::kVersion},
      {"11;a=b", WireError::kVersion},
      {"a=b", WireError::kVersion},
      {"1;", WireError::kSyntax},
      {"1;;a=b", WireError::kSyntax},
      {"1;a=b;", WireError::kSyntax},
      {"1;a", WireError::kSyntax},
      {"1;=b", WireError::kSyntax},
      {"1;a=b=c", WireError::kSyntax},
      {"1;a=b c", WireError::kSyntax},
      {"1;a=\xc3\xa9", WireError::kSyntax},
      {"1;a=%", WireError::kSyntax},
      {"1;a=%4", WireError::kSyntax},
      {"1;a=%4;b=c", WireError::kSyntax},
      {"1;a=%G1", WireError::kSyntax},
      {"1;a=%-1", WireError::kSyntax},
      {"1;a=%00", WireError::kSyntax},
      {"1;a=b;a=c", WireError::kDuplicate},
      {"1;a=b;%61=c", WireError::kDuplicate},
      {"1;a=" + std::string(kEnvironmentStringMost, 'x'), WireError::kTooLong},
      {"1" + std::string(kWirePairsMost + 1, ';'), WireError::kTooLong},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(decode(text), (Pairs{{"error", wire_error_text(error)}})) << text.substr(0, 40);
  }
}

// Every prefix and every one-byte change of a real text is either read or refused, never worse.
TEST(PayloadWire, SurvivesDamage) {
  const std::string text = encode({{"scale", "0.5"}, {"env.A", "a b\n%"}, {"gpus", "2"}});
  for (size_t cut = 0; cut <= text.size(); ++cut) decode(text.substr(0, cut));
  for (size_t place = 0; place < text.size(); ++place) {
    for (int byte = 1; byte < 256; ++byte) {
      std::string damaged = text;
      damaged[place] = static_cast<char>(byte);
      decode(damaged);
    }
  }
}

TEST(PayloadWire, NamesThatAnEntryMaySet) {
  for (const char* name : {"BATCH_SIZE", "_x", "a1", "SLURMY", "PATH", "SLURM", "LDFLAGS"}) {
    EXPECT_TRUE(payload_env_name_allowed(name)) << name;
  }
  for (const char* name : {"", "1A", "A-B", "A=B", "A B", "\xc3\xa9", "SLURM_X", "SPANK_X",
                           "SBATCH_X", "SALLOC_X", "SRUN_X", "LD_PRELOAD", "A\n"}) {
    EXPECT_FALSE(payload_env_name_allowed(name)) << name;
  }
}

TEST(PayloadWire, CountsThatTheBatchStepMayCorrect) {
  EXPECT_TRUE(payload_slurm_name_allowed("SLURM_NTASKS"));
  EXPECT_TRUE(payload_slurm_name_allowed("SLURM_NPROCS"));
  EXPECT_TRUE(payload_slurm_name_allowed("SLURM_NTASKS_PER_NODE"));
  EXPECT_FALSE(payload_slurm_name_allowed("SLURM_JOB_ID"));
  EXPECT_FALSE(payload_slurm_name_allowed("slurm_ntasks"));
  EXPECT_FALSE(payload_slurm_name_allowed(""));
}

}  // namespace
}  // namespace compute_scale
