// Comparison with files of tests/golden.
#ifndef COMPUTE_SCALE_TESTS_UNIT_GOLDEN_H_
#define COMPUTE_SCALE_TESTS_UNIT_GOLDEN_H_

#include <string>

namespace compute_scale {

// Fails unless tests/golden/`name` holds exactly `text`; with GOLDEN_ACCEPT=1 in the environment
// (`make golden-accept`) writes it there instead. Tests run in the root of the repository.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_GOLDEN_H_
