# All shell scripts of the repository.

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
}

@test "the list of scripts has those that are known" {
  run tests/lint/list-scripts
  [[ $output == *tests/cluster/cluster* ]]
  [[ $output == *tests/cluster/lib/config.bash* ]]
  [[ $output == *tests/install-deps* ]]
  [[ $output == *.ci/run* ]]
  [[ $output != *Makefile* ]]
}

@test "every script parses" {
  tests/lint/list-scripts | while IFS= read -r script; do
    bash -n "$script"
  done
}

@test "shellcheck finds nothing" {
  tests/lint/shellcheck
}
