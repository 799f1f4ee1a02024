// Carries results out of a process that may end at any moment: each record is written at once.
#ifndef COMPUTE_SCALE_TESTS_PLUGIN_RECORD_H_
#define COMPUTE_SCALE_TESTS_PLUGIN_RECORD_H_

#include <string>
#include <vector>

namespace compute_scale_test {

struct Record {
  char kind;  // the writer's choice
  std::string name;
  std::string value;
};

void write_record(int file, const Record& record);
std::vector<Record> read_records(const std::string& text);

std::string read_all(const std::string& path);

}  // namespace compute_scale_test

#endif  // COMPUTE_SCALE_TESTS_PLUGIN_RECORD_H_
