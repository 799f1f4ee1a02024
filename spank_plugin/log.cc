#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "spank.h"

namespace compute_scale {
namespace {

// To be freed; null without memory.
char* format_text(const char* format, va_list arguments) {
  char* text = nullptr;
  return vasprintf(&text, format, arguments) < 0 ? nullptr : text;
}

void flatten(char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '\n' || *text == '\r') *text = ' ';
  }
}

void complain_text(char* text) {
  if (text == nullptr) {
    slurm_error("compute-scale: out of memory");
    return;
  }
  flatten(text);
  slurm_error("compute-scale: %s", text);
  free(text);
}

}  // namespace

void say(const char* text) {
  char* copy = nullptr;
  if (asprintf(&copy, "%s", text) < 0) return;
  flatten(copy);
  slurm_info("compute-scale: %s", copy);
  free(copy);
}

void complain(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_text(format_text(format, arguments));
  va_end(arguments);
}

void refuse(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_text(format_text(format, arguments));
  va_end(arguments);
  exit(1);
}

}  // namespace compute_scale
