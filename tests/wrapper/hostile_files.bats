#!/usr/bin/env bats
# Files that are not what they should be: each is refused in one line that names it, soon, and before
# anything is done; README's section on hostile input lists them.
load helper

setup() {
  begin_test
  fake_sbatch
  two_group_task demo
}

# make_bad KIND FILE: in place of FILE.
make_bad() {
  rm -rf "$2"
  case $1 in
    fifo) mkfifo "$2" ;;
    folder) mkdir "$2" ;;
    device) ln -s /dev/zero "$2" ;;
    loop) ln -s "$2" "$2" ;;
    dangling) ln -s nowhere "$2" ;;
    large) truncate -s 100M "$2" ;;
    nul) printf 'a: 1\0' >"$2" ;;
    deep) python3 -c 'print("{\"a\":" * 500000)' >"$2" ;;
  esac
}

reason() {
  case $1 in
    fifo | device) echo 'is not a regular file' ;;
    folder) echo 'is a folder; expected a file' ;;
    loop) echo 'cannot be read: Too many levels of symbolic links' ;;
    dangling) echo 'cannot be read: No such file or directory' ;;
    large) echo 'is larger than 4194304 bytes' ;;
    nul) echo 'holds a NUL byte; expected UTF-8 text' ;;
    deep) echo 'nested too deeply' ;;
  esac
}

kinds=(fifo folder device loop dangling large nul deep)

# refused STATUS FILE KIND COMMAND...: in 5 seconds and with 500 MB.
refused() {
  run bash -c 'ulimit -v 500000; exec timeout 5 "$@"' - "${@:4}"
  expect_equal "$status" "$1" "status for $3: $output"
  # shellcheck disable=SC2154 # bats sets lines
  expect_equal "${#lines[@]}" 1 "lines for $3: $output"
  expect_contains "$output" "error: $2"
  expect_contains "$output" "$(reason "$3")"
  [[ ! -e run && ! -e sbatch.1.args ]]
}

@test 'a config that is no file, too large, or no text' {
  for kind in "${kinds[@]}"; do
    make_bad "$kind" "$PWD/bad.yaml"
    refused 1 "$PWD/bad.yaml" "$kind" sbatch-tasks submit demo --run-dir run --config "$PWD/bad.yaml"
  done
}

@test "a site's config of that kind" {
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/bad.yaml
  for kind in "${kinds[@]}"; do
    make_bad "$kind" "$PWD/bad.yaml"
    refused 1 "$PWD/bad.yaml" "$kind" sbatch-tasks submit demo --run-dir run
  done
}

@test "a task's config.json of that kind" {
  for kind in "${kinds[@]}"; do
    make_bad "$kind" "$PWD/tasks/demo/config.json"
    [[ $kind != dangling ]] || continue # it is no task then
    refused 2 "$PWD/tasks/demo/config.json" "$kind" sbatch-tasks submit demo --run-dir run
  done
}

@test "a package's file of that kind" {
  task demo <<<'[{"cmd": "a.sh", "package": "P"}]'
  script demo/a.sh <<<'echo here'
  for kind in "${kinds[@]}"; do
    make_bad "$kind" "$PWD/packages/P.json"
    [[ $kind != dangling ]] || continue # there is no package then
    refused 2 "$PWD/packages/P.json" "$kind" sbatch-tasks submit demo --run-dir run
  done
}

@test "a task's script of that kind is a problem for check" {
  for kind in fifo folder large nul; do
    make_bad "$kind" "$PWD/tasks/demo/scripts/train.sh"
    run timeout 5 sbatch-tasks check demo
    expect_equal "$status" 2 "$output"
    expect_contains "$output" "$(reason "$kind")"
  done
}

@test 'links are followed; a file that the user may not read is refused' {
  need_root
  mv config.yaml real.yaml
  ln -s real.yaml link.yaml
  ln -s link.yaml config.yaml
  mv tasks real-tasks
  ln -s real-tasks tasks
  run sbatch-tasks plan demo
  expect_equal "$status" 0 "$output"
  chmod a+rX -R "$work"
  # A copy that every user may run.
  cp "$(command -v sbatch-tasks)" bin/
  chmod a+rx bin/*
  run as_other sbatch-tasks plan demo
  expect_equal "$status" 0 "$output"
  chmod 600 real.yaml
  run as_other sbatch-tasks plan demo
  expect_error 1 "$PWD/config.yaml: cannot be read: Permission denied"
}

@test 'a run directory whose records are of that kind' {
  sbatch-tasks render -q demo --run-dir run
  cp run/plan.json plan.json
  for kind in fifo folder device loop nul deep; do
    make_bad "$kind" "$PWD/run/plan.json"
    for verb in status resume cancel; do
      run timeout 10 sbatch-tasks "$verb" "$PWD/run"
      [[ $status == [12] ]] || expect_equal "$status" 1 "$verb, $kind: $output"
      expect_equal "${#lines[@]}" 1 "$verb, $kind: $output"
    done
  done
  rm -rf run/plan.json
  cp plan.json run/plan.json
  make_bad fifo "$PWD/run/results/demo/train-seed42.json"
  run timeout 10 sbatch-tasks status run
  [[ $status != 124 && $status != 139 ]]
}

@test 'each config is read once, so that no change in between can make two halves' {
  strace -f -e trace=openat -o trace sbatch-tasks submit -q demo --run-dir run
  expect_equal "$(grep -c '"[^"]*tasks/demo/config\.json"' trace)" 1
  expect_equal "$(grep -c '"[^"]*/config\.yaml"' trace)" 1
}

# Tasks that come, go and are cut short: each is a whole task, or has one clear line.
@test 'a tasks folder that changes while it is read' {
  for i in {1..20}; do two_group_task "t$i"; done
  cp tasks/t1/config.json whole.json
  (
    trap 'exit 0' TERM
    while :; do
      for i in {1..20}; do
        mv "tasks/t$i" "tasks/.away" 2>/dev/null
        mv "tasks/.away" "tasks/t$i"
        head -c $((RANDOM % 300)) whole.json >"tasks/t$i/config.json"
        cp whole.json "tasks/t$i/config.json"
      done
    done
  ) 3>&- &
  changer=$!
  seen=
  for i in {1..60}; do
    run timeout 10 sbatch-tasks submit -n -q --all --run-dir "run$i"
    seen+=$status
    [[ $status != 0 ]] || continue
    [[ $status == [12] ]] || break
    # A line for each task that is not whole.
    [[ -n $output ]] && ! grep -qv '^sbatch-tasks: error: .*tasks' <<<"$output" || break
  done
  kill "$changer"
  wait "$changer" || true
  expect_equal "$i" 60 "$status $output"
  expect_equal "$(find . -name sbatch.1.args)" ''
  echo "# $seen"
}
