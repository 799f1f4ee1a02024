#include "audit_record.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace compute_scale {
namespace {

std::string audit_of(const std::string& payload) {
  WireRecord record = {nullptr, 0, nullptr};
  EXPECT_EQ(wire_decode(payload.c_str(), &record), WireError::kNone);
  char* text = audit_text(record);
  wire_free(&record);
  std::string out = text;
  free(text);
  return out;
}

TEST(AuditRecord, SaysWhatThePayloadSays) {
  EXPECT_EQ(audit_of("1;scale=0.5;hardware=h200;entry=llm/train;base=4;gpus=2;het=0;env.A=64;"
                     "slurm.SLURM_NTASKS=2"),
            "compute-scale:scale=0.5,hardware=h200,entry=llm/train,base=4,gpus=2,env.A=64");
  EXPECT_EQ(audit_of("1;scale=0.5;base=1;shards=3;het=1"),
            "compute-scale:scale=0.5,base=1,shards=3,het=1");
  EXPECT_EQ(audit_of("1"), "compute-scale:");
}

// A user can write the payload: it must not be able to make another line or field of it.
TEST(AuditRecord, IsOneWordWhateverThePayloadHolds) {
  EXPECT_EQ(audit_of("1;entry=a%0Ab%20c%2Cd%3De%7Cf%22g%27h%1B;%0Ax=%25"),
            "compute-scale:entry=a%0Ab%20c%2Cd%3De%7Cf%22g%27h%1B,%0Ax=%25");
}

TEST(AuditRecord, HasABound) {
  const std::string value(900, 'v');
  EXPECT_EQ(audit_of("1;scale=0.5;env.A=" + value + ";env.B=" + value + ";env.C=" + "%0A;env.D=1"),
            "compute-scale:scale=0.5,env.A=" + value + ",env.C=%0A,env.D=1,left_out=1");
  std::string most = "1";
  for (size_t i = 0; i < kWirePairsMost; ++i) most += ";k" + std::to_string(i) + "=1";
  const std::string text = audit_of(most);
  EXPECT_LT(text.size(), kAuditMost + 30);
  EXPECT_NE(text.find(",left_out="), std::string::npos);
}

}  // namespace
}  // namespace compute_scale
