#!/usr/bin/env bats
# What a job script does when it runs: here by bash alone, as in a job on a node without Slurm's help.
load helper

setup() {
  begin_test
  export CUDA_VISIBLE_DEVICES=GPU-aa,MIG-bb,2,3
}

# Renders the only job of a task and runs it; sets `status` and `output`.
run_job() {
  sbatch-tasks render -q "$1" --run-dir run "${@:2}"
  # shellcheck disable=SC2154 # run sets it
  run bash run/scripts/*.sh
}

result() { json "run/results/$1-seed42.json" "$2"; }

@test 'output, exit code and seconds of every step; the job fails if one does' {
  task t <<'END'
[{"cmd": "ok.sh", "label": "ok", "group": 1, "compute": 0.5},
 {"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 0.25},
 {"cmd": "killed.sh", "label": "killed", "group": 1, "compute": 0.25}]
END
  script t/ok.sh <<<'sleep 1.1; echo fine; echo problem >&2'
  script t/bad.sh <<<'exit 5'
  script t/killed.sh <<<'kill -9 $$'
  run_job t
  expect_equal "$status" 5
  expect_equal "$(result t/ok '(d["state"], d["exit_code"], d["elapsed_seconds"] >= 1)')" "('done', 0, True)"
  expect_equal "$(result t/bad '(d["state"], d["exit_code"])')" "('failed', 5)"
  expect_equal "$(result t/killed '(d["state"], d["exit_code"])')" "('failed', 137)"
  expect_equal "$(tail -n 2 run/logs/t/ok-seed42.log)" $'fine\nproblem'
  expect_contains "$output" "t/bad seed 42: exit code 5, see $PWD/run/logs/t/bad-seed42.log"
  run bash -c 'ls run/results/t'
  expect_equal "$output" $'bad-seed42.json\nkilled-seed42.json\nok-seed42.json'
}

@test 'a later attempt appends to the log and replaces the record' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<'echo here; [[ -e second ]]'
  run_job t
  expect_equal "$status" 1
  touch tasks/t/second
  run bash run/scripts/*.sh
  expect_equal "$status" 0
  expect_equal "$(grep -c '^here$' run/logs/t/a-seed42.log)" 2
  expect_equal "$(grep -o 'attempt [0-9]' run/logs/t/a-seed42.log)" $'attempt 1\nattempt 2'
  expect_equal "$(result t/a '(d["state"], d["attempt"])')" "('done', 2)"
}

@test 'steps see the devices of their place in the list of the job' {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.6},
 {"cmd": "a.sh", "label": "b", "group": 1, "compute": 0.6},
 {"cmd": "a.sh", "label": "c", "group": 1, "compute": 0.4}]
END
  script t/a.sh <<<'echo "sees $CUDA_VISIBLE_DEVICES"'
  run_job t
  expect_equal "$status" 0 "$output"
  expect_equal "$(cat run/logs/t/*.log | grep ^sees)" $'sees GPU-aa\nsees MIG-bb\nsees GPU-aa'
  expect_equal "$(result t/b 'd["devices"]')" MIG-bb
}

@test 'fewer devices than planned: the step fails and says so' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 2}]'
  script t/a.sh <<<'echo ran'
  CUDA_VISIBLE_DEVICES=0 run_job t
  expect_equal "$status" 3
  expect_equal "$output" "compute-scale: t/a seed 42: needs 2 GPU(s), but the job sees CUDA_VISIBLE_DEVICES='0'"
  expect_equal "$(grep -c ran run/logs/t/a-seed42.log)" 0
}

@test 'no GPU is visible to a step without' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 0}]'
  script t/a.sh <<<'echo "sees [${CUDA_VISIBLE_DEVICES-unset}]"'
  run_job t
  expect_contains "$(cat run/logs/t/a-seed42.log)" 'sees []'
}

# Values as NAME and a Python literal; `env.sh` prints what arrived, NUL-separated.
odd_values() {
  cat >values.py <<'END'
import json
env = {"COMMA": "0,1", "QUOTES": "a\"b=c'", "LINES2": "1\n2\r\n", "CODE": "$(id)`id`$HOME", "EMPTY": "",
       "UTF8": "\u00e9", "BLANKS": " a  b ", "BACK": "a\\nb\\", "GLOB": "*", "DASH": "-n"}
entry = {"cmd": "env.sh", "label": "a", "env": env}
package = %s
if package: entry["package"] = package
json.dump({"test_cmds": [entry]}, open("tasks/t/config.json", "w"))
open("expected", "wb").write(b"".join(f"{k}={v}\0".encode() for k, v in sorted(env.items())))
END
  mkdir -p tasks/t
  sed -i "s/%s/$1/" values.py
  python3 values.py
  script t/env.sh <<'END'
for name in BACK BLANKS CODE COMMA DASH EMPTY GLOB LINES2 QUOTES UTF8; do
  printf '%s=%s\0' "$name" "${!name-unset}"
done >"$OUTPUT_DIR/seen"
env -0 >"$OUTPUT_DIR/env"
END
}

@test 'environment arrives byte for byte: local' {
  odd_values None
  run_job t
  expect_equal "$status" 0 "$output"
  cmp expected results/t/run/seed_42/seen
}

@test 'environment arrives byte for byte: apptainer' {
  odd_values '"p"'
  fake_apptainer
  mkdir -p w/t/run/p
  echo '{"image": "/i/p.sif", "env": {"P": "x:${P}:$(id)"}}' >packages/p.json
  sbatch-tasks render -q t --run-dir run --container-runtime apptainer --workspace-root w
  # Inside there is no /workspace here: the fake runs the script where it lies outside.
  sed -i "s|/workspace/_task/|$PWD/tasks/t/|" run/scripts/*.sh
  P=image run bash run/scripts/*.sh
  expect_equal "$status" 0 "$output"
  cmp expected results/t/run/seed_42/seen
  grep -zqx 'P=x:image:$(id)' results/t/run/seed_42/env
}

@test 'the order of the environment: the entry is last' {
  cat >packages/p.json <<<'{"image": "", "env": {"A": "package", "B": "package", "C": "package", "SEED": "package"}}'
  mkdir -p tasks/t
  cat >tasks/t/config.json <<'END'
{"test_cmds": [{"cmd": "a.sh", "label": "a", "package": "p", "env": {"C": "entry", "ENV": "entry", "LC_ALL": "C"}}],
 "baselines": {"b": {"env": {"B": "run", "C": "run", "OUTPUT_DIR": "run"}}}}
END
  script t/a.sh <<<'echo $A $B $C $SEED $ENV $OUTPUT_DIR $SAVE_PATH ${LC_ALL-unset}'
  run_job t --baseline b
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" \
    "package run entry 42 entry $PWD/results/t/run/seed_42 $PWD/results C"
}

@test 'local: caller environment less LC_ALL, threads where unset, paths of the host' {
  cat >packages/p.json <<'END'
{"image": "", "env": {"DATA_DIR": "/data/x/sub", "PYTHONPATH": "/workspace/p:${PYTHONPATH}"},
 "data_deps": [{"host": "{data_root}/x", "container": "/data/x"}]}
END
  task t <<<'[{"cmd": "a.sh", "label": "a", "package": "p", "cpus": 6, "compute": 2}]'
  script t/a.sh <<<'echo $PWD $DATA_DIR $PYTHONPATH $MINE ${LC_ALL-unset} $OMP_NUM_THREADS $MKL_NUM_THREADS'
  mkdir -p w/t/run/p
  LC_ALL=C MINE=1 MKL_NUM_THREADS=9 PYTHONPATH=/mine run_job t --workspace-root w --data-root /d
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" \
    "$PWD/w/t/run/p /d/x/sub $PWD/w/t/run/p:/mine 1 unset 3 9"
}

@test 'arguments and lines of cmd are read by one bash' {
  task t <<'END'
[{"cmd": "a.sh 'x y' \"$SEED\"", "label": "a", "group": 1, "compute": 0.1},
 {"cmd": "cd /tmp && echo 'a \"b\"' \"$ENV\" `echo x` 50%", "label": "b", "group": 1, "compute": 0.1}]
END
  script t/a.sh <<<'printf "<%s>" "$@"'
  run_job t
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" '<x y><42>'
  expect_equal "$(tail -n 1 run/logs/t/b-seed42.log)" 'a "b" b x 50%'
}

@test 'apptainer: optional binds that are missing are left out, required ones fail the step' {
  fake_apptainer
  mkdir -p w/t/run/p there 'with, comma: colon'
  cat >packages/p.json <<END
{"image": "/i/p.sif", "data_deps": [{"host": "$PWD/there", "container": "/a"},
 {"host": "$PWD/gone", "container": "/b", "optional": true},
 {"host": "$PWD/with, comma: colon", "container": "/c"}]}
END
  task t <<<'[{"cmd": "true #", "label": "a", "package": "p"}]'
  run_job t --container-runtime apptainer --workspace-root w
  expect_equal "$status" 0 "$output"
  expect_contains "$(cat run/logs/t/a-seed42.log)" "$PWD/gone is not on "
  grep -qx "$PWD/there:/a" apptainer.args
  grep -qx "type=bind,\"source=$PWD/with, comma: colon\",\"destination=/c\"" apptainer.args
  run grep -c /gone apptainer.args
  expect_equal "$output" 0
  rm -rf there
  run bash run/scripts/*.sh
  expect_equal "$status" 3
  expect_contains "$output" "$PWD/there is not on "
}

@test 'apptainer: a private /tmp for contained packages goes with the step' {
  fake_apptainer
  mkdir -p w/t/run/p tmp
  echo '{"image": "/i/p.sif", "apptainer_flags": ["--contain"]}' >packages/p.json
  task t <<<'[{"cmd": "true #", "label": "a", "package": "p"}]'
  TMPDIR=$PWD/tmp run_job t --container-runtime apptainer --workspace-root w
  expect_equal "$status" 0 "$output"
  grep -qE "^$PWD/tmp/[^:]+:/tmp$" apptainer.args
  expect_equal "$(ls tmp)" ''
}

@test 'a prologue may set options of the shell; the steps are run all the same' {
  printf 'slurm:\n  prologue: |\n    set -euo pipefail\n    export FROM_PROLOGUE=1\n' >>config.yaml
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<'echo "prologue $FROM_PROLOGUE"; false; exit 4'
  run_job t
  expect_equal "$status" 4
  expect_equal "$(result t/a 'd["exit_code"]')" 4
  expect_contains "$(cat run/logs/t/a-seed42.log)" 'prologue 1'
  run grep -nE '^(#SBATCH|set -euo)' run/scripts/*.sh
  expect_contains "${lines[-1]}" 'set -euo'
}

@test 'SIGTERM to the script reaches the steps, which are recorded' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<$'trap "echo got it; exit 7" TERM\ntouch "$OUTPUT_DIR/up"\nwhile :; do sleep 0.05; done'
  sbatch-tasks render -q t --run-dir run
  bash run/scripts/*.sh &
  local job=$! tries=0
  until [[ -e results/t/run/seed_42/up ]]; do ((++tries < 200)) && sleep 0.05; done
  kill -TERM "$job"
  wait "$job" || :
  expect_equal "$(result t/a '(d["state"], d["exit_code"])')" "('cancelled', 7)"
  expect_contains "$(cat run/logs/t/a-seed42.log)" 'got it'
}

@test 'many signals in a row: the exit code is still that of the step' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<$'trap "sleep 0.5; exit 7" TERM\ntouch "$OUTPUT_DIR/up"\nfor i in {1..200}; do sleep 0.05; done'
  sbatch-tasks render -q t --run-dir run
  bash run/scripts/*.sh &
  local job=$! tries=0 lane
  until [[ -e results/t/run/seed_42/up ]]; do ((++tries < 200)) && sleep 0.05; done
  lane=$(cut -d " " -f 1 "/proc/$job/task/$job/children")
  # As Slurm does it: to every process of the job, and then the script tells its own.
  for tries in {1..200}; do kill -TERM "$job" "$lane" 2>/dev/null || :; done
  wait "$job" || :
  expect_equal "$(result t/a '(d["state"], d["exit_code"])')" "('cancelled', 7)"
}

# Puts the two steps of a rendered script one behind the other, the first with a limit of one second.
make_chain() {
  sed -i -e 's/^run_lane step_1 &$/run_lane step_1 step_2 \&/' -e '/^run_lane step_2 &$/,/^lanes+=/d' \
    -e '0,/^  record=/s//  limit=1\n&/' run/scripts/*.sh
}

two_steps() {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.5},
 {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0.5}]
END
  script t/a.sh
  script t/b.sh <<<'echo ran'
  sbatch-tasks render -q t --run-dir run
  make_chain
}

@test 'a step of a chain ends at its own time limit, and the next one has its time' {
  two_steps <<<$'trap "echo told" TERM\nsleep 30 & wait\nexit 0'
  run bash run/scripts/*.sh
  expect_equal "$status" 124 "$output"
  expect_equal "$(result t/a '(d["state"], d["exit_code"], d["elapsed_seconds"])')" "('timeout', 124, 1)"
  expect_contains "$(cat run/logs/t/a-seed42.log)" told
  expect_equal "$(result t/b '(d["state"], d["exit_code"])')" "('done', 0)"
  expect_contains "$output" 't/a seed 42: ended at its time limit, see '
}

@test 'exit code 124 before the limit is the failure of the program' {
  two_steps <<<'exit 124'
  run bash run/scripts/*.sh
  expect_equal "$(result t/a '(d["state"], d["exit_code"])')" "('failed', 124)"
}

@test 'SIGTERM at the time limit of the job is a timeout, before it the user' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<$'touch "$OUTPUT_DIR/up"\nsleep 30'
  sbatch-tasks render -q t --run-dir run
  local end expected
  for end in +0:timeout +60:cancelled; do
    expected=${end#*:}
    SLURM_JOB_END_TIME=$(($(date +%s) + ${end%:*})) bash run/scripts/*.sh &
    local job=$! tries=0
    until [[ -e results/t/run/seed_42/up ]]; do ((++tries < 200)) && sleep 0.05; done
    rm results/t/run/seed_42/up
    kill -TERM "$job"
    wait "$job" || :
    expect_equal "$(result t/a '(d["state"], d["exit_code"])')" "('$expected', 143)"
  done
}

@test 'the record of an array element names both ids' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<true
  SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=2 run_job t
  expect_equal "$(result t/a '[d.get(k) for k in ("job_id", "array_job_id", "array_task_id")]')" \
    "['7', '5', '2']"
  SLURM_JOB_ID=8 run bash run/scripts/*.sh
  expect_equal "$(result t/a '[d.get(k) for k in ("job_id", "array_job_id", "attempt")]')" \
    "['8', None, 2]"
}

@test 'a script of one scale refuses another one' {
  two_group_task t
  sbatch-tasks render -q t/train --run-dir run
  SLURM_COMPUTE_SCALE_PAYLOAD='1;scale=0.5' SLURM_COMPUTE_SCALE=0.5 run bash run/scripts/*.sh
  expect_equal "$status" 3
  expect_equal "$output" "compute-scale: made for --compute-scale=1, submitted with 0.5: use a script of sbatch-tasks render --neutral"
}
