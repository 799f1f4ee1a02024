#!/usr/bin/env bats
# sbatch-tasks check: every fault is one line "file: place: text", exit 2.
load helper

setup() {
  begin_test
  two_group_task good
}

# expect_finding TEXT: `check bad` finds exactly this, after the path of the task folder.
expect_finding() {
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2 "$output"
  expect_equal "${lines[0]}" "$PWD/tasks/bad/$1"
  [[ ${lines[2]} =~ ^bad\ +[0-9]+\ +1\ finding$ ]]
}

@test 'all in order: a table of OK' {
  run --separate-stderr sbatch-tasks check
  expect_equal "$status" 0
  expect_equal "${lines[1]}" 'good        2  OK'
  run --separate-stderr sbatch-tasks check --json
  expect_equal "$output" '[]'
}

@test 'a missing script, and one outside the task folder' {
  task bad <<<'[{"cmd": "scripts/none.sh", "label": "x"}]'
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2
  expect_contains "${lines[0]}" "$PWD/tasks/bad/config.json: x: $PWD/tasks/bad/scripts/none.sh"
  task bad <<<'[{"cmd": "../good/scripts/eval.sh", "label": "x"}]'
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2
  task bad <<<'[{"cmd": "scripts/link.sh", "label": "x"}]'
  ln -s ../../good/scripts/eval.sh tasks/bad/scripts/link.sh
  expect_finding 'config.json: x: script "scripts/link.sh" lies outside the task folder'
}

@test 'bash syntax, of scripts and of command lines' {
  task bad <<<'[{"cmd": "scripts/a.sh 1 2", "label": "x"}]'
  script bad/scripts/a.sh <<<$'echo fine\nif true; do'
  expect_finding "config.json: x: $PWD/tasks/bad/scripts/a.sh: line 2: syntax error near unexpected token \`do'"
  task bad <<<'[{"cmd": "cd d && echo \"a", "label": "x"}]'
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2
  expect_contains "${lines[0]}" 'cmd "cd d && echo '
}

@test 'macro-batch, accumulation and tensor parallelism' {
  task bad <<'END'
[{"cmd": "scripts/a.sh", "label": "x", "compute": 4,
  "h200": {"compute": 2, "env": {"BATCH_SIZE": "64"}}}]
END
  script bad/scripts/a.sh <<<'echo ${BATCH_SIZE:-32} ${GRAD_ACCUM:-16}'
  expect_finding 'config.json: bad/x (h200): BATCH_SIZE 64 x GRAD_ACCUM 16 = 1024, but the base has BATCH_SIZE 32 x GRAD_ACCUM 16 = 512'
  script bad/scripts/a.sh <<<'echo ${BATCH_SIZE:-32} ${GRAD_ACCUM:-6}'
  run --separate-stderr sbatch-tasks check bad
  expect_contains "$output" 'bad/x: GRAD_ACCUM 6 is not a multiple of its 4 GPUs'
  script bad/scripts/a.sh <<<'echo ${TP_SIZE:-8}'
  run --separate-stderr sbatch-tasks check bad
  expect_contains "$output" 'bad/x: TP_SIZE 8 is more than its 4 GPUs'
}

@test 'schema and edit ranges' {
  echo '{"test_cmds": [{"cmd": "a.sh", "computee": 2}]}' >tasks/good/config.json
  run --separate-stderr sbatch-tasks check
  expect_equal "$status" 2
  expect_contains "${lines[0]}" 'good/config.json: /test_cmds/0/computee'
  expect_contains "${lines[0]}" 'did you mean compute?'
  echo '{"test_cmds": [{"cmd": "a.sh"}], "files": [{"filename": "x.py", "edit": [{"start": 5, "end": 2}]}]}' \
    >tasks/good/config.json
  run --separate-stderr sbatch-tasks check
  expect_equal "$status" 2
  expect_contains "${lines[0]}" 'good/config.json: /files/0/edit'
}

@test 'packages' {
  task bad <<<'[{"cmd": "scripts/a.sh", "label": "x", "package": "pkg"}]'
  script bad/scripts/a.sh <<<true
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2
  expect_contains "${lines[0]}" 'bad/config.json: x: '
  echo '{"imag": ""}' >packages/pkg.json
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 2
  echo '{"image": ""}' >packages/pkg.json
  run --separate-stderr sbatch-tasks check bad
  expect_equal "$status" 0
}

@test 'a task that is not there is a usage error' {
  run sbatch-tasks check goood
  expect_error 1 "no task \"goood\" in $PWD/tasks; did you mean good?"
}

@test 'the tasks of this repository are in order' {
  run --separate-stderr sbatch-tasks check --config "$ROOT/configs/react.yaml"
  expect_equal "$status" 0 "$output"
}
