#!/usr/bin/env bats
# How a step is started, and what is written about it.
load helper

setup() {
  begin_local_test
  export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
}

@test 'output, exit code and record of every step; exit status 4 if one fails' {
  task t <<'END'
[{"cmd": "ok.sh", "label": "ok", "group": 1, "compute": 0.5},
 {"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 2},
 {"cmd": "killed.sh", "label": "killed", "group": 1, "compute": 0.25},
 {"cmd": "ok.sh", "label": "later", "group": 2, "compute": 0},
 {"cmd": "ok.sh", "label": "last", "compute": 0}]
END
  script t/ok.sh <<<'sleep 1.1; echo fine; echo problem >&2'
  script t/bad.sh <<<'exit 5'
  script t/killed.sh <<<'kill -9 $$'
  run --separate-stderr sbatch-tasks run t --run-dir run
  expect_equal "$status" 4
  expect_equal "$output" 'TASK    STEPS  DONE  FAILED  TIMEOUT  CANCELLED  BLOCKED  OPEN
t           5     1       2        0          0        2     0
--------------------------------------------------------------
1 task      5     1       2        0          0        2     0'
  # shellcheck disable=SC2154 # run sets it
  expect_contains "$stderr" "sbatch-tasks: start t/bad seed 42 on 0,1"
  expect_contains "$stderr" "sbatch-tasks: done t/ok seed 42 after "
  expect_contains "$stderr" "sbatch-tasks: error: failed t/bad seed 42: exit code 5 after 0 s, see $PWD/run/logs/t/bad-seed42.log"
  expect_contains "$stderr" 'sbatch-tasks: error: failed t/killed seed 42: exit code 137 after 0 s'
  expect_contains "$stderr" 'sbatch-tasks: error: blocked t/later seed 42: a step before it did not succeed'
  expect_contains "$stderr" 'sbatch-tasks: error: blocked t/last seed 42'
  expect_equal "$(state_of t/ok)" "('done', 0)"
  expect_equal "$(state_of t/bad)" "('failed', 5)"
  expect_equal "$(state_of t/killed)" "('failed', 137)"
  [[ ! -e run/results/t/later-seed42.json && ! -e run/logs/t/later-seed42.log ]]
  expect_equal "$(result t/bad 'list(d)')" "['step', 'seed', 'base_compute', 'compute', 'compute_scale', 'devices', \
'state', 'exit_code', 'elapsed_seconds', 'attempt', 'job_id', 'node', 'started', 'written']"
  expect_equal "$(result t/bad '(d["step"], d["seed"], d["compute"], d["devices"], d["attempt"], d["job_id"], d["node"])')" \
    "('t/bad', 42, '2', '0,1', 1, '', '$(uname -n)')"
  expect_equal "$(result t/ok 'd["elapsed_seconds"] >= 1')" True
  expect_equal "$(tail -n 2 run/logs/t/ok-seed42.log)" $'fine\nproblem'
  grep -qE "^compute-scale: t/ok seed 42: attempt 1, job none on $(uname -n), 20..-..-..T..:..:..Z$" run/logs/t/ok-seed42.log
}

@test 'all done: exit status 0; --quiet leaves only the table' {
  two_group_task t
  run --separate-stderr sbatch-tasks run -q t --run-dir run --compute-scale h200
  expect_equal "$status" 0 "$stderr"
  expect_equal "$stderr" ''
  expect_equal "$(tail -n 1 run/logs/t/train-seed42.log)" '64 8'
  expect_equal "$(result t/train 'd["devices"]')" 0,1
}

# The same values as for job scripts: tests/wrapper/job_script.bats.
@test 'environment arrives byte for byte' {
  mkdir -p tasks/t
  cat >values.py <<'END'
import json
env = {"COMMA": "0,1", "QUOTES": "a\"b=c'", "LINES2": "1\n2\r\n", "CODE": "$(id)`id`$HOME", "EMPTY": "",
       "UTF8": "\u00e9", "BLANKS": " a  b ", "BACK": "a\\nb\\", "GLOB": "*", "DASH": "-n"}
json.dump({"test_cmds": [{"cmd": "env.sh", "label": "a", "env": env}]}, open("tasks/t/config.json", "w"))
open("expected", "wb").write(b"".join(f"{k}={v}\0".encode() for k, v in sorted(env.items())))
END
  python3 values.py
  script t/env.sh <<'END'
for name in BACK BLANKS CODE COMMA DASH EMPTY GLOB LINES2 QUOTES UTF8; do
  printf '%s=%s\0' "$name" "${!name-unset}"
done >"$OUTPUT_DIR/seen"
END
  run sbatch-tasks run -q t --run-dir run
  expect_equal "$status" 0 "$output"
  cmp expected results/t/run/seed_42/seen
}

@test 'a step sees the same environment as in a job script' {
  cat >packages/p.json <<'END'
{"env": {"P": "x:${P}:$(id):/workspace/_task/y", "A": "package", "B": "package", "SEED": "${HOME}",
         "OMP_NUM_THREADS": "${OMP_NUM_THREADS}0"}}
END
  task t <<'END'
[{"cmd": "env.sh", "label": "a\u00e9 b", "package": "p", "compute": 0.5, "env": {"B": "entry", "OUTPUT": "$HOME"}},
 {"cmd": "env.sh", "label": "none", "compute": 0, "cpus": 3},
 {"cmd": "env -0 | sort -z", "label": "line", "compute": 1},
 {"cmd": "env -0", "label": "plain", "compute": 1}]
END
  script t/env.sh <<<'env -0 | sort -z'
  mkdir -p w/t/run/p
  export LC_ALL=C P=mine MKL_NUM_THREADS=7 CUDA_VISIBLE_DEVICES=0
  local job log way
  sbatch-tasks render -q t --pack none --run-dir run --workspace-root w >/dev/null
  for job in run/scripts/*.sh; do bash "$job"; done
  mv run scripted
  sbatch-tasks run -q t --run-dir run --workspace-root w
  for log in a=C3=A9=20b none line plain; do
    for way in scripted run; do
      # What a shell on the way counts and remembers is not the step's.
      tail -n +2 "$way/logs/t/$log-seed42.log" | sort -z | tr '\0' '\n' | grep -vE '^(_|SHLVL|OLDPWD)=' >"$way.env"
    done
    diff scripted.env run.env
    grep -q '^CUDA_VISIBLE_DEVICES=' run.env
    run -1 grep '^LC_ALL=' run.env
  done
}

@test 'a folder to start in: the working copy, else the task folder, with a notice' {
  echo '{}' >packages/p.json
  task t <<'END'
[{"cmd": "pwd -P; echo \"$PWD\"", "label": "a", "package": "p", "compute": 0},
 {"cmd": "env", "label": "b", "package": "p", "compute": 0}]
END
  run -0 sbatch-tasks run -q t --run-dir run --workspace-root w
  expect_equal "$(tail -n +2 run/logs/t/a-seed42.log)" "compute-scale: there is no folder $PWD/w/t/run/p: starting in $PWD/tasks/t
$PWD/tasks/t
$PWD/tasks/t"
  expect_equal "$(grep ^PWD= run/logs/t/b-seed42.log)" "PWD=$PWD/tasks/t"
  rm -r run
  mkdir -p w/t/run/p
  run -0 sbatch-tasks run -q t --run-dir run --workspace-root w
  expect_equal "$(tail -n +2 run/logs/t/a-seed42.log)" "$PWD/w/t/run/p"$'\n'"$PWD/w/t/run/p"
  expect_equal "$(grep ^PWD= run/logs/t/b-seed42.log)" "PWD=$PWD/w/t/run/p"
}

@test 'commands mean what bash makes of them' {
  cat >lines.py <<'END'
import json
lines = ["true", "false", "true --help", "echo a  b", "echo a > \"$OUTPUT_DIR/x\"; cat \"$OUTPUT_DIR/x\"", "cd / && pwd",
         "exit 7", "X=1 env | grep ^X=", "expr 1 + 1", "nothing-like-it", "printf '%s\\n' 'a \"b' $((1+2)) 50%",
         "test 1 = 2", "a.sh one 'two three' $SEED", "a.sh plain words", "scripts/b.sh", "kill -9 $$", "seq 3", "seq {1..3}",
         "nothing ~/none", "time true", "[ 1 = 1 ]", "noshebang x"]
json.dump({"test_cmds": [{"cmd": line, "label": f"e{i:02}", "compute": 0, "group": 1} for i, line in enumerate(lines)]},
          open("tasks/t/config.json", "w"))
END
  mkdir -p tasks/t/scripts
  python3 lines.py
  script t/a.sh <<<'printf "[%s]\n" "$@"; exit 9'
  script t/scripts/b.sh <<<'echo b; exit 1'
  # shellcheck disable=SC2016
  printf 'echo "no first line: $1"\n' >bin/noshebang
  chmod +x bin/noshebang
  local job log record
  sbatch-tasks render -q t --pack none --run-dir run >/dev/null
  for job in run/scripts/*.sh; do bash "$job" 2>/dev/null || true; done
  mv run scripted
  run sbatch-tasks run -q t --run-dir run
  expect_equal "$status" 4
  said() { tail -n +2 "$1" | grep -vE '^(real|user|sys)' || true; }
  for log in logs/t/e{00..21}-seed42; do
    diff <(said "scripted/$log.log") <(said "run/$log.log")
    record=results/${log#logs/}.json
    expect_equal "$(json "run/$record" '(d["state"], d["exit_code"])')" \
      "$(json "scripted/$record" '(d["state"], d["exit_code"])')" "$log"
  done
}

@test 'what the caller exports for bash is kept' {
  task t <<<'[{"cmd": "true", "label": "a", "compute": 0}]'
  mkdir -p tasks/t
  echo 'true() { echo the function; }' >rc
  BASH_ENV=$PWD/rc run sbatch-tasks run -q t --run-dir run
  expect_equal "$status" 0 "$output"
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" 'the function'
}

@test 'stdin is empty, no signal is blocked or ignored, no file is left open' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 0}]'
  script t/a.sh <<'END'
echo "stdin [$(cat)]"
grep -E '^Sig(Blk|Ign)' /proc/self/status | while read -r name mask; do
  printf '%s %x\n' "$name" $((0x$mask & ~0x180000000))  # 32 and 33 are libc's own
done
# The folder itself is what ls has open.
ls /proc/self/fd | xargs
[[ $(cut -d' ' -f5,6 "/proc/$$/stat") == "$$ $$" ]] && echo own session
END
  exec 7<config.yaml
  (trap '' INT HUP PIPE USR1; echo no | sbatch-tasks run -q t --run-dir run)
  exec 7<&-
  expect_equal "$(tail -n +2 run/logs/t/a-seed42.log)" "stdin []
SigBlk: 0
SigIgn: 0
0 1 2 3
own session"
}

@test 'labels of any kind have their own files' {
  cat >labels.py <<'END'
import json
labels = ["a/b", "a b", "../up", "a", "$(touch x)", "a'b\"", "\u00e9", "-n", "a\\b", "*"]
json.dump({"test_cmds": [{"cmd": "a.sh", "label": l, "compute": 0.1, "group": 1} for l in labels]},
          open("tasks/t/config.json", "w"))
END
  mkdir -p tasks/t
  python3 labels.py
  script t/a.sh <<<'printf "%s\n" "$ENV"'
  run sbatch-tasks run t --run-dir run
  expect_equal "$status" 0 "$output"
  expect_equal "$(cd run/results/t && printf '%s\n' * | wc -l)" 10
  expect_equal "$(tail -q -n 1 run/logs/t/*.log | sort -u | wc -l)" 10
  [[ ! -e x && ! -e tasks/t/x && ! -e run/results/up-seed42.json ]]
}

@test 'what a step leaves running ends with the run' {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 1}, {"cmd": "b.sh", "label": "b", "group": 2, "compute": 1}]
END
  script t/a.sh <<'END'
sleep 300 &
echo $! >>"$SAVE_PATH/../pids"
setsid sleep 300 &
echo $! >>"$SAVE_PATH/../pids"
END
  # Its process group ends with the step itself.
  script t/b.sh <<'END'
kill -0 "$(head -n 1 "$SAVE_PATH/../pids")" 2>/dev/null && echo still there
true
END
  run sbatch-tasks run -q t --run-dir run
  expect_equal "$status" 0 "$output"
  expect_equal "$(tail -n +2 run/logs/t/b-seed42.log)" ''
  expect_equal "$(wc -l <pids)" 2
  expect_equal "$(alive)" ''
}

@test 'a run directory that holds something else: nothing starts' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 0}]'
  script t/a.sh <<<'echo ran'
  mkdir run
  touch run/other
  run sbatch-tasks run t --run-dir run
  expect_error 1 "$PWD/run: exists and is not empty: name another --run-dir or --exp-name"
}

@test 'a record that cannot be written is an error of the run' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 0}]'
  script t/a.sh <<<'rm -r "$SAVE_PATH/../run/results"; touch "$SAVE_PATH/../run/results"'
  run sbatch-tasks run -q t --run-dir run
  expect_equal "$status" 4
  expect_contains "$output" "run/results/t/a-seed42.json: cannot be written: Not a directory"
}

@test 'the plan is recorded as in any run, and -n changes nothing' {
  two_group_task t
  run -0 sbatch-tasks run -n t --run-dir run
  expect_equal "$output" 't/train seed 42: group 1, 4 GPU, 02:00:00: scripts/train.sh
t/eval seed 42: group 2, 0.5 GPU, 01:00:00: scripts/eval.sh'
  [[ ! -e run ]]
  run -0 sbatch-tasks run -q t --run-dir run
  expect_equal "$(json run/plan.json '(d["run"]["local"], d["run"]["run_dir"], len(d["steps"]), len(d["jobs"]), d["steps"][0]["log"])')" \
    "(True, '$PWD/run', 2, 2, 'logs/t/train-seed42.log')"
}

@test 'a step that cannot start fails alone, and says why' {
  echo '{"data_deps": [{"host": "{data_root}/x", "container": "/x"}]}' >packages/p.json
  task t <<<'[{"cmd": "true", "label": "a", "package": "p", "compute": 0}]'
  run sbatch-tasks run t --run-dir run
  expect_equal "$status" 1
  [[ ! -e run ]]
  task u <<<'[{"cmd": "true", "label": "a", "compute": 0}, {"cmd": "true", "label": "b", "compute": 0, "env": {"PATH": "/nowhere"}}]'
  mkdir -p results
  touch results/u
  run sbatch-tasks run -q u --run-dir run
  expect_equal "$status" 4
  expect_equal "$(state_of u/a)" "('failed', 3)"
  expect_contains "$(cat run/logs/u/a-seed42.log)" "compute-scale: $PWD/results/u/run/seed_42: cannot be made: "
}

@test 'with a container runtime a step is its job script: own devices, log and record' {
  fake_apptainer
  mkdir -p w/t/run/p
  echo '{"image": "/i/p.sif"}' >packages/p.json
  task t <<'END'
[{"cmd": "echo \"sees $CUDA_VISIBLE_DEVICES\"", "label": "a", "group": 1, "package": "p", "compute": 2},
 {"cmd": "echo \"sees $CUDA_VISIBLE_DEVICES\"; exit 7", "label": "b", "group": 1, "package": "p", "compute": 1}]
END
  SLURM_JOB_ID=77 CUDA_VISIBLE_DEVICES=4,GPU-a,6 run sbatch-tasks run -q t --run-dir run \
    --container-runtime apptainer --workspace-root w
  expect_equal "$status" 4 "$output"
  expect_equal "$(grep -h ^sees run/logs/t/*.log)" $'sees 4,GPU-a\nsees 6'
  expect_equal "$(result t/a '(d["state"], d["devices"], d["attempt"])')" "('done', '4,GPU-a', 1)"
  expect_equal "$(state_of t/b)" "('failed', 7)"
  CUDA_VISIBLE_DEVICES=0 run sbatch-tasks run -q --run-dir run
  expect_equal "$(result t/b '(d["state"], d["exit_code"], d["devices"], d["attempt"])')" "('failed', 7, '0', 2)"
}

@test 'pyxis needs Slurm' {
  echo '{"image": "/i/p.sif"}' >packages/p.json
  task t <<<'[{"cmd": "true", "label": "a", "package": "p", "compute": 0}]'
  run sbatch-tasks run t --run-dir run --container-runtime pyxis --workspace-root w
  expect_error 3 'container_runtime pyxis is a part of srun: there is none without Slurm'
}
