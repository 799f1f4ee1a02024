#!/usr/bin/env bats
# logs and cancel: what they choose, which calls of scancel they make, and what they say.
load helper

setup() {
  begin_test
  two_group_task demo
  cat >bin/squeue <<END
#!/usr/bin/env bash
cat '$work/rows' 2>/dev/null
END
  cat >bin/scancel <<END
#!/usr/bin/env bash
cd '$work'
printf '%s\n' "\$*" >>scancel.calls
[[ ! -e scancel.sh ]] || source ./scancel.sh
END
  printf '#!/bin/sh\nexit 1\n' >bin/sacct
  chmod +x bin/{squeue,sacct,scancel}
  sbatch-tasks render -q demo --run-dir run --seeds 1,2,3 >/dev/null
  # The first group is array 10 with the elements 0, 1, 2; the second is 21, 22, 23 on cluster beta.
  local seed
  {
    echo '{"event":"begin","name":"a.00","time":1,"number":1,"jobs":[{"job":"demo-g1-s1","index":0},{"job":"demo-g1-s2","index":1},{"job":"demo-g1-s3","index":2}],"argv":[]}'
    echo '{"event":"submitted","name":"a.00","id":"10","time":2}'
    for seed in 1 2 3; do
      echo "{\"event\":\"begin\",\"name\":\"b$seed.00\",\"time\":1,\"number\":1,\"jobs\":[{\"job\":\"demo-g2-s$seed\"}],\"argv\":[]}"
      echo "{\"event\":\"submitted\",\"name\":\"b$seed.00\",\"id\":\"2$seed\",\"time\":2}"
    done
  } >run/journal.jsonl
  for seed in 1 2 3; do row 10 $((seed - 1)) PENDING && row 2$seed N/A PENDING; done
}

# row ID INDEX STATE: a line of squeue.
row() { echo "$1|$2|$1|$3|None|0:00|N/A|0|cpu=1|N/A|1|N/A|1|N/A|1|x|" >>rows; }

log() {
  mkdir -p run/logs/demo
  printf '%s\n' "$2" >"run/logs/demo/$1.log"
}

states() {
  sbatch-tasks status run --json >status.json || true
  json status.json '" ".join(s["state"] for s in d["steps"])'
}

@test 'cancel names exactly the elements, later groups first, in one call' {
  run sbatch-tasks cancel run
  expect_equal "$status" 0
  expect_equal "$output" 'sbatch-tasks: cancelled 6 jobs'
  expect_equal "$(cat scancel.calls)" '23 22 21 10_[0-2]'
}

@test 'cancel of some steps: by task, label, seed' {
  sbatch-tasks cancel demo/train --seed 1,3 --run-dir run
  expect_equal "$(cat scancel.calls)" '10_[0,2]'
  : >rows
  row 10 1 PENDING
  # The journal keeps who cancelled: no accounting is needed.
  expect_equal "$(states)" 'cancelled waiting cancelled blocked lost blocked'
}

@test 'a dry run prints the calls and makes none' {
  run sbatch-tasks cancel run 'demo/e*' -n
  expect_equal "$output" 'scancel 23 22 21'
  [[ ! -e scancel.calls ]]
}

@test 'scancel fails: exit 4, and what is left is named' {
  cat >scancel.sh <<'END'
grep -v '^10|1|' rows >rows.new; mv rows.new rows
echo "scancel: error: Kill job error on job id 10_0: Access denied" >&2
exit 1
END
  run --separate-stderr sbatch-tasks cancel demo/train --run-dir run
  expect_equal "$status" 4
  expect_equal "$stderr" "sbatch-tasks: cancelled 1 job
sbatch-tasks: error: not cancelled: demo-g1-s3 demo-g1-s1: scancel: error: Kill job error on job id 10_0: Access denied"
  expect_equal "$(grep -o '"cancelled","name":"[^"]*"' run/journal.jsonl)" '"cancelled","name":"demo-g1-s2"'
}

@test 'the controller does not answer: nothing is cancelled, exit 4' {
  printf '#!/bin/sh\necho down >&2; exit 1\n' >bin/squeue
  run sbatch-tasks cancel run
  expect_error 4 'nothing is cancelled, Slurm cannot be asked: down'
}

@test 'cancel wants to know what' {
  mkdir -p results/runs && mv run results/runs/
  run sbatch-tasks cancel
  expect_error 1 "name steps of $PWD/results/runs/run, or that run directory for all"
  run sbatch-tasks cancel -q trian
  expect_equal "$status" 1
  expect_contains "$output" 'no step of '
  [[ ! -e scancel.calls ]]
}

@test 'logs: one as it is, several under titles in order, bytes untouched' {
  log train-seed1 $'one\e[1m\001'
  log train-seed2 two
  sbatch-tasks logs demo/train --seed 1 --run-dir run >out
  printf 'one\e[1m\001\n' | cmp - out
  run --separate-stderr sbatch-tasks logs 'demo/tr*' --run-dir run
  expect_equal "$output" $'==> demo/train seed 1 <==\none\e[1m\001\n\n==> demo/train seed 2 <==\ntwo'
  expect_equal "$stderr" 'sbatch-tasks: demo/train seed 3: no log: waiting'
}

@test 'logs --job shows what the job script wrote' {
  mkdir -p run/arrays/a.00
  echo 'from Slurm' >run/arrays/a.00/0.log
  run --separate-stderr sbatch-tasks logs demo/train --seed 1 --job --run-dir run
  expect_equal "$output" 'from Slurm'
}

@test 'logs wants steps that exist' {
  run sbatch-tasks logs --run-dir run
  expect_error 1 'name steps: TASK or TASK/LABEL'
  run sbatch-tasks logs demo/trian --run-dir run
  expect_error 1 "no step of $PWD/run matches \"demo/trian\"; did you mean demo/train?"
  run sbatch-tasks logs demo/train --seed 9 --run-dir run
  expect_error 1 "no step of $PWD/run has that seed"
}
