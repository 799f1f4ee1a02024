#!/usr/bin/env bats
# status, logs and cancel on a real Slurm: the life of a run.
load helpers
load submit_helpers

setup() {
  enter_work_folder
  use_sbatch_tasks
  mkdir tasks
}

# states [OPTION...]: "LABEL:STATE ..." of the run, whatever the exit status of status is.
states() {
  sbatch-tasks status run --json >status.json || true
  python3 -c 'import json
print(" ".join(s["step"].split("/", 1)[1] + ":" + s["state"] for s in json.load(open("status.json"))["steps"]))'
}

# total FIELD: of the last `states`.
total() { python3 -c 'import json, sys; print(json.load(open("status.json"))["total"][sys.argv[1]])' "$1"; }

are() { [[ $(states) == "$1" ]]; }

# become STATES: waits until they are these.
become() {
  wait_until are "$1" || {
    echo "are: $(states), not: $1"
    return 1
  }
}

two_groups() {
  task t '[{"cmd": "one.sh", "label": "one", "group": 1, "compute": 2}, {"cmd": "two.sh", "label": "two", "group": 2}]'
  echo "until [[ -e $PWD/go ]]; do sleep 0.05; done; exit \$(<$PWD/go)" >tasks/t/one.sh
  echo 'echo "two ran"' >tasks/t/two.sh
}

@test "waiting, running, done; GPUs and GPU-hours; the log" {
  two_groups
  sbatch-tasks submit -q t --run-dir "$PWD/run" -- --hold >/dev/null
  expect_equal "$(states)" 'one:waiting two:waiting'
  run sbatch-tasks logs t/one --run-dir run
  expect_equal "$status $output" "0 sbatch-tasks: t/one seed 42: no log: waiting"
  scontrol release "$(python3 -c 'import json; print(json.load(open("status.json"))["steps"][0]["job_id"])')"
  become 'one:running two:waiting'
  expect_equal "$(total gpus)" 2.0
  sleep 1.1
  echo 0 >go
  become 'one:done two:waiting'
  scontrol release "$(python3 -c 'import json; print(json.load(open("status.json"))["steps"][1]["job_id"])')"
  become 'one:done two:done'
  python3 -c 'import sys; sys.exit(not 1.9 / 3600 < float(sys.argv[1]) < 1)' "$(total gpu_hours)"
  sbatch-tasks status run
  sbatch-tasks logs t/two --run-dir run | grep -qx 'two ran'
}

@test "a failed step, and what is blocked by it, also when Slurm has forgotten" {
  two_groups
  echo 6 >go
  sbatch-tasks submit -q t --run-dir "$PWD/run" >/dev/null
  become 'one:failed two:blocked'
  run sbatch-tasks status run
  expect_equal "$status" 4
  [[ $output == *'t/two seed 42: t/one seed 42 failed'* ]]
  [[ $output == *"t/one seed 42: exit code 6, job "*", log $PWD/run/logs/t/one-seed42.log"* ]]
}

# Slurm shows it as a job that failed.
@test "a job that Slurm refused was not submitted, and the reason is told" {
  task t '[{"cmd": "one.sh", "label": "one", "compute": 4}]'
  echo 'echo one' >tasks/t/one.sh
  run sbatch-tasks submit -q t --run-dir "$PWD/run" -- --cpus-per-task=48
  expect_equal "$status" 4
  squeue -h -t all -o '%j %T' | grep -q "^$(journal_name) FAILED$"
  expect_equal "$(states)" one:blocked
  run sbatch-tasks status run
  [[ $output == *'t/one seed 42: its job was not submitted: sbatch: error: '*'Requested node configuration is not available'* ]]
  expect_equal "$(sbatch-tasks resume -n run 2>/dev/null | grep -c '^sbatch ')" 1
}

journal_name() { python3 -c 'import json; print(json.loads(open("run/journal.jsonl").readline())["name"])'; }

@test "GPUs of jobs that ask with --gpus" {
  sed -i 's/cpus_per_task: 1}/cpus_per_task: 1, gpu_flag: gpus}/' config.yaml
  two_groups
  sbatch-tasks submit -q t --run-dir "$PWD/run" >/dev/null
  become 'one:running two:waiting'
  expect_equal "$(total gpus)" 2.0
  echo 0 >go
  become 'one:done two:done'
}

@test "the job's time limit ends a step: timeout" {
  task t '[{"cmd": "one.sh", "label": "one"}]'
  echo 'trap "" TERM; touch $OUTPUT_DIR/up; while :; do sleep 0.2; done' >tasks/t/one.sh
  sbatch-tasks submit -q t --run-dir "$PWD/run" >submitted
  become 'one:running'
  scontrol update jobid="$(cut -d' ' -f1 submitted)" endtime=now+1seconds
  become 'one:timeout'
  run sbatch-tasks status run
  expect_equal "$status" 4
}

@test "requeued is neither failed nor cancelled" {
  task t '[{"cmd": "one.sh", "label": "one"}]'
  echo "until [[ -e $PWD/go ]]; do sleep 0.05; done" >tasks/t/one.sh
  sbatch-tasks submit -q t --run-dir "$PWD/run" >submitted
  become 'one:running'
  scontrol requeuehold "$(cut -d' ' -f1 submitted)"
  become 'one:requeued'
  run sbatch-tasks status run
  expect_equal "$status" 0
  # Slurm lets it wait for two minutes before it starts again; the test does not.
  expect_equal "$(record t/one attempt) $(record t/one state)" '1 cancelled'
  sbatch-tasks cancel -q run
  become 'one:cancelled'
}

@test "a job whose script died with all it had started is not done" {
  task t '[{"cmd": "one.sh", "label": "one"}]'
  # As when a node fails: nothing is left that could write a record.
  cat >tasks/t/one.sh <<'END'
pid=$PPID pids=$$
until [[ $(ps -o comm= -p "$pid") == slurmstepd* ]]; do
  pids="$pid $pids"
  pid=$(ps -o ppid= -p "$pid" | tr -d ' ')
done
kill -9 $pids
END
  sbatch-tasks submit -q t --run-dir "$PWD/run" >submitted
  wait_for_job "$(cut -d' ' -f1 submitted)"
  expect_equal "$(record t/one state) $(states)" 'running one:failed'
  run sbatch-tasks status run
  expect_equal "$status" 4
  [[ $output == *'t/one seed 42: its job ended as FAILED while it ran, job '* ]]
}

@test "one request for the whole run, none when it is over" {
  local cmds='' n before after
  for n in {1..30}; do cmds+="${cmds:+,}{\"cmd\": \"one.sh\", \"label\": \"l$n\"}"; done
  task t "[$cmds]"
  echo 'true' >tasks/t/one.sh
  sbatch-tasks submit -q t --run-dir "$PWD/run" -- --hold >/dev/null
  requests() { sdiag | awk '/REQUEST_JOB_(USER_)?INFO/ { split($0, part, "count:"); sum += part[2] } END { print sum + 0 }'; }
  before=$(requests)
  sbatch-tasks status run >/dev/null
  after=$(requests)
  expect_equal "$((after - before))" 1
  sbatch-tasks cancel run
  become "$(printf 'l%d:cancelled ' {1..30} | sed 's/ $//')"
  before=$(requests)
  sbatch-tasks status run >/dev/null || true
  after=$(requests)
  expect_equal "$((after - before))" 0
}

@test "hostile labels: shown as written, logs apart" {
  task t '[{"cmd": "one.sh", "label": "a/b", "group": 1}, {"cmd": "one.sh", "label": "a b", "group": 1},
    {"cmd": "one.sh", "label": "..", "group": 1}, {"cmd": "one.sh", "label": "50%|x", "group": 1}]'
  echo 'echo "I am $ENV"' >tasks/t/one.sh
  sbatch-tasks submit -q t --run-dir "$PWD/run" >/dev/null
  become 'a/b:done a b:done ..:done 50%|x:done'
  local label
  for label in a/b 'a b' .. '50%|x'; do
    sbatch-tasks logs "t/$label" --run-dir run | grep -qxF "I am $label"
  done
  sbatch-tasks logs 't/a*' --run-dir run >shown
  expect_equal "$(grep -c '^==> t/a.b seed 42 <==$' shown)" 2
  run sbatch-tasks logs t/none --run-dir run
  expect_equal "$status $output" "1 sbatch-tasks: error: no step of $PWD/run matches \"t/none\""
}

@test "logs -f ends with the step" {
  two_groups
  sbatch-tasks submit -q t --run-dir "$PWD/run" >/dev/null
  sbatch-tasks logs -f t --run-dir run --interval 1 >shown 2>notes &
  become 'one:running two:waiting'
  echo 0 >go
  wait $!
  grep -qx 'two ran' shown
  expect_equal "$(sort notes)" $'sbatch-tasks: t/one seed 42: done\nsbatch-tasks: t/two seed 42: done'
}

@test "submit --wait: 0 only if every step is done; Ctrl-C leaves the jobs alone" {
  two_groups
  echo 0 >go
  sbatch-tasks submit -q t --wait --interval 1 --run-dir "$PWD/good" >shown
  grep -q 't/two seed 42: .* -> done$' shown
  echo 6 >go
  run sbatch-tasks submit -q t --wait --interval 1 --run-dir "$PWD/bad"
  expect_equal "$status" 4
  rm go
  # A background job of a shell ignores SIGINT from the start.
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' sbatch-tasks submit t --wait --interval 1 --run-dir "$PWD/run" >shown 2>notes 3>&- &
  local pid=$! code=0
  become 'one:running two:waiting'
  kill -INT "$pid"
  wait "$pid" || code=$?
  expect_equal "$code" 130
  grep -q "interrupted; the jobs go on: sbatch-tasks status --watch $PWD/run" notes
  expect_equal "$(states)" 'one:running two:waiting'
  echo 0 >go
  become 'one:done two:done'
}
