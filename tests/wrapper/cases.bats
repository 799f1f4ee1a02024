#!/usr/bin/env bats
# Inputs from public reports on which such software failed, end to end through the program; the
# value that is right is in each test.
load helper
run=$BATS_TEST_TMPDIR/work/run

setup() {
  begin_test
  fake_sbatch
}

# A task of one entry that is made from these JSON members.
entry() { task "$1" <<<"[{\"cmd\": \"a.sh\", \"label\": \"a\"${2:+, $2}}]" && script "$1/a.sh" <<<'echo here'; }

directives() { sbatch-tasks render -q -n "$@" | grep '^#SBATCH'; }

refused() { # STATUS TEXT: of the last run, one line
  expect_equal "$status" "$1" "$output"
  expect_contains "$output" "$2"
  # shellcheck disable=SC2154 # bats sets lines
  expect_equal "${#lines[@]}" 1
}

@test 'a clock time without quotes in YAML is hours, not seconds taken as minutes' {
  mkdir -p tasks/t
  printf 'tasks_dir: tasks\npackages_dir: packages\ncontainer_runtime: local\nsave_path: results\n' >config.yaml
  entry t '"time": "12:00:00"'
  expect_contains "$(directives t)" '--time=12:00:00'
  expect_equal "$(sbatch-tasks plan --json t | python3 -c 'import json,sys; print(json.load(sys.stdin)["jobs"][0]["time_minutes"])')" 720
}

@test 'one memory directive, and the entry wins over the site' {
  printf 'slurm: {mem_per_gpu: 50G}\n' >>config.yaml
  entry t '"mem": "8G"'
  expect_equal "$(directives t | grep -c -- --mem)" 1
  expect_contains "$(directives t)" '--mem=8G'
}

@test 'quotes, dollar, backtick and && of a command reach one bash' {
  mkdir -p tasks/t/d
  task t <<'END'
[{"cmd": "cd d && echo 'a \"b\"' \"$HOME\" `echo host` 50%", "label": "a"}]
END
  CUDA_VISIBLE_DEVICES=0 bash <(sbatch-tasks render -q -n t --run-dir "$run")
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" "a \"b\" $HOME host 50%"
}

@test 'the folder of the results is made before anything is submitted' {
  entry t
  sbatch-tasks submit -q t --save-path new/results --run-dir run
  [[ -d new/results && -d run/logs ]]
  expect_equal "$(ls sbatch.*.args)" sbatch.1.args
}

@test 'a results folder that cannot be made is an error before anything is submitted' {
  entry t
  touch file
  run sbatch-tasks submit -q t --save-path file/results --run-dir run
  refused 1 'file/results: cannot be made'
  [[ ! -e sbatch.1.args ]]
}

@test 'a mail user that is null or empty leaves no directive' {
  entry t
  for value in null '""' '~'; do
    printf 'tasks_dir: tasks\npackages_dir: packages\ncontainer_runtime: local\nsave_path: r\nslurm: {mail_user: %s}\n' "$value" >config.yaml
    expect_equal "$(directives t | grep -c mail || true)" 0 "$value"
  done
}

@test 'a prologue never comes before a directive' {
  printf 'slurm: {prologue: "set -euo pipefail"}\n' >>config.yaml
  entry t
  expect_equal "$(sbatch-tasks render -q -n t | awk '/^set -euo/ { seen = 1 } /^#SBATCH/ && seen' | wc -l)" 0
}

@test 'a config saved with line ends of Windows is read, and no script has one' {
  sed -i 's/$/\r/' config.yaml
  task t <<<'[{"cmd": "a.sh x\r\n", "label": "a"}]'
  script t/a.sh <<<'echo "[$1]"'
  expect_equal "$(sbatch-tasks render -q -n t | grep -c $'\r' || true)" 0
}

@test 'environment values with commas and blanks stay whole, and none goes through --export' {
  entry t '"env": {"V": "0,1", "MSG": "a b=c"}'
  script t/a.sh <<<'printf "%s|%s\n" "$V" "$MSG"'
  expect_equal "$(directives t | grep -c export || true)" 0
  CUDA_VISIBLE_DEVICES=0 bash <(sbatch-tasks render -q -n t --run-dir "$run")
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" '0,1|a b=c'
}

@test 'a home folder in logs_dir is expanded when the script is made' {
  printf 'slurm: {logs_dir: ~/logs}\n' >>config.yaml
  entry t
  expect_contains "$(HOME=/home/u directives t)" "--output=/home/u/logs/"
}

@test 'a command that no program would take is refused with its size, before anything is written' {
  python3 -c 'import json; print(json.dumps([{"cmd": "echo " + "x" * (3 << 20), "label": "a"}]))' | task t
  run sbatch-tasks submit -q t --run-dir run
  refused 2 'the command has 3145733 bytes'
  [[ ! -e run && ! -e sbatch.1.args ]]
  python3 -c 'import json; print(json.dumps([{"cmd": "echo " + "x" * 110000, "label": "a"}]))' | task u
  CUDA_VISIBLE_DEVICES=0 bash <(sbatch-tasks render -q -n u --run-dir "$run")
  expect_equal "$(tail -n 1 run/logs/u/a-seed42.log | wc -c)" 110001
}

@test 'a script that Slurm would not take is refused with its size' {
  python3 -c 'import json; print(json.dumps([{"cmd": "echo " + "\x27" * 80000, "label": str(i), "group": 1,
    "compute": 0.01, "time": "1:00"} for i in range(41)]))' | task t
  run sbatch-tasks submit -q t --run-dir run
  refused 3 'Slurm takes at most 4 MiB'
  [[ ! -e run && ! -e sbatch.1.args ]]
}

@test '10,000 entries: no script or argument list grows with the suite' {
  python3 -c 'import json; print(json.dumps([{"cmd": "a.sh", "label": str(i), "group": 1} for i in range(10000)]))' | task t
  script t/a.sh <<<'echo here'
  sbatch-tasks render -q t --run-dir run
  expect_equal "$(find run/scripts -name '*.sh' -size +64k | wc -l)" 0
  expect_equal "$(grep -l -- --wrap run/scripts/* | wc -l)" 0
}

@test 'digits stay text: account 0123, partition 1' {
  printf 'slurm: {account: 0123, partition: 1}\n' >>config.yaml
  entry t
  expect_contains "$(directives t)" '--account=0123'
  expect_contains "$(directives t)" '--partition=1'
}

@test 'no, on and yes stay text' {
  printf 'slurm: {partition: no}\n' >>config.yaml
  task t <<<'[{"cmd": "a.sh", "label": "on", "env": {"DEBUG": "yes"}}]'
  script t/a.sh <<<'echo "$DEBUG $ENV"'
  expect_contains "$(directives t)" '--partition=no'
  CUDA_VISIBLE_DEVICES=0 bash <(sbatch-tasks render -q -n t --run-dir "$run")
  expect_equal "$(tail -n 1 run/logs/t/on-seed42.log)" 'yes on'
}

@test 'a byte order mark is read as if absent, in JSON and YAML' {
  entry t '"time": "2:00:00"'
  printf '\xef\xbb\xbf%s\n' "$(cat tasks/t/config.json)" >tasks/t/config.json
  printf '\xef\xbb\xbf%s\n' "$(cat config.yaml)" >config.yaml
  expect_contains "$(directives t)" '--time=02:00:00'
}

@test 'deep nesting is refused, not a crash' {
  mkdir -p tasks/t
  python3 -c 'print("{\"test_cmds\": " + "[" * 100000)' >tasks/t/config.json
  run sbatch-tasks plan t
  refused 2 'nested too deeply'
  python3 -c 'print("slurm: " + "[" * 100000)' >config.yaml
  run sbatch-tasks plan t
  refused 1 'nested too deeply'
}

@test 'numbers as text and whole numbers with a point are read, halves of a CPU are not' {
  entry t '"compute": "2", "cpus": 4.0'
  expect_contains "$(directives t)" '--gres=gpu:2'
  expect_contains "$(directives t)" '--cpus-per-task=4'
  entry u '"cpus": 4.5'
  run sbatch-tasks plan u
  refused 2 '4.5'
}

@test 'compute 0: no directive about GPUs at all' {
  entry t '"compute": 0'
  expect_equal "$(directives t | grep -ciE 'gpu|gres' || true)" 0
}

@test 'a site that takes only one form of the GPU flag gets that form' {
  printf 'slurm: {gpu_flag: gpus-per-node}\n' >>config.yaml
  entry t '"compute": 4'
  expect_contains "$(directives t)" '--gpus-per-node=4'
  expect_equal "$(directives t | grep -c -- --gres || true)" 0
}

@test 'accumulation that the GPU count does not divide is refused by check with both numbers' {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "compute": 4, "env": {"BATCH_SIZE": "32", "GRAD_ACCUM": "16"},
  "h200": {"compute": 3, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}}}]
END
  script t/a.sh <<<'echo "$BATCH_SIZE $GRAD_ACCUM"'
  run sbatch-tasks check t
  expect_equal "$status" 2 "$output"
  expect_contains "$output" 'GRAD_ACCUM 8'
  expect_contains "$output" '3 GPUs'
}
