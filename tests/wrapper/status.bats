#!/usr/bin/env bats
# What status makes of records, journal and the odd answers of squeue and sacct.
load helper

setup() {
  begin_test
  two_group_task demo
  # A squeue and an sacct that count their calls and do what squeue.sh and sacct.sh say.
  local name
  for name in squeue sacct; do
    printf '#!/usr/bin/env bash\ncd %q\necho "$*" >>%s.calls\nenv >%s.env\nsource ./%s.sh\n' \
      "$work" $name $name $name >bin/$name
    chmod +x bin/$name
  done
  : >squeue.sh
  echo 'echo "Slurm accounting storage is disabled" >&2; exit 1' >sacct.sh
  sbatch-tasks render -q demo --run-dir run >/dev/null
}

# submitted ID [CLUSTER]: the journal says that job demo-g1-s42 is ID and demo-g2-s42 is ID+1.
submitted() {
  local cluster=${2:+,\"cluster\":\"$2\"} job id=$1
  for job in demo-g1-s42 demo-g2-s42; do
    echo "{\"event\":\"begin\",\"name\":\"$job.00\",\"time\":1,\"number\":1,\"jobs\":[{\"job\":\"$job\"}],\"argv\":[]}"
    echo "{\"event\":\"submitted\",\"name\":\"$job.00\",\"id\":\"$id\"$cluster,\"time\":2}"
    id=$((id + 1))
  done >run/journal.jsonl
}

# record LABEL JOB STATE EXIT-CODE
record() {
  mkdir -p run/results/demo
  printf '{"step":"demo/%s","seed":42,"state":"%s","exit_code":%s,"elapsed_seconds":%s,"attempt":1,"job_id":"%s","node":"n0","devices":"0,1","started":"2026-01-01T00:00:00Z","written":"2026-01-01T01:00:00Z"}\n' \
    "$1" "$3" "$4" "$([[ $4 == null ]] && echo null || echo 3600)" "$2" >"run/results/demo/$1-seed42.json"
}

# row ID STATE [REASON [GPUS [RESTARTS]]]: squeue prints this line.
row() {
  echo "echo '$1|N/A|$1|$2|${3:-None}|1:00|1|${5:-0}|cpu=1,gres/gpu=${4:-4}|N/A|1|N/A|1|N/A|1|x|'" >>squeue.sh
}

# states: "train:STATE eval:STATE" of `status --json`, whatever its exit status.
states() {
  sbatch-tasks status run --json >status.json || true
  json status.json '" ".join(s["step"].split("/")[1] + ":" + s["state"] for s in d["steps"])'
}

@test 'a finished run: the table, no call of Slurm, exit 0' {
  submitted 101
  record train 101 'done' 0
  record eval 102 'done' 0
  run --separate-stderr sbatch-tasks status run
  expect_equal "$status" 0
  expect_equal "$output" "TASK  STEPS  WAITING  BLOCKED  RUNNING  DONE  FAILED  CANCELLED  GPUS  GPU-HOURS
demo      2        0        0        0     2       0          0     0          5"
  expect_equal "$stderr" ''
  [[ ! -e squeue.calls && ! -e sacct.calls ]]
}

@test 'a failed run: why, which code, which log, exit 4, still no call' {
  submitted 101
  record train 101 failed 9
  run sbatch-tasks status run
  expect_equal "$status" 4
  expect_contains "$output" "
blocked:
  demo/eval seed 42: demo/train seed 42 failed

failed:
  demo/train seed 42: exit code 9, job 101, log $PWD/run/logs/demo/train-seed42.log"
  [[ ! -e squeue.calls ]]
}

@test 'one call of squeue, none of sacct, for a run under way' {
  submitted 101
  record train 101 running null
  row 101 RUNNING
  row 102 PENDING Dependency
  run sbatch-tasks status run
  expect_equal "$status" 0
  expect_equal "$(wc -l <squeue.calls)" 1
  [[ ! -e sacct.calls ]]
  expect_equal "$(states)" 'train:running eval:waiting'
}

@test 'GPUs are read from the trackable resources' {
  submitted 101
  row 101 RUNNING None 2
  states
  expect_equal "$(json status.json 'd["total"]["gpus"]')" 2.0
}

@test 'banners around the answer, settings of the user and odd states' {
  submitted 101
  record train 101 running null
  echo 'echo "Welcome! 12 users | have fun"; echo; echo "squeue: a warning" >&2' >squeue.sh
  row 101 XYZ
  row 102 PENDING Dependency
  export SQUEUE_FORMAT=%i SQUEUE_STATES=R SLURM_CLUSTERS=other SLURM_CONF=/etc/x
  expect_equal "$(states)" 'train:XYZ eval:waiting'
  expect_equal "$(grep -E '^(SQUEUE|SLURM)' squeue.env | sort)" $'SLURM_CONF=/etc/x\nSLURM_TIME_FORMAT=%s'
  run sbatch-tasks status run
  expect_equal "$status" 0
  expect_contains "$output" $'in another state:\n  demo/train seed 42: XYZ'
}

@test 'states of ended jobs: the first word, and the ones that are no failure of the step' {
  local state expected
  submitted 101
  while read -r expected state; do
    record train 101 running null
    : >squeue.sh
    row 101 "$state"
    expect_equal "$(states)" "train:$expected eval:blocked" "$state"
  done <<'END'
cancelled CANCELLED by 1000
failed OUT_OF_MEMORY
failed NODE_FAIL
failed PREEMPTED
timeout TIMEOUT
END
}

@test 'preempted and requeued is not failed, and the attempt is kept' {
  submitted 101
  record train 101 failed 143
  row 101 PENDING BeginTime 4 1
  row 102 PENDING Dependency
  # The record alone says that it failed and nothing else is left to run: eval waits in truth.
  record eval 102 running null
  expect_equal "$(states)" 'train:requeued eval:running'
  expect_equal "$(json status.json 'd["steps"][0]["attempt"]')" 1
}

@test 'no accounting: a job that is gone is lost, never done' {
  submitted 101
  record train 101 running null
  run sbatch-tasks status run
  expect_equal "$status" 4
  expect_contains "$output" 'demo/train seed 42: lost, its job is gone and left no record of its end, job 101'
  expect_equal "$(wc -l <sacct.calls)" 1
  expect_equal "$(states)" 'train:lost eval:blocked'
}

@test 'the accounting says how a job ended that the queue has forgotten' {
  submitted 101
  record train 101 running null
  echo 'echo "101|CANCELLED by 1000|60|"' >sacct.sh
  expect_equal "$(states)" 'train:cancelled eval:blocked'
  expect_contains "$(cat sacct.calls)" '--jobs=101'
}

@test 'the controller does not answer: one line, the records, exit 4' {
  submitted 101
  record train 101 running null
  echo 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1' >squeue.sh
  run --separate-stderr sbatch-tasks status run
  expect_equal "$status" 4
  expect_equal "$stderr" "sbatch-tasks: error: Slurm cannot be asked, this is what the records tell: slurm_load_jobs error: Unable to contact slurm controller"
  expect_contains "$output" 'demo      2        1        0        1     0'
  rm bin/squeue
  run --separate-stderr env PATH="$PWD/bin" "$(type -P sbatch-tasks)" status run
  expect_equal "$status" 4
  expect_contains "$stderr" 'squeue: cannot be started'
}

@test 'a federation: the cluster is asked that has the job' {
  submitted 101 beta
  row 101 RUNNING
  row 102 PENDING Dependency
  sbatch-tasks status run
  expect_contains "$(cat squeue.calls)" '--clusters=beta'
}

@test 'a dependency that can never be met is blocked, exit 4' {
  submitted 101
  row 101 RUNNING
  row 102 PENDING DependencyNeverSatisfied
  run sbatch-tasks status run
  expect_equal "$status" 4
  expect_contains "$output" $'blocked:\n  demo/eval seed 42: its dependency can never be met'
}

@test 'why Slurm keeps a job waiting is shown where it is more than its turn' {
  submitted 101
  row 101 PENDING Priority
  row 102 PENDING Dependency
  run sbatch-tasks status run
  expect_equal "$status $(grep -c held <<<"$output")" '0 0'
  sed -i s/Priority/PartitionConfig/ squeue.sh
  run sbatch-tasks status run
  expect_equal "$status" 0
  expect_contains "$output" $'held up by Slurm:\n  demo/train seed 42: PartitionConfig, job 101'
}

@test 'a record that cannot be read is named and counts as none' {
  submitted 101
  row 101 RUNNING
  row 102 PENDING Dependency
  echo '{"state":"do' >run/results/demo/train-seed42.json
  run --separate-stderr sbatch-tasks status run
  expect_equal "$status" 0
  expect_contains "$stderr" "sbatch-tasks: warning: $PWD/run/results/demo/train-seed42.json:1:"
}

@test 'the newest run is shown where none is named; what is no run is refused' {
  run sbatch-tasks status
  expect_error 1 "no run in $PWD/results/runs: name a run directory"
  mkdir -p results/runs
  sbatch-tasks render -q demo --exp-name new >/dev/null
  mv run results/runs/old
  touch -d '1 hour ago' results/runs/old/plan.json
  run --separate-stderr sbatch-tasks status
  expect_equal "$stderr" "sbatch-tasks: run directory $PWD/results/runs/new"
  run sbatch-tasks status nowhere
  expect_error 1 'nowhere: is no run directory: it has no plan.json'
  run sbatch-tasks status --run-dir nowhere
  expect_error 1 "$PWD/nowhere: is no run directory: it has no plan.json"
}

@test 'a run can be looked at whatever became of tasks and configs' {
  submitted 101
  record train 101 'done' 0
  record eval 102 'done' 0
  rm -r tasks
  echo '[' >config.yaml
  sbatch-tasks status run
}

@test 'watch prints each change and ends with the run' {
  submitted 101
  row 101 PENDING Priority
  row 102 PENDING Dependency
  # The second look finds the first step ended and the second running, the third all done.
  cat >>squeue.sh <<END
case \$(wc -l <squeue.calls) in
  1) ;;
  2) $(declare -f record); record train 101 'done' 0; record eval 102 running null ;;
  *) $(declare -f record); record eval 102 'done' 0 ;;
esac
END
  run sbatch-tasks status run --watch --interval 1
  expect_equal "$status" 0
  expect_equal "$(cut -d' ' -f2- <<<"$output" | head -n 4)" '0 of 2 steps done, 2 waiting
demo/train seed 42: waiting -> done
demo/eval seed 42: waiting -> running
demo/eval seed 42: running -> done'
  expect_equal "$(tail -n 2 <<<"$output" | head -c 4)" TASK
}

@test 'Ctrl-C ends a watch with 130, and nothing else' {
  submitted 101
  row 101 RUNNING
  row 102 PENDING Dependency
  # A background job of a shell ignores SIGINT from the start.
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' sbatch-tasks status run --watch --interval 60 >out &
  local pid=$!
  until grep -q waiting out; do sleep 0.05; done
  kill -INT "$pid"
  local code=0
  wait "$pid" || code=$?
  expect_equal "$code" 130
}

@test 'on a terminal, watch shows a progress bar' {
  submitted 101
  record train 101 'done' 0
  record eval 102 'done' 0
  run python3 -c 'import pty, sys
sys.exit(pty.spawn(sys.argv[1:]) >> 8)' sbatch-tasks status run --watch
  expect_equal "$status" 0
  expect_contains "$output" '[########################################] 2 of 2 steps done'
}

@test 'labels are shown as written and have files of their own' {
  rm -r tasks/demo run
  task demo <<'END'
[{"cmd": "scripts/a.sh", "label": "a/b", "group": 1}, {"cmd": "scripts/a.sh", "label": "a_b %|..", "group": 1}]
END
  script demo/scripts/a.sh <<<true
  sbatch-tasks render -q demo --run-dir run >/dev/null
  run sbatch-tasks status run --json
  json <(echo "$output") '[s["step"] for s in d["steps"]]'
  expect_equal "$(json <(echo "$output") '[s["step"] for s in d["steps"]]')" "['demo/a/b', 'demo/a_b %|..']"
  expect_equal "$(json <(echo "$output") 'len({s["log"] for s in d["steps"]})')" 2
  expect_equal "$(json <(echo "$output") 'all(s["log"].startswith(d["run_dir"] + "/logs/demo/") and s["log"].count("/..") == 0 for s in d["steps"])')" True
}

@test 'a run on this machine: no call of Slurm, and what became of it when it was interrupted' {
  rm -r run
  echo 'exit 3' >tasks/demo/scripts/train.sh
  sbatch-tasks run -q demo --run-dir run --gpus 4 2>/dev/null || true
  expect_equal "$(states)" 'train:failed eval:blocked'
  echo "touch '$work/up'; sleep 60" >tasks/demo/scripts/train.sh
  sbatch-tasks run -q demo --run-dir run2 --gpus 4 >/dev/null 2>&1 3>&- &
  local pid=$!
  until grep -qs running run2/results/demo/train-seed*.json; do sleep 0.05; done
  mv run run1 && ln -s run2 run
  expect_equal "$(states)" 'train:running eval:waiting'
  kill "$pid"
  wait "$pid" || true
  expect_equal "$(states)" 'train:cancelled eval:blocked'
  [[ ! -e squeue.calls ]]
}
