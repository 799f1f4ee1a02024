# What reads other people's bytes, on its seeds and on inputs that grow out of them. `make fuzz` does the
# same for as long as one likes.

readonly RUNS=3000

setup() {
  cd "$BATS_TEST_DIRNAME" || return
}

# target NAME: the same inputs each time.
target() {
  mkdir "$BATS_TEST_TMPDIR/corpus"
  run "$BUILT/../smoke/fuzz-$1" -runs=$RUNS -seed=1 -max_len=1024 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$BATS_TEST_TMPDIR/" "$BATS_TEST_TMPDIR/corpus" "seeds/$1"
  # `run` itself has shown nothing yet: the input that broke it is worth having.
  [[ $status == 0 ]] || tail -n 20 <<<"$output"
  [[ $status == 0 ]]
  [[ $output == *"Done $RUNS runs"* ]]
}

@test 'each target has a test here and seeds' {
  for file in *.cc; do
    name=${file%.cc}
    grep -qx "@test '$name: .*" fuzz.bats
    [[ -n $(ls "seeds/$name") ]]
  done
}

@test 'task: config.json to job scripts' {
  target task
}

@test 'site: YAML' {
  target site
}

@test 'gres: lists and requests' {
  target gres
}

@test 'limits: times, sizes, amounts' {
  target limits
}

@test 'payload: decoded, applied, undone' {
  target payload
}

@test 'sbatch: what the commands of Slurm print' {
  target sbatch
}

@test 'a finding is told and fails' {
  mkdir "$BATS_TEST_TMPDIR/built"
  printf '#!/bin/sh\necho "broken promise: x" >&2\nexit 77\n' >"$BATS_TEST_TMPDIR/built/fuzz-bad"
  printf '#!/bin/sh\necho "stat::number_of_executed_units: 12"\n' >"$BATS_TEST_TMPDIR/built/fuzz-good"
  chmod +x "$BATS_TEST_TMPDIR"/built/*
  run ./fuzz "$BATS_TEST_TMPDIR/built" "$BATS_TEST_TMPDIR/corpus" 1 100 bad good
  [[ $status == 1 ]]
  [[ $output == *"bad: FOUND"*"broken promise: x"*"good: 12 executions, no finding" ]]
}
