#!/usr/bin/env bats
# How a run ends that does not end by itself, and how it continues.
load helper

setup() {
  begin_local_test
  export CUDA_VISIBLE_DEVICES=0,1,2,3
}

# Steps that would run for minutes: one ends at TERM, one does not, and one has descendants in groups
# and sessions of their own. `pids` names their processes.
endless_task() {
  task t <<'END'
[{"cmd": "polite.sh", "label": "polite", "group": 1, "compute": 1},
 {"cmd": "stubborn.sh", "label": "stubborn", "group": 1, "compute": 1},
 {"cmd": "family.sh", "label": "family", "group": 1, "compute": 1},
 {"cmd": "ok.sh", "label": "done", "group": 1, "compute": 0},
 {"cmd": "ok.sh", "label": "next", "group": 2, "compute": 0}]
END
  script t/polite.sh <<'END'
trap 'echo ended; exit 3' TERM
echo $$ >>"$SAVE_PATH/../pids"
sleep 300 &
echo $! >>"$SAVE_PATH/../pids"
wait
END
  script t/stubborn.sh <<'END'
trap '' TERM INT
echo $$ >>"$SAVE_PATH/../pids"
for ((i = 0; i < 300; i++)); do sleep 1; done
END
  script t/family.sh <<'END'
echo $$ >>"$SAVE_PATH/../pids"
setsid bash -c 'echo $$ >>"$SAVE_PATH/../pids"; echo $$ >"$SAVE_PATH/../session"; sleep 300 & echo $! >>"$SAVE_PATH/../pids"; wait' &
(trap "" TERM; echo $BASHPID >>"$SAVE_PATH/../pids"; sleep 300; sleep 300) &
wait
END
  script t/ok.sh <<<'echo fine'
}

# start_run OPTION...: in the background, with `pid`, until all of it runs.
start_run() {
  sbatch-tasks run t --run-dir run "$@" >table 2>messages 3>&- &
  pid=$!
  wait_until all_run
}

all_run() {
  [[ -e pids ]] && (($(wc -l <pids) == 7)) && grep -qs '"done"' run/results/t/done-seed42.json
}

# Sets `status`.
wait_for_run() {
  status=0
  wait "$pid" || status=$?
}

@test 'an interrupt ends everything, records it and exits with 130' {
  endless_task
  start_run --kill-wait 2
  kill -INT "$pid"
  wait_for_run
  expect_equal "$status" 130 "$(cat messages)"
  expect_equal "$(alive)" ''
  expect_equal "$(state_of t/polite)" "('cancelled', 3)"
  expect_equal "$(state_of t/stubborn)" "('cancelled', 137)"
  expect_equal "$(state_of t/family)" "('cancelled', 143)"
  expect_equal "$(state_of t/done)" "('done', 0)"
  [[ ! -e run/results/t/next-seed42.json ]]
  expect_contains "$(cat messages)" 'sbatch-tasks: error: interrupted: ending 3 steps; once more to kill at once'
  expect_equal "$(tail -n 1 table)" '1 task      5     1       0        0          3        0     1'
}

@test 'a second interrupt kills at once' {
  endless_task
  start_run --kill-wait 200
  kill -TERM "$pid"
  wait_until grep -q 'interrupted: ending' messages
  kill -INT "$pid"
  wait_for_run
  expect_equal "$status" 130 "$(cat messages)"
  expect_equal "$(alive)" ''
  expect_equal "$(state_of t/stubborn)" "('cancelled', 137)"
}

# Only a session of its own that a step has made is beyond reach then.
only_session_left() {
  local left
  for left in $(alive); do
    [[ $(ps -o sid= -p "$left") -eq $(cat session) ]] || return 1
  done
}

@test 'killed itself, it leaves no process group; the run continues' {
  endless_task
  start_run
  wait_until grep -qs running run/results/t/stubborn-seed42.json
  kill -KILL "$pid"
  wait_for_run
  wait_until only_session_left
  kill -KILL -- "-$(cat session)"
  expect_equal "$(state_of t/stubborn)" "('running', None)"
  local name
  for name in polite stubborn family; do script t/$name.sh <<<'echo again'; done
  run sbatch-tasks run -q --run-dir run
  expect_equal "$status" 0 "$output"
  expect_equal "$(result t/stubborn '(d["state"], d["attempt"])')" "('done', 2)"
  expect_equal "$(result t/done '(d["state"], d["attempt"])')" "('done', 1)"
}

@test 'a time limit ends a step: its own state, and the next group is blocked' {
  task t <<'END'
[{"cmd": "slow.sh", "label": "slow", "group": 1, "compute": 1, "time": 1},
 {"cmd": "stubborn.sh", "label": "stubborn", "group": 1, "compute": 1, "time": 1},
 {"cmd": "ok.sh", "label": "long", "group": 1, "compute": 1, "time": 2},
 {"cmd": "ok.sh", "label": "next", "group": 2, "compute": 0}]
END
  script t/slow.sh <<<'trap "echo told; exit 0" TERM; sleep 300 & wait'
  script t/stubborn.sh <<<'trap "" TERM; sleep 300; sleep 300'
  script t/ok.sh <<<'sleep 65'
  run sbatch-tasks run t --run-dir run --kill-wait 2
  expect_equal "$status" 4
  expect_equal "$(state_of t/slow)" "('timeout', 0)"
  expect_equal "$(state_of t/stubborn)" "('timeout', 137)"
  expect_equal "$(state_of t/long)" "('done', 0)"
  expect_equal "$(tail -n 1 run/logs/t/slow-seed42.log)" told
  expect_equal "$(result t/slow '60 <= d["elapsed_seconds"] < 70')" True
  expect_equal "$(result t/stubborn '62 <= d["elapsed_seconds"] < 72')" True
  expect_contains "$output" 'sbatch-tasks: error: timeout t/slow seed 42: exit code 0 after 6'
  expect_contains "$output" 'blocked t/next seed 42'
}

@test 'continuing runs only what is not done, as it was planned' {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 1, "env": {"V": "1"}},
 {"cmd": "b.sh", "label": "b", "group": 1, "compute": 1, "h200": {"compute": 1, "env": {"W": "2"}}},
 {"cmd": "c.sh", "label": "c", "group": 2, "compute": 1}]
END
  script t/a.sh <<<'echo a'
  script t/b.sh <<<'echo "W=$W"; [[ -e "$SAVE_PATH/../good" ]]'
  script t/c.sh <<<'echo c'
  run -4 sbatch-tasks run -q t --run-dir run --compute-scale 0.5
  touch good
  # What the task says today is another run's.
  sed -i 's/"2"/"3"/; s/c.sh/d.sh/' tasks/t/config.json
  run --separate-stderr -0 sbatch-tasks run --run-dir run
  expect_equal "$(grep -c start <<<"$stderr")" 2
  expect_equal "$(result t/a 'd["attempt"]')" 1
  expect_equal "$(result t/b '(d["state"], d["attempt"], d["compute_scale"])')" "('done', 2, '0.5')"
  expect_equal "$(sed 's/.*: \(attempt .\),.*/\1/' run/logs/t/b-seed42.log)" $'attempt 1\nW=2\nattempt 2\nW=2'
  expect_equal "$(result t/c '(d["state"], d["attempt"])')" "('done', 1)"
  run --separate-stderr -0 sbatch-tasks run --run-dir run
  expect_equal "$stderr" "sbatch-tasks: run directory $PWD/run"
}

@test 'continuing: what is chosen, and refusals' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 1}, {"cmd": "a.sh", "label": "b", "compute": 1}]'
  script t/a.sh <<<'[[ -e "$SAVE_PATH/../good" ]]'
  run -4 sbatch-tasks run -q t --run-dir run --compute-scale 0.5 --seeds 1,2
  run sbatch-tasks run --run-dir run --compute-scale 1
  expect_error 1 "$PWD/run: was made at compute_scale 0.5 (h200) and continues at it, not at 1 (h100): leave --compute-scale out, or name another --run-dir"
  run sbatch-tasks run --run-dir run --container-runtime apptainer
  expect_error 1 "$PWD/run: was made with container_runtime local, not \"apptainer\": name another --run-dir"
  run sbatch-tasks run t --seeds 3 --run-dir run
  expect_error 1 "$PWD/run: the run has no step t/a seed 3"
  touch good
  run -0 sbatch-tasks run -q t/a --seeds 2 --run-dir run --compute-scale 0.5
  expect_equal "$(result t/a '(d["state"], d["attempt"])' 2)" "('done', 2)"
  expect_equal "$(result t/a '(d["state"], d["attempt"])' 1)" "('failed', 1)"
  run -4 sbatch-tasks run -q t/b --seeds 1 --run-dir run
  expect_contains "$output" 'blocked t/b seed 1: an earlier step of its task and seed is left out'
  sed -i 's/a\.sh/b.sh/' tasks/t/config.json
  script t/b.sh <<<'true'
  run sbatch-tasks run t --seeds 1 --run-dir run
  expect_error 1 "t/a seed 1 is not what it was when the run $PWD/run was made: name another --run-dir, or no task to continue as it was"
  sbatch-tasks render -q t --run-dir rendered
  run sbatch-tasks run --run-dir rendered
  expect_error 1 "$PWD/rendered: holds a run for Slurm: continue it with sbatch-tasks resume"
}

@test 'a run that is at work is not started twice' {
  endless_task
  start_run
  run sbatch-tasks run --run-dir run
  kill -TERM "$pid"
  expect_error 1 "$PWD/run: another sbatch-tasks run is at work in it (process $pid)"
  kill -TERM "$pid"
  wait_for_run
  expect_equal "$(alive)" ''
}
