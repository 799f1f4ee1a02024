#include "payload.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "payload_wire.h"

namespace compute_scale {
namespace {

ScaleFactor factor(const char* text) {
  return *ScaleFactor::parse(text);
}

Payload full_payload() {
  Payload payload;
  payload.scale = factor("0.5");
  payload.hardware = "h200";
  payload.entry = "llm-pretrain-loss/gpt-345m";
  payload.base = 4;
  payload.gpus = 2;
  payload.het = 1;
  payload.env = {{"BATCH_SIZE", "64"}, {"GRAD_ACCUM", "8"}, {"A", ""}, {"B", "x=y;z, \n\xc3\xa9"}};
  payload.slurm = {{"SLURM_NTASKS", "2"}};
  return payload;
}

TEST(Payload, HasOneTextualForm) {
  EXPECT_EQ(*encode_payload(full_payload()),
            "1;scale=0.5;hardware=h200;entry=llm-pretrain-loss/gpt-345m;base=4;gpus=2;het=1;"
            "env.BATCH_SIZE=64;env.GRAD_ACCUM=8;env.A=;env.B=x%3Dy%3Bz%2C%20%0A%C3%A9;"
            "slurm.SLURM_NTASKS=2");
  Payload scaled;
  scaled.scale = factor("0.25");
  EXPECT_EQ(*encode_payload(scaled), "1;scale=0.25;het=0");
  scaled.shards = 3;
  EXPECT_EQ(*encode_payload(scaled), "1;scale=0.25;shards=3;het=0");
}

TEST(Payload, ComesBackAsItWas) {
  const Payload sent = full_payload();
  const Result<Payload> received = decode_payload(*encode_payload(sent));
  ASSERT_TRUE(received.ok()) << received.error().text;
  EXPECT_EQ(received->scale, sent.scale);
  EXPECT_EQ(received->hardware, sent.hardware);
  EXPECT_EQ(received->entry, sent.entry);
  EXPECT_EQ(received->base, sent.base);
  EXPECT_EQ(received->gpus, sent.gpus);
  EXPECT_EQ(received->shards, sent.shards);
  EXPECT_EQ(received->het, sent.het);
  EXPECT_EQ(received->env, sent.env);
  EXPECT_EQ(received->slurm, sent.slurm);
}

TEST(Payload, RefusesWhatNoClientWrote) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "it is not of version 1"},
      {"1", "it names no scale"},
      {"1;het=0", "it names no scale"},
      {"1;scale=0", "scale=\"0\" is not a factor"},
      {"1;scale=nan", "scale=\"nan\" is not a factor"},
      {"1;scale=0.5;gpus=-1", "gpus=\"-1\" is not a count"},
      {"1;scale=0.5;gpus=", "gpus=\"\" is not a count"},
      {"1;scale=0.5;base=99999999999", "base=\"99999999999\" is not a count"},
      {"1;scale=0.5;het=x", "het=\"x\" is not a count"},
      {"1;scale=0.5;who=me", "unknown key \"who\""},
      {"1;scale=0.5;env.=x", "it sets \"\""},
      {"1;scale=0.5;env.SLURM_CONF=x", "it sets \"SLURM_CONF\""},
      {"1;scale=0.5;env.LD_PRELOAD=x", "it sets \"LD_PRELOAD\""},
      {"1;scale=0.5;env.A%20B=x", "it sets \"A B\""},
      {"1;scale=0.5;slurm.SLURM_CONF=x", "it corrects \"SLURM_CONF\""},
      {"1;scale=0.5;scale=0.5", "a key is in it twice"},
      {std::string("1;scale=0.5\0;gpus=2", 19), "it holds a NUL byte"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Payload> payload = decode_payload(text);
    ASSERT_FALSE(payload.ok()) << text;
    EXPECT_EQ(payload.error().text, "SLURM_COMPUTE_SCALE_PAYLOAD: " + expected) << text;
  }
}

std::string encoding_error(EnvList env) {
  Payload payload;
  payload.entry = "task/label";
  payload.env = std::move(env);
  const Result<std::string> text = encode_payload(payload);
  return text ? "" : text.error().text;
}

TEST(Payload, RefusesAnEnvironmentThatAJobCannotCarry) {
  EXPECT_EQ(encoding_error({{"SLURM_NTASKS", "1"}}),
            "task/label: an entry cannot set the variable \"SLURM_NTASKS\"");
  EXPECT_EQ(encoding_error({{"A=B", "1"}}), "task/label: an entry cannot set the variable \"A=B\"");
  EXPECT_EQ(encoding_error({{std::string("A\0B", 3), "1"}}),
            "task/label: an entry cannot set the variable \"A\\x00B\"");
  EXPECT_EQ(encoding_error({{"A", std::string("x\0y", 3)}}),
            "task/label: the value of A holds a NUL byte");
  EXPECT_EQ(encoding_error({{"A", std::string(130000, 'x')}}), "");
  EXPECT_EQ(encoding_error({{"A", std::string(131072, 'x')}}),
            "task/label: an environment of 131111 bytes (encoded) in 1 variable(s) is more than a "
            "job can carry: 131043 in 2048");
  // Escaped bytes count three times.
  EXPECT_NE(encoding_error({{"A", std::string(50000, ' ')}}), "");
}

// NAME=value with its NUL has to stay below 128 KiB.
TEST(Payload, LongestTextFitsIntoTheEnvironment) {
  Payload payload;
  payload.entry = "task/label";
  for (std::size_t length = 130900; length < 131072; ++length) {
    payload.env = {{"A", std::string(length, 'x')}};
    const Result<std::string> text = encode_payload(payload);
    if (!text) continue;
    EXPECT_LE(sizeof(kPayloadVariable) + text->size() + 1, 131072u);
  }
}

}  // namespace
}  // namespace compute_scale
