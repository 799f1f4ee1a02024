#!/usr/bin/env bats
# How submit calls sbatch, what it records and what it says when sbatch fails.
load helper

setup() {
  begin_test
  fake_sbatch
  two_group_task demo
}

journal() {
  python3 -c 'import json, sys
for line in open(sys.argv[1]):
    d = json.loads(line)
    print(d["event"], d["name"].rsplit(".", 1)[0], d.get("id", ""), d.get("cluster", ""))' "$1" | sed 's/ *$//'
}

@test 'one call per job, each group after the one before it' {
  run --separate-stderr sbatch-tasks submit demo --run-dir run --seeds 1,2
  expect_equal "$status" 0
  expect_equal "$output" $'101 demo-g1-s1\n102 demo-g1-s2\n103 demo-g2-s1\n104 demo-g2-s2'
  expect_equal "$stderr" "sbatch-tasks: submitted 4 jobs; run directory $PWD/run"
  expect_equal "$(cat sbatch.1.args)" $'--parsable\n'"$PWD/run/scripts/demo-g1-s1.sh"
  expect_equal "$(cat sbatch.3.args)" \
    $'--parsable\n--dependency=afterok:101\n--kill-on-invalid-dep=yes\n'"$PWD/run/scripts/demo-g2-s1.sh"
  expect_equal "$(sed -n 2p sbatch.4.args)" '--dependency=afterok:102'
  expect_equal "$(journal run/journal.jsonl)" "begin demo-g1-s1
submitted demo-g1-s1 101
begin demo-g1-s2
submitted demo-g1-s2 102
begin demo-g2-s1
submitted demo-g2-s1 103
begin demo-g2-s2
submitted demo-g2-s2 104"
}

@test 'arguments behind -- reach sbatch as they are' {
  sbatch-tasks submit -q demo/train --run-dir run -- --comment='a "b" $c' '' '--x=*' -- y
  expect_equal "$(cat sbatch.1.args)" \
    $'--parsable\n--comment=a "b" $c\n\n--x=*\n--\ny\n'"$PWD/run/scripts/demo-g1-s42.sh"
}

@test 'nothing of a surrounding job is passed on but SLURM_CONF' {
  SLURM_JOB_ID=7 SLURM_COMPUTE_SCALE_PAYLOAD=x SBATCH_PARTITION=p SALLOC_QOS=q SLURM_CONF=/etc/x MINE=1 \
    sbatch-tasks submit -q demo/train --run-dir run
  expect_equal "$(grep -E '^(SLURM|SBATCH|SALLOC)' sbatch.1.env)" 'SLURM_CONF=/etc/x'
  grep -qx MINE=1 sbatch.1.env
}

@test 'variables that the plugin set for a surrounding job do not reach new jobs' {
  SLURM_COMPUTE_SCALE_PAYLOAD='1;scale=0.5;entry=a/b;env.TP_SIZE=1;env.MINE=2' \
    SLURM_COMPUTE_SCALE_DISPLACED='1;MINE=before' TP_SIZE=1 APPTAINERENV_TP_SIZE=1 MINE=2 OWN=3 \
    sbatch-tasks submit -q demo/train --run-dir run
  expect_equal "$(grep -E '^(.*TP_SIZE|MINE|OWN)=' sbatch.1.env | sort)" $'MINE=before\nOWN=3'
}

@test 'the job id is found among banners, and a cluster is kept' {
  local answers=('echo "Welcome, 12 users"; echo; echo "$id;alpha"; echo "bye 7 8"' 'printf "%s" "$id"' 'echo " $id"')
  local expected=('101;alpha demo-g1-s42' '101 demo-g1-s42' '101 demo-g1-s42')
  local number
  for number in "${!answers[@]}"; do
    rm -rf sbatch.*.args run
    echo "${answers[number]}" >sbatch.behaviour
    run --separate-stderr sbatch-tasks submit -q demo/train --run-dir run
    expect_equal "$output" "${expected[number]}"
  done
  sbatch-tasks submit -q demo/train --run-dir run2
}

@test 'a dependency takes the id without the cluster' {
  echo 'echo "$id;alpha"' >sbatch.behaviour
  sbatch-tasks submit -q demo --run-dir run
  expect_equal "$(sed -n 2p sbatch.2.args)" '--dependency=afterok:101'
  expect_contains "$(journal run/journal.jsonl)" 'submitted demo-g1-s42 101 alpha'
}

@test 'sbatch refuses: what was submitted and what was not, exit 4' {
  echo 'if ((number == 2)); then echo "sbatch: error: no such thing" >&2; exit 1; fi; echo $id' \
    >sbatch.behaviour
  run --separate-stderr sbatch-tasks submit demo --run-dir run --seeds 1,2
  expect_equal "$status" 4
  expect_equal "$output" '101 demo-g1-s1'
  expect_equal "$stderr" "sbatch-tasks: error: demo-g1-s2: not submitted: sbatch: error: no such thing
sbatch-tasks: error: 1 of 4 jobs are submitted; these are not: demo-g1-s2 demo-g2-s1 demo-g2-s2
sbatch-tasks: error: run directory $PWD/run"
  expect_equal "$(journal run/journal.jsonl)" "begin demo-g1-s1
submitted demo-g1-s1 101
begin demo-g1-s2
failed demo-g1-s2"
}

@test 'an answer without a job id is a failure' {
  echo 'echo "Submitted batch job 12 13"' >sbatch.behaviour
  run --separate-stderr sbatch-tasks submit demo/train --run-dir run
  expect_equal "$status" 4
  expect_contains "$stderr" 'sbatch printed no job id, but "Submitted batch job 12 13"'
}

@test 'no sbatch on this machine' {
  rm bin/sbatch
  run --separate-stderr env PATH="$PWD/bin" "$(type -P sbatch-tasks)" submit demo/train --run-dir run
  expect_equal "$status" 4
  expect_contains "$stderr" 'sbatch: cannot be started: No such file or directory'
}

@test 'what sbatch says although it takes the job is shown' {
  echo 'echo "sbatch: compute-scale: gpu 4 -> 2" >&2; echo $id' >sbatch.behaviour
  run --separate-stderr sbatch-tasks submit demo/train --run-dir run
  expect_equal "${stderr_lines[0]}" 'sbatch-tasks: sbatch: compute-scale: gpu 4 -> 2'
}

@test 'dry run prints the calls, calls nothing and writes nothing' {
  run --separate-stderr sbatch-tasks submit demo -n --run-dir run -- '--comment=a b'
  expect_equal "$status" 0
  expect_equal "$output" "sbatch --parsable '--comment=a b' $PWD/run/scripts/demo-g1-s42.sh
sbatch --parsable '--comment=a b' --dependency=afterok:ID-OF-demo-g1-s42 --kill-on-invalid-dep=yes $PWD/run/scripts/demo-g2-s42.sh"
  [[ ! -e run && ! -e sbatch.1.args && ! -e results ]]
}

@test 'an existing run directory is refused before sbatch is called' {
  mkdir run && touch run/x
  run sbatch-tasks submit demo --run-dir run
  expect_error 1 "$PWD/run: exists and is not empty: name another --run-dir or --exp-name"
  [[ ! -e sbatch.1.args ]]
}

@test 'job names tell runs apart' {
  sbatch-tasks submit -q demo/train --run-dir one
  sbatch-tasks submit -q demo/train --run-dir two
  local first second
  first=$(grep -h -e --job-name one/scripts/*)
  second=$(grep -h -e --job-name two/scripts/*)
  [[ $first =~ ^'#SBATCH --job-name=demo-g1-s42.'[0-9a-f]{8}$ ]]
  [[ $first != "$second" ]]
}

@test 'with the plugin, sbatch sees the same run config' {
  printf 'slurm:\n  plugin: true\n' >>config.yaml
  cp config.yaml other.yaml
  sbatch-tasks submit -q demo/train --run-dir run --config other.yaml
  grep -qx "COMPUTE_SCALE_CONFIG=$PWD/other.yaml" sbatch.1.env
}
