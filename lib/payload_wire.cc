#include "payload_wire.h"

#include <stdlib.h>
#include <string.h>

namespace compute_scale {
namespace {

constexpr char kVersion = '1';
constexpr char kHexDigits[] = "0123456789ABCDEF";
constexpr const char* kReservedPrefixes[] = {"SLURM_",  "SPANK_", "SBATCH_",
                                             "SALLOC_", "SRUN_",  "LD_"};
constexpr const char* kCorrectedNames[] = {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE"};

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_plain(char c) {
  return is_letter(c) || is_digit(c) || (c != '\0' && strchr("_.:/+-", c) != nullptr);
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool starts_with(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Turns %XX into bytes, in place.
bool unescape(char* text) {
  char* out = text;
  for (const char* in = text; *in != '\0'; ++in) {
    if (*in != '%') {
      if (!is_plain(*in)) return false;
      *out++ = *in;
      continue;
    }
    const int high = hex_value(in[1]);
    const int low = high < 0 ? -1 : hex_value(in[2]);
    if (low < 0 || high + low == 0) return false;
    *out++ = static_cast<char>(high * 16 + low);
    in += 2;
  }
  *out = '\0';
  return true;
}

// Appends `text` to `out`, or only measures it where `out` is null; returns the length.
size_t escape(const char* text, char* out) {
  size_t length = 0;
  for (; *text != '\0'; ++text) {
    if (is_plain(*text)) {
      if (out != nullptr) out[length] = *text;
      length += 1;
      continue;
    }
    const unsigned char byte = static_cast<unsigned char>(*text);
    if (out != nullptr) {
      out[length] = '%';
      out[length + 1] = kHexDigits[byte / 16];
      out[length + 2] = kHexDigits[byte % 16];
    }
    length += 3;
  }
  return length;
}

// Splits "key=value" at `text` and adds it to the record.
WireError add_pair(char* text, WireRecord* record) {
  char* equals = strchr(text, '=');
  if (equals == nullptr || equals == text) return WireError::kSyntax;
  *equals = '\0';
  if (!unescape(text) || !unescape(equals + 1)) return WireError::kSyntax;
  if (wire_get(record, text) != nullptr) return WireError::kDuplicate;
  record->pairs[record->size++] = {text, equals + 1};
  return WireError::kNone;
}

size_t count_of(const char* text, char wanted) {
  size_t count = 0;
  for (; *text != '\0'; ++text) count += *text == wanted;
  return count;
}

WireError decode_storage(WireRecord* record) {
  char* rest = record->storage + 1;
  if (*rest == '\0') return WireError::kNone;
  if (*rest != ';') return WireError::kVersion;
  bool last = false;
  while (!last) {
    char* pair = rest + 1;
    rest = pair + strcspn(pair, ";");
    last = *rest == '\0';
    *rest = '\0';
    if (const WireError error = add_pair(pair, record); error != WireError::kNone) return error;
  }
  return WireError::kNone;
}

}  // namespace

const char* wire_error_text(WireError error) {
  switch (error) {
    case WireError::kNone:
      return "no error";
    case WireError::kVersion:
      return "it is not of version 1";
    case WireError::kSyntax:
      return "it is not a list of key=value";
    case WireError::kDuplicate:
      return "a key is in it twice";
    case WireError::kTooLong:
      return "it is too long";
    case WireError::kMemory:
      return "out of memory";
  }
  return "unknown error";
}

WireError wire_decode(const char* text, WireRecord* record) {
  *record = {nullptr, 0, nullptr};
  const size_t length = strnlen(text, kEnvironmentStringMost + 1);
  if (length > kEnvironmentStringMost) return WireError::kTooLong;
  if (text[0] != kVersion) return WireError::kVersion;
  const size_t most = count_of(text, ';');
  if (most > kWirePairsMost) return WireError::kTooLong;
  record->storage = static_cast<char*>(malloc(length + 1));
  record->pairs = static_cast<WirePair*>(calloc(most + 1, sizeof(WirePair)));
  WireError error = WireError::kMemory;
  if (record->storage != nullptr && record->pairs != nullptr) {
    memcpy(record->storage, text, length + 1);
    error = decode_storage(record);
  }
  if (error != WireError::kNone) wire_free(record);
  return error;
}

void wire_free(WireRecord* record) {
  free(record->pairs);
  free(record->storage);
  *record = {nullptr, 0, nullptr};
}

char* wire_encode(const WirePair* pairs, size_t size) {
  size_t length = 1;
  for (size_t i = 0; i < size; ++i) {
    length += 2 + escape(pairs[i].key, nullptr) + escape(pairs[i].value, nullptr);
  }
  char* text = static_cast<char*>(malloc(length + 1));
  if (text == nullptr) return nullptr;
  char* out = text;
  *out++ = kVersion;
  for (size_t i = 0; i < size; ++i) {
    *out++ = ';';
    out += escape(pairs[i].key, out);
    *out++ = '=';
    out += escape(pairs[i].value, out);
  }
  *out = '\0';
  return text;
}

const char* wire_get(const WireRecord* record, const char* key) {
  for (size_t i = 0; i < record->size; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the first `size` pairs have keys.
    if (strcmp(record->pairs[i].key, key) == 0) return record->pairs[i].value;
  }
  return nullptr;
}

bool payload_env_name_allowed(const char* name) {
  if (!is_letter(*name) && *name != '_') return false;
  for (const char* c = name; *c != '\0'; ++c) {
    if (!is_letter(*c) && !is_digit(*c) && *c != '_') return false;
  }
  for (const char* prefix : kReservedPrefixes) {
    if (starts_with(name, prefix)) return false;
  }
  return true;
}

bool payload_slurm_name_allowed(const char* name) {
  for (const char* known : kCorrectedNames) {
    if (strcmp(name, known) == 0) return true;
  }
  return false;
}

}  // namespace compute_scale
