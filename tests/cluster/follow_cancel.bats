#!/usr/bin/env bats
# cancel on a real Slurm: exactly the chosen jobs.
bats_require_minimum_version 1.5.0
load helpers
load submit_helpers

setup() {
  enter_work_folder
  use_sbatch_tasks
  mkdir tasks
  task t '[{"cmd": "a.sh", "label": "a", "group": 1}, {"cmd": "a.sh", "label": "b", "group": 1}]'
  task u '[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.2},
    {"cmd": "a.sh", "label": "b", "group": 1, "compute": 0.2}, {"cmd": "a.sh", "label": "after", "group": 2}]'
  echo "until [[ -e $PWD/go ]]; do sleep 0.05; done" | tee tasks/t/a.sh >tasks/u/a.sh
}

states() {
  sbatch-tasks status run --json >status.json || true
  python3 -c 'import json
print(" ".join(s["step"] + ":" + s["state"] for s in json.load(open("status.json"))["steps"]))'
}

become() {
  are() { [[ $(states) == "$1" ]]; }
  wait_until are "$1" || {
    echo "are: $(states), not: $1"
    return 1
  }
}

@test "one of several jobs, running" {
  sbatch-tasks submit -q t --run-dir "$PWD/run" >/dev/null
  become 't/a:running t/b:running'
  run sbatch-tasks cancel t/b --run-dir run
  expect_equal "$status $output" '0 sbatch-tasks: cancelled 1 job'
  become 't/a:running t/b:cancelled'
  touch go
  become 't/a:done t/b:cancelled'
  # Cancelled is neither failed nor blocked.
  sbatch-tasks status run
  run sbatch-tasks cancel t/b --run-dir run
  expect_equal "$status $output" '0 sbatch-tasks: nothing to cancel: no job of these steps is in the queue'
}

@test "jobs that wait, all of a run" {
  sbatch-tasks submit -q t u --seeds 1,2 --run-dir "$PWD/run" -- --hold >/dev/null
  run sbatch-tasks cancel run -n
  [[ $output == 'scancel '* ]]
  sbatch-tasks cancel -q run
  become 't/a:cancelled t/b:cancelled t/a:cancelled t/b:cancelled u/a:cancelled u/b:cancelled u/a:cancelled u/b:cancelled u/after:cancelled u/after:cancelled'
  grep -c '"event":"cancelled"' run/journal.jsonl
}

@test "steps that share a job" {
  sbatch-tasks submit -q u --run-dir "$PWD/run" >/dev/null
  become 'u/a:running u/b:running u/after:waiting'
  run sbatch-tasks cancel u/a --run-dir run
  expect_equal "$status" 1
  [[ $output == 'sbatch-tasks: error: nothing is cancelled, the same jobs hold u/b seed 42 (job u-g1-s42): name these steps too, or --force' ]]
  expect_equal "$(states)" 'u/a:running u/b:running u/after:waiting'
  sbatch-tasks cancel u/a --force --run-dir run
  become 'u/a:cancelled u/b:cancelled u/after:blocked'
}

@test "without a name nothing is cancelled" {
  sbatch-tasks submit -q t >/dev/null
  run --separate-stderr sbatch-tasks cancel
  expect_equal "$status" 1
  [[ $stderr == *'name steps of '*', or that run directory for all' ]]
  sbatch-tasks cancel --all
}
