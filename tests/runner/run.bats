# tests/run itself: a runner that miscounts would hide what all other tests say.

setup_file() {
  export EXAMPLE=$BATS_FILE_TMPDIR/example
  g++ -x c++ - -o "$EXAMPLE" -lgtest -lgtest_main -lpthread << 'END'
#include <gtest/gtest.h>
#include <cstdlib>
TEST(Good, One) { puts("[       OK ] not a result"); }
TEST(Good, Two) {}
TEST(Bad, Fails) { EXPECT_EQ(1, 2); }
TEST(Skip, Skips) { GTEST_SKIP(); }
TEST(Crash, Aborts) { abort(); }
TEST(Late, LeavesBadly) { atexit([] { _Exit(7); }); }
END
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  runner=$BATS_TEST_DIRNAME/../run
}

# gtest FILTER: a program that runs these tests of the example.
gtest() {
  printf '#!/bin/sh\nexec "%s" --gtest_filter="%s" "$@"\n' "$EXAMPLE" "$1" > gtest-program
  chmod +x gtest-program
}

# tap: a program that prints what is read from stdin, and ends with the given status.
tap() {
  {
    printf '#!/bin/sh\ncat << "END"\n'
    cat
    printf 'END\nexit %d\n' "${1:-0}"
  } > tap-program
  chmod +x tap-program
}

# expect STATUS LAST-LINE SUITE...
expect() {
  run "$runner" "${@:3}"
  [ "$status" -eq "$1" ]
  [ "${lines[-1]}" = "$2" ]
}

@test "passes of all kinds of suites are added up" {
  gtest 'Good.*'
  tap <<< $'1..2\nok 1 a\nok 2 b'
  printf '@test "x" { true; }\n@test "y" { true; }\n@test "z" { true; }\n' > some.bats
  expect 0 '7 passed, 0 failed' gtest:./gtest-program tap:./tap-program bats:some.bats
}

@test "failures are counted and named" {
  gtest 'Good.*:Bad.*'
  tap 1 <<< $'1..2\nok 1 a\nnot ok 2 b is broken'
  printf '@test "x" { true; }\n@test "y" { false; }\n' > some.bats
  expect 1 '4 passed, 3 failed' gtest:./gtest-program tap:./tap-program bats:some.bats
  [[ $output == *'FAILED gtest:./gtest-program: Bad.Fails'* ]]
  [[ $output == *'FAILED tap:./tap-program: 2 b is broken'* ]]
  [[ $output == *'FAILED bats:some.bats: 2 y'* ]]
}

@test "skipped tests are not passed ones" {
  gtest 'Good.*:Skip.*'
  tap <<< $'1..2\nok 1 a\nok 2 b # SKIP no reason'
  printf '@test "x" { skip; }\n' > some.bats
  expect 0 '3 passed, 0 failed, 3 skipped' gtest:./gtest-program tap:./tap-program bats:some.bats
}

@test "a crash is a failure" {
  gtest 'Good.*:Crash.*'
  expect 1 '0 passed, 1 failed' gtest:./gtest-program
  [[ $output == *'ended with status 134 before its report'* ]]
}

@test "a bad exit status is a failure, though every test passed" {
  gtest 'Good.*:Late.*'
  expect 1 '3 passed, 1 failed' gtest:./gtest-program
  tap 3 <<< $'1..1\nok 1 a'
  expect 1 '1 passed, 1 failed' tap:./tap-program
}

@test "a suite that runs nothing is a failure" {
  gtest 'None.*'
  expect 1 '0 passed, 1 failed' gtest:./gtest-program
  tap <<< '1..0'
  expect 1 '0 passed, 1 failed' tap:./tap-program
  expect 1 '0 passed, 1 failed' tap:./absent
  expect 1 '0 passed, 1 failed' gtest:./absent
  expect 1 '0 passed, 1 failed' bats:absent.bats
}

@test "fewer results than planned are failures" {
  tap <<< $'1..4\nok 1 a\nnot ok 2 b'
  expect 1 '1 passed, 3 failed' tap:./tap-program
  tap <<< $'ok 1 a'
  expect 1 '1 passed, 1 failed' tap:./tap-program
}

@test "a test that hangs is ended, and the next ones run" {
  printf '@test "x" { sleep 300; }\n@test "y" { true; }\n' > some.bats
  BATS_TEST_TIMEOUT=1 expect 1 '1 passed, 1 failed' bats:some.bats
}

@test "a process that a suite leaves running is a failure and is ended" {
  printf '#!/bin/sh\nsleep 300 > /dev/null 2>&1 &\necho $! > "%s/pid"\necho 1..1\necho ok 1\n' \
    "$PWD" > tap-program
  chmod +x tap-program
  expect 1 '1 passed, 1 failed' tap:./tap-program
  [[ $output == *'left running:'*'sleep 300'* ]]
  run kill -0 "$(cat pid)"
  [ "$status" -ne 0 ] || grep '^State:.*Z' "/proc/$(cat pid)/status"
}

@test "wrong use is refused" {
  run "$runner"
  [ "$status" -eq 2 ]
  run "$runner" unit
  [ "$status" -eq 2 ]
}
