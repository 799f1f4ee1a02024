// What became of a request, for those who look after the site. As payload_wire.h it needs libc
// only.
#ifndef COMPUTE_SCALE_LIB_AUDIT_RECORD_H_
#define COMPUTE_SCALE_LIB_AUDIT_RECORD_H_

#include <stddef.h>

#include "payload_wire.h"

namespace compute_scale {

// Longest record, but for the number of what is left out.
inline constexpr size_t kAuditMost = 1000;

// One word, to be freed with free(); null without memory:
//   compute-scale:scale=0.5,hardware=h200,entry=llm-rl-advantage/train,base=2,gpus=1,env.TP_SIZE=1
// The payload's pairs in their order, without slurm.* and a `het` of 0, escaped as in the payload:
// no blank, comma, quote, '|' or line break comes from a value, whoever wrote it. Pairs that do not
// fit are counted: ",left_out=3".
char* audit_text(const WireRecord& payload);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_AUDIT_RECORD_H_
