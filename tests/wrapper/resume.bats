#!/usr/bin/env bats
# resume: whatever ended a submission, each job is in the queue exactly once afterwards.
# Each test has its own variables.
# shellcheck disable=SC2030,SC2031
load helper
load fake_slurm

setup() {
  begin_test
  fake_slurm
  two_group_task demo
  two_group_task other
  sed -i 's/"compute": 4/"compute": 3/' tasks/other/config.json
}

submit() { sbatch-tasks submit --all --run-dir run --seeds 1,2 --settle-seconds 1 "$@"; }
resume() { sbatch-tasks resume run --settle-seconds 1 "$@"; }

# record TASK/LABEL-seedN STATE [MEMBERS]: a step's record.
record() {
  mkdir -p "run/results/${1%/*}"
  echo "{\"state\":\"$2\"${3:+,$3}}" >"run/results/$1.json"
}

# done_chain TASK SEED
done_chain() {
  record "$1/train-seed$2" 'done'
  record "$1/eval-seed$2" 'done'
}

@test 'a whole run needs nothing' {
  submit -q
  run --separate-stderr resume
  expect_equal "$status" 0
  expect_equal "$stderr" 'sbatch-tasks: nothing to submit: 0 done, 8 in the queue'
  expect_equal "$(wc -l <calls)" 4
  expect_each_job_once
}

@test 'killed before, in and after every call of sbatch' {
  local call way
  for call in 1 2 3 4; do
    for way in 'kill -9 $caller; sleep 5' \
      'submit_it "$@" >/dev/null; kill -9 $caller; sleep 5' \
      'submit_it "$@"; exec >&-; kill -9 $caller'; do
      rm -rf run at/*
      : >queue
      : >calls
      at_call "$call" "$way"
      run submit -q
      expect_equal "$status" 137 "$way"
      run --separate-stderr resume
      expect_equal "$status" 0 "$stderr"
      expect_each_job_once
      # And that is the end of it.
      run --separate-stderr resume
      expect_equal "$stderr" 'sbatch-tasks: nothing to submit: 0 done, 8 in the queue'
    done
  done
}

@test 'a line that the killed submit left half written' {
  submit -q
  local size
  size=$(stat -c %s run/journal.jsonl)
  cp run/journal.jsonl whole
  for cut in 1 2 20 60; do
    head -c $((size - cut)) whole >run/journal.jsonl
    resume -q >/dev/null
    expect_each_job_once
  done
}

@test 'an sbatch that is late: the job that comes after all is found' {
  # The killed submit leaves a process behind that submits one second later.
  at_call 2 'export -f submit_it; export number; (sleep 1; submit_it "$@") >/dev/null 2>&1 & disown
kill -9 $caller; sleep 5'
  sed -i '1a set -m' bin/sbatch
  run submit -q
  expect_equal "$status" 137
  run --separate-stderr sbatch-tasks resume run --settle-seconds 4
  expect_equal "$status" 0 "$stderr"
  expect_contains "$stderr" ': is job 102'
  expect_each_job_once
}

@test 'a job that comes even later ends as superseded' {
  at_call 1 'kill -9 $caller; sleep 5'
  run submit -q
  resume -q >/dev/null
  # What the first call would have started.
  export CUDA_VISIBLE_DEVICES=0,1,2,3 SLURM_ARRAY_TASK_ID=0
  run bash "$(echo run/arrays/run-a1.????????.sh)" 1
  expect_equal "$status" 4 "$output"
  expect_contains "$output" 'superseded: this is submission 1 of the job, and 2 has replaced it'
  bash "$(echo run/arrays/run-a1.????????.2.sh)" 2
}

@test 'sbatch times out though it has made the job: found by its name, never submitted twice' {
  at_call 1 'submit_it "$@" >/dev/null; echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1'
  run --separate-stderr submit
  expect_equal "$status" 0 "$stderr"
  expect_contains "$stderr" 'is in the queue although sbatch said: sbatch: error: Batch job submission failed: Socket timed out'
  expect_equal "$(head -n 1 <<<"$output")" '101_0 demo-g1-s1'
  expect_equal "$(wc -l <calls)" 4
  expect_each_job_once
}

@test 'sbatch prints no id though it has made the job' {
  at_call 1 'submit_it "$@" >/dev/null; echo "Submitted batch job 12 13"'
  run --separate-stderr submit
  expect_equal "$status" 0 "$stderr"
  expect_each_job_once
}

@test 'sbatch times out and no job is there: nothing more is submitted, resume does it' {
  at_call 2 'echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1'
  run --separate-stderr submit
  expect_equal "$status" 4 "$output"
  expect_contains "$stderr" 'may be submitted or not: sbatch: error: Batch job submission failed: Socket timed out'
  expect_contains "$stderr" '2 of 8 jobs are submitted; these are not: '
  expect_equal "$(wc -l <calls)" 2
  run --separate-stderr resume
  expect_equal "$status" 0 "$stderr"
  expect_each_job_once
}

@test 'without a controller nothing is submitted, and later all is' {
  touch no-controller
  local call
  for call in 1 2; do
    at_call "$call" 'echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1'
  done
  run --separate-stderr submit
  expect_equal "$status" 4 "$output"
  run --separate-stderr resume
  expect_equal "$status" 4 "$output"
  expect_equal "$stderr" 'sbatch-tasks: error: the queue cannot be read, nothing is submitted: slurm_load_jobs error: Unable to contact slurm controller'
  rm no-controller at/*
  resume -q >/dev/null
  expect_each_job_once
}

@test 'a job that Slurm has forgotten is known by its records' {
  at_call 1 'submit_it "$@" >/dev/null; kill -9 $caller; sleep 5'
  run submit -q
  : >queue
  record demo/train-seed1 running '"job_id":"900","array_job_id":"900","array_task_id":"0"'
  run --separate-stderr resume -n
  expect_contains "$stderr" ': is job 900'
}

@test 'what failed is submitted again, with what waits for it; what is done or queued is not' {
  submit -q >/dev/null
  done_chain demo 1
  record demo/train-seed2 failed
  state run-a1 COMPLETED
  sed -i -E '/\|1\|.*\|run-a1\./s/COMPLETED/FAILED/' queue
  # Slurm has cancelled the follower (kill-on-invalid-dep).
  sed -i -E '/^102\|1/s/PENDING/CANCELLED/; /^102\|0/s/PENDING/COMPLETED/' queue
  run --separate-stderr resume
  expect_equal "$status" 0 "$stderr"
  expect_equal "${stderr_lines[0]}" 'sbatch-tasks: 2 done, 4 in the queue, 2 to submit'
  expect_equal "$output" $'105 demo-g1-s2\n106 demo-g2-s2'
  expect_equal "$(tail -n 2 queue | cut -d'|' -f6 | sed -E 's/\.[0-9a-f]{8}//')" $'demo-g1-s2.2\ndemo-g2-s2.2'
  expect_equal "$(cat run/submissions/demo-g1-s2)" 2
}

@test 'a job that waits for a failed one is cancelled and submitted again behind it' {
  submit -q >/dev/null
  record demo/train-seed2 timeout
  sed -i -E '/^101\|1/s/PENDING/TIMEOUT/' queue
  run --separate-stderr resume -n
  expect_equal "$status" 0
  expect_equal "$(sed -E 's/\.[0-9a-f]{8}//g' <<<"$output")" "scancel 102_1
sbatch --parsable --job-name=demo-g1-s2.2 $PWD/run/scripts/demo-g1-s2.sh 2
sbatch --parsable --job-name=demo-g2-s2.2 --dependency=afterok:ID-OF-demo-g1-s2.2 --kill-on-invalid-dep=yes $PWD/run/scripts/demo-g2-s2.sh 2"
  expect_equal "$(wc -l <calls)" 4
  resume -q >/dev/null
  grep -qE '^102\|1\|CANCELLED' queue
  expect_each_job_once
}

@test 'a missing job waits for the one that Slurm still has' {
  submit -q >/dev/null
  sed -i -E '/^102\|/s/PENDING/CANCELLED/' queue
  state run-a1 RUNNING
  run --separate-stderr resume -n
  expect_equal "$(sed -E 's/\.[0-9a-f]{8}//g' <<<"$output")" \
    "sbatch --parsable --array=0,1 --dependency=aftercorr:101 --kill-on-invalid-dep=yes $PWD/run/arrays/run-a1.2.sh 2"
}

@test 'of a packed job that failed, the steps that are done are not run again' {
  task t <<'END'
[{"cmd": "ok.sh", "label": "ok", "group": 1, "compute": 0.5},
 {"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 0.5}]
END
  script t/ok.sh <<<'echo ran'
  script t/bad.sh <<<'[[ -e fixed ]]'
  sbatch-tasks submit -q t --run-dir run >/dev/null
  export CUDA_VISIBLE_DEVICES=0
  run bash run/scripts/t-g1-s42.sh 1
  state t-g1-s42 FAILED
  touch tasks/t/fixed
  run --separate-stderr resume
  expect_equal "$output" '102 t-g1-s42'
  bash run/scripts/t-g1-s42.sh 2
  expect_equal "$(grep -c '^ran$' run/logs/t/ok-seed42.log)" 1
  state t-g1-s42 COMPLETED
  run --separate-stderr resume
  expect_equal "$stderr" 'sbatch-tasks: nothing to submit: 1 done, 0 in the queue'
}

@test 'a run keeps its scale' {
  submit -q --compute-scale=0.5 >/dev/null
  run sbatch-tasks resume run --compute-scale=1
  expect_error 1 "--compute-scale 1 is 1, but the run $PWD/run was made at 0.5: submit a new run"
  run --separate-stderr sbatch-tasks resume run --compute-scale=h200
  expect_equal "$status" 0
}

@test 'what is no run, or has moved, or takes its scale elsewhere' {
  mkdir empty
  run sbatch-tasks resume empty
  expect_error 1 "$PWD/empty: is no run directory: it has no plan.json"
  submit -q >/dev/null
  mv run moved
  run sbatch-tasks resume moved
  expect_error 1 "$PWD/moved: was made as $PWD/run, which its scripts write to"
  sbatch-tasks render -q demo --neutral --run-dir neutral
  run sbatch-tasks resume neutral
  expect_equal "$status" 1
  expect_contains "$output" 'its scripts take their scale at submission'
}

@test 'a rendered run is submitted by resume' {
  sbatch-tasks render -q demo other --run-dir run --seeds 1,2
  resume -q >/dev/null
  expect_each_job_once
}

@test 'two at once: the second one is refused' {
  submit -q >/dev/null
  flock run/journal.jsonl bash -c 'sbatch-tasks resume run 2>&1' >out || true
  expect_equal "$(cat out)" "sbatch-tasks: error: $PWD/run/journal.jsonl: another sbatch-tasks is submitting this run"
}

@test 'a run of this machine is continued by run' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<'exit 1'
  run sbatch-tasks run t --gpus 1 --run-dir here
  expect_equal "$status" 4 "$output"
  run sbatch-tasks resume here
  expect_error 1 "$PWD/here: has no scripts/t-g1-s42.sh: a run without Slurm is continued by sbatch-tasks run --run-dir"
  [[ ! -e here/journal.jsonl ]]
}
