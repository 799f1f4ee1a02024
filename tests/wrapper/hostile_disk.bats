#!/usr/bin/env bats
# A disk that is full or cannot be written, at every point of a run; README's section on hostile input
# says what happens.
load helper
load fake_slurm

verbs=('submit' 'render' 'run --gpus=4')

setup() {
  begin_test
  fake_slurm
  two_group_task demo
  mkdir small
  mount -t tmpfs -o size=256k none small 2>/dev/null || skip 'needs the right to mount'
}

teardown() {
  cd / || return
  umount "$work/small" 2>/dev/null || true
}

fill() { dd if=/dev/zero of=small/fill bs=1k 2>/dev/null || true; }
read_only() { mount -o remount,ro small; }

# failed STATUS TEXT: of the last run, one line, and nothing was submitted.
failed() {
  expect_equal "$status" "$1" "$output"
  # shellcheck disable=SC2154 # bats sets lines
  expect_equal "${#lines[@]}" 1 "$output"
  expect_contains "$output" "sbatch-tasks: error: $PWD/small/$2"
  expect_equal "$(wc -l <calls)" 0
}

@test 'submit on a disk that is full: nothing is submitted, and the folder is as it was' {
  fill
  for verb in "${verbs[@]}"; do
    # shellcheck disable=SC2086 # a verb and its option
    run sbatch-tasks $verb -q demo --run-dir small/run
    failed 1 'run'
    expect_contains "$output" 'No space left on device'
    expect_equal "$(find small/run -mindepth 1 2>/dev/null)" ''
  done
  rm small/fill
  sbatch-tasks submit -q demo --run-dir small/run
  expect_equal "$(wc -l <queue)" 2
}

@test 'submit where nothing can be written' {
  read_only
  for verb in "${verbs[@]}"; do
    # shellcheck disable=SC2086 # a verb and its option
    run sbatch-tasks $verb -q demo --run-dir small/run
    failed 1 'run: cannot be made: Read-only file system'
  done
  run sbatch-tasks submit -q demo --run-dir run --save-path small/results
  failed 1 'results: cannot be made: Read-only file system'
  expect_equal "$(find run -mindepth 1)" ''
}

@test 'no call of sbatch without its line in the journal' {
  sbatch-tasks render -q demo --run-dir small/run
  fill
  run sbatch-tasks resume -q small/run
  failed 4 'run/journal.jsonl: cannot be written: No space left on device'
  rm small/fill
  sbatch-tasks resume -q small/run
  expect_equal "$(cut -d'|' -f3 queue | xargs)" 'PENDING PENDING'
}

@test 'a disk that fills up while sbatch is called: resume finds the job, and none is there twice' {
  # Also what is left of the journal's last page.
  at_call 1 'submit_it "$@"; dd if=/dev/zero of=small/fill bs=1k 2>/dev/null
    yes "" | dd of=small/run/journal.jsonl bs=1 oflag=append conv=notrunc 2>/dev/null; true'
  run sbatch-tasks submit -q demo --run-dir small/run
  ln -s small/run run
  expect_equal "$status" 4 "$output"
  expect_contains "$output" 'journal.jsonl: cannot be written: No space left on device'
  expect_equal "$(wc -l <calls)" 1
  rm small/fill
  sbatch-tasks resume -q --settle-seconds=0 small/run
  sed -i '/^$/d' small/run/journal.jsonl
  expect_each_job_once
}

@test 'status, logs and a dry resume write nothing: they work on a full and on a read-only disk' {
  sbatch-tasks submit -q demo --run-dir small/run
  fill
  for kind in full read_only; do
    [[ $kind == full ]] || read_only
    run sbatch-tasks status small/run
    expect_equal "$status" 0 "$output"
    expect_contains "$output" 'demo'
    run sbatch-tasks resume -n small/run
    expect_equal "$status" 0 "$output"
    run sbatch-tasks logs demo/train --run-dir small/run
    expect_equal "$status" 0 "$output"
  done
}

@test 'what has to write a run directory refuses a read-only one' {
  sbatch-tasks submit -q demo --run-dir small/run
  : >calls
  read_only
  for verb in resume cancel; do
    before=$(<queue)
    run sbatch-tasks "$verb" -q small/run
    expect_equal "$verb $status" "$verb 4" "$output"
    expect_contains "$output" 'journal.jsonl: cannot be opened: Read-only file system'
    expect_equal "$(<queue)" "$before"
  done
}

@test 'run: a step whose log or record finds no room has failed, and goes on when there is' {
  script demo/scripts/train.sh <<<'head -c 300000 /dev/zero'
  run sbatch-tasks run demo --gpus=4 --run-dir small/run
  expect_equal "$status" 4 "$output"
  expect_contains "$output" 'demo        2     0       1'
  script demo/scripts/train.sh <<<'echo trained'
  rm -f small/run/logs/demo/*
  run sbatch-tasks run --gpus=4 --run-dir small/run
  expect_equal "$status" 0 "$output"
  expect_equal "$(cat small/run/results/demo/*.json | grep -c '"state":"done"')" 2
}
