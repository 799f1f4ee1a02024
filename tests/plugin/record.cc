#include "record.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace compute_scale_test {
namespace {

std::string with_length(const std::string& text) {
  return std::to_string(text.size()) + ":" + text;
}

std::string take(std::istream& in) {
  std::size_t length = 0;
  char colon = 0;
  in >> length >> colon;
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  return text;
}

}  // namespace

void write_record(int file, const Record& record) {
  const std::string text = record.kind + with_length(record.name) + with_length(record.value);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
}

std::vector<Record> read_records(const std::string& text) {
  std::vector<Record> records;
  std::istringstream in(text);
  for (char kind = 0; in.get(kind);) {
    Record record = {kind, take(in), ""};
    record.value = take(in);
    records.push_back(record);
  }
  return records;
}

std::string read_all(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace compute_scale_test
