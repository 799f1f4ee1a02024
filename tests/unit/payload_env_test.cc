#include "payload_env.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "payload.h"

namespace compute_scale {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(Variables& variables) {
  return {&variables,
          [](void* handle, const char* name) -> const char* {
            const Variables& all = *static_cast<Variables*>(handle);
            const auto found = all.find(name);
            return found == all.end() ? nullptr : found->second.c_str();
          },
          [](void* handle, const char* name, const char* value) {
            (*static_cast<Variables*>(handle))[name] = value;
            return true;
          },
          [](void* handle, const char* name) { static_cast<Variables*>(handle)->erase(name); }};
}

// What a container makes of them: tests/containers/apptainer.bats.
TEST(PayloadEnv, TwinsAreEscapedForTheScriptThatSetsThem) {
  const struct {
    const char* value;
    const char* twin;
  } cases[] = {
      {"0,1", "0,1"},   {"a\"b=c'", "a\"b=c'"},   {"$(id)`id`$HOME", "\\$(id)\\`id\\`\\$HOME"},
      {"", ""},         {"\xc3\xa9", "\xc3\xa9"}, {"a\\nb\\", "a\\\\nb\\\\"},
      {"1\n2", "1\n2"}, {"x\\\"y", "x\\\\\"y"},
  };
  for (const auto& c : cases) {
    WirePair pairs[] = {{"env.A", c.value}};
    const WireRecord payload = {pairs, 1, nullptr};
    Variables variables = {{"A", "before"}};
    const Environment environment = environment_of(variables);
    EXPECT_EQ(apply_payload(environment, payload), nullptr);
    EXPECT_EQ(variables["A"], c.value);
    EXPECT_EQ(variables["APPTAINERENV_A"], c.twin);
    EXPECT_EQ(variables["SINGULARITYENV_A"], c.twin);
    undo_payload(environment, payload);
    EXPECT_EQ(variables, (Variables{{"A", "before"}}));
  }
}

// In whichever order it names them.
TEST(PayloadEnv, ATwinThatTheEntrySetsItselfIsTheEntrys) {
  for (const bool twin_first : {false, true}) {
    WirePair pairs[] = {{"env.A", "$x"}, {"env.APPTAINERENV_A", "own"}};
    if (twin_first) std::swap(pairs[0], pairs[1]);
    const WireRecord payload = {pairs, 2, nullptr};
    const Variables before = {{"A", "1"}, {"APPTAINERENV_A", "2"}};
    Variables variables = before;
    const Environment environment = environment_of(variables);
    EXPECT_EQ(apply_payload(environment, payload), nullptr);
    EXPECT_EQ(variables["A"], "$x");
    EXPECT_EQ(variables["APPTAINERENV_A"], "own");
    EXPECT_EQ(variables["SINGULARITYENV_A"], "\\$x");
    undo_payload(environment, payload);
    EXPECT_EQ(variables, before);
  }
}

}  // namespace
}  // namespace compute_scale
