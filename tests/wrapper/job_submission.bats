#!/usr/bin/env bats
# What a job script does about the submission that started it, here by bash alone.
load helper

setup() {
  begin_test
  export CUDA_VISIBLE_DEVICES=0,1,2,3 COMPUTE_SCALE_RECORD_SECONDS=0
  two_group_task demo
  sbatch-tasks render -q demo --run-dir run
}

state() { json "run/results/demo/$1-seed42.json" 'd["state"], d["attempt"]'; }

@test 'a step that is done is not run again by a later submission' {
  bash run/scripts/demo-g1-s42.sh 1
  run bash run/scripts/demo-g1-s42.sh 2
  expect_equal "$status" 0
  expect_equal "$output" \
    "compute-scale: demo/train seed 42: is done, see $PWD/run/results/demo/train-seed42.json"
  expect_equal "$(state train)" "('done', 1)"
  expect_equal "$(grep -c '^32 16' run/logs/demo/train-seed42.log)" 1
}

@test 'of a job, only the steps that are not done run again' {
  task t <<'END'
[{"cmd": "ok.sh", "label": "ok", "group": 1, "compute": 0.5},
 {"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 0.5}]
END
  script t/ok.sh <<<'echo ran'
  script t/bad.sh <<<'echo ran; [[ -e fixed ]]'
  sbatch-tasks render -q t --run-dir other
  run bash other/scripts/t-g1-s42.sh 1
  expect_equal "$status" 1
  touch tasks/t/fixed
  run bash other/scripts/t-g1-s42.sh 2
  expect_equal "$status" 0
  expect_equal "$(grep -c '^ran$' other/logs/t/ok-seed42.log) $(grep -c '^ran$' other/logs/t/bad-seed42.log)" '1 2'
}

@test 'a submission that a later one has replaced ends at once' {
  echo 2 >run/submissions/demo-g1-s42
  run bash run/scripts/demo-g1-s42.sh 1
  expect_equal "$status" 4
  expect_equal "$output" \
    'compute-scale: superseded: this is submission 1 of the job, and 2 has replaced it'
  [[ ! -e run/results/demo/train-seed42.json ]]
  bash run/scripts/demo-g1-s42.sh 2
  expect_equal "$(state train)" "('done', 1)"
}

@test 'no group starts before the one that it builds on is done, whatever Slurm thinks' {
  run bash run/scripts/demo-g2-s42.sh 1
  expect_equal "$status" 3
  expect_equal "$output" \
    "compute-scale: blocked: $PWD/run/results/demo/train-seed42.json does not say that its step is done"
  [[ ! -e run/results/demo/eval-seed42.json ]]
  bash run/scripts/demo-g1-s42.sh 1
  bash run/scripts/demo-g2-s42.sh 1
  expect_equal "$(state eval)" "('done', 1)"
}

@test 'it waits for a record that is seen late' {
  (sleep 1.2 && bash run/scripts/demo-g1-s42.sh 1) &
  local first=$!
  COMPUTE_SCALE_RECORD_SECONDS=20 run bash run/scripts/demo-g2-s42.sh 1
  expect_equal "$status" 0 "$output"
  wait "$first"
}

@test 'a script that is started by hand asks for none of this' {
  echo 2 >run/submissions/demo-g2-s42
  bash run/scripts/demo-g2-s42.sh
  bash run/scripts/demo-g2-s42.sh
  expect_equal "$(state eval)" "('done', 2)"
}

@test 'the record names the element of an array' {
  SLURM_JOB_ID=12 SLURM_ARRAY_JOB_ID=10 SLURM_ARRAY_TASK_ID=3 bash run/scripts/demo-g1-s42.sh 1
  expect_equal "$(json run/results/demo/train-seed42.json \
    'd["job_id"], d["array_job_id"], d["array_task_id"]')" "('12', '10', '3')"
  SLURM_JOB_ID=13 bash run/scripts/demo-g2-s42.sh 1
  expect_equal "$(json run/results/demo/eval-seed42.json 'd["job_id"], "array_job_id" in d')" \
    "('13', False)"
}
