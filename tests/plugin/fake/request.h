// The request as the fake Slurm holds it: what `opt` points to in the real programs.
#ifndef COMPUTE_SCALE_TESTS_PLUGIN_FAKE_REQUEST_H_
#define COMPUTE_SCALE_TESTS_PLUGIN_FAKE_REQUEST_H_

#include <map>
#include <set>
#include <string>

struct FakeRequest {
  std::map<std::string, std::string> values;
  std::set<std::string> derived;  // names that have a value but do not count as set
  std::set<std::string> refused;  // names that cannot be set
};

#endif  // COMPUTE_SCALE_TESTS_PLUGIN_FAKE_REQUEST_H_
