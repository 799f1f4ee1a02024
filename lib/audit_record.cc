#include "audit_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace compute_scale {
namespace {

constexpr char kStart[] = "compute-scale:";
constexpr char kSlurmKeys[] = "slurm.";
constexpr size_t kVersionLength = 2;  // "1;" in front of wire_encode's pairs
constexpr size_t kCountMost = 40;     // ",left_out=…"

bool is_shown(const WirePair& pair) {
  if (strncmp(pair.key, kSlurmKeys, strlen(kSlurmKeys)) == 0) return false;
  return strcmp(pair.key, "het") != 0 || strcmp(pair.value, "0") != 0;
}

struct Text {
  char* bytes;
  size_t length;
};

// False where the pair does not fit, or without memory.
bool append(const WirePair& pair, Text* text) {
  char* encoded = wire_encode(&pair, 1);
  if (encoded == nullptr) return false;
  const char* word = encoded + kVersionLength;
  const bool fits = text->length + 1 + strlen(word) <= kAuditMost;
  const char* separator = text->bytes[text->length - 1] == ':' ? "" : ",";
  if (fits) {
    const int added = snprintf(text->bytes + text->length, kAuditMost + 1 - text->length, "%s%s",
                               separator, word);
    text->length += static_cast<size_t>(added);
  }
  free(encoded);
  return fits;
}

}  // namespace

char* audit_text(const WireRecord& payload) {
  Text text = {static_cast<char*>(malloc(kAuditMost + kCountMost)), strlen(kStart)};
  if (text.bytes == nullptr) return nullptr;
  memcpy(text.bytes, kStart, sizeof kStart);
  size_t left_out = 0;
  for (size_t i = 0; i < payload.size; ++i) {
    if (is_shown(payload.pairs[i]) && !append(payload.pairs[i], &text)) ++left_out;
  }
  if (left_out > 0) snprintf(text.bytes + text.length, kCountMost, ",left_out=%zu", left_out);
  return text.bytes;
}

}  // namespace compute_scale
