#!/usr/bin/env bats
# Steps in real Apptainer containers, in jobs of a real Slurm that runs beside it in a sid root.
load ../cluster/helpers
load ../cluster/submit_helpers
load container_helpers
load lib/docker_daemon
load lib/sid_root

setup_file() {
  root_is_a_mount || return 0
  # bats gives a file's preparation the time of one test.
  CLUSTER_DIR=$(mktemp -d "${TMPDIR:-/tmp}/sid.XXXXXX")
  chmod 755 "$CLUSTER_DIR"
  root=${SID_ROOT:-$CLUSTER_DIR.root}
  export CLUSTER_DIR root
  [[ -n ${SID_ROOT-} ]] || make_sid_root "$root"
  enter_sid_root "$root" "$CLUSTER_DIR" "$repo"
  export sid_holder
  inside "$cluster_command" start "$CLUSTER_DIR"
  eval "$("$cluster_command" env "$CLUSTER_DIR")"
  mkdir -m 1777 "$CLUSTER_DIR/work"
  copy_product
  export IMAGE_ROOT=$CLUSTER_DIR/image
  make_image_root "$IMAGE_ROOT"
  chmod -R a+rX "$IMAGE_ROOT"
}

teardown_file() {
  root_is_a_mount || return 0
  "$cluster_command" stop "$CLUSTER_DIR"
  leave_sid_root
  rm -rf "$CLUSTER_DIR"
  [[ -n ${SID_ROOT-} ]] || rm -rf "$root" "$root.log"
}

setup() {
  need_a_root_for_containers
  enter_work_folder
  use_runtime apptainer
}

# All that talks to this Slurm runs in there; files are the same inside and outside.
sbatch-tasks() { inside sbatch-tasks "$@"; }
sbatch() { inside sbatch "$@"; }
squeue() { inside squeue "$@"; }
scontrol() { inside scontrol "$@"; }
scancel() { inside scancel "$@"; }

submit_as_user() {
  as_user_inside sbatch-tasks submit -q --run-dir "$PWD/run" "$@" >submitted
  take_ids submitted
}

as_user_inside() {
  inside setpriv --reuid="$NORMAL_USER_ID" --regid="$NORMAL_USER_ID" --clear-groups \
    env HOME="$PWD" USER=nobody LOGNAME=nobody "$@"
}

is_up() { [[ -e results/t/run/seed_42/$1 ]]; }

@test "apptainer: environment byte for byte, working folder, results that the submitter owns" {
  odd_values
  cat >packages/p.json <<END
{"image": "$IMAGE_ROOT", "env": {"PYTHONPATH": "/workspace/p:\${PYTHONPATH}:\$(id)", "NCCL_DEBUG": "package"}}
END
  export PYTHONPATH=/of/the/caller NCCL_DEBUG=WARN
  submit_as_user t
  wait_for_all
  expect_completed
  cmp expected results/t/run/seed_42/seen
  expect_equal "$(cat results/t/run/seed_42/folder)" /workspace/p
  grep -zqxF 'PYTHONPATH=/workspace/p:/of/the/caller:$(id)' results/t/run/seed_42/env
  expect_equal "$(stat -c %u results/t/run/seed_42/seen)" "$NORMAL_USER_ID"
}

@test "apptainer: binds with blanks, commas and colons; a missing optional one is left out" {
  mkdir 'my dir' 'a,b' 'c:d' && touch 'my dir/1' 'a,b/2' 'c:d/3'
  python3 - <<'END'
import json, os
here = os.getcwd()
binds = [{"host": f"{here}/{h}", "container": c, "optional": h == "gone"}
         for h, c in (("my dir", "/data/one dir"), ("a,b", "/data/two"), ("c:d", "/data/three"), ("gone", "/data/gone"))]
json.dump({"image": os.environ["IMAGE_ROOT"], "data_deps": binds}, open("packages/p.json", "w"))
END
  task t '[{"cmd": "a.sh", "label": "a", "package": "p"}]'
  echo 'ls "/data/one dir" /data/two /data/three >$OUTPUT_DIR/listed' >tasks/t/a.sh
  submit_as_user t
  wait_for_all
  expect_completed
  expect_equal "$(xargs <results/t/run/seed_42/listed)" '/data/one dir: 1 /data/three: 3 /data/two: 2'
  grep -q "$PWD/gone is not on n[01]: left out" run/logs/t/a-seed42.log
}

@test "apptainer: the devices of the step, as outside, also with a clean environment" {
  local flags
  task t '[{"cmd": "a.sh", "label": "one", "group": 1, "package": "p"},
    {"cmd": "a.sh", "label": "two", "group": 1, "compute": 2, "package": "p"},
    {"cmd": "a.sh", "label": "none", "group": 1, "compute": 0, "package": "p"}]'
  echo 'echo "$CUDA_VISIBLE_DEVICES" >$OUTPUT_DIR/$ENV' >tasks/t/a.sh
  for flags in '' --cleanenv; do
    echo "container_flags: {apptainer: [$flags]}" >>config.yaml
    submit_as_user t
    wait_for_all
    expect_completed
    expect_equal "$(cat results/t/run/seed_42/one)" "$(record t/one devices)"
    expect_equal "$(cat results/t/run/seed_42/two)" "$(record t/two devices)"
    [[ $(cat results/t/run/seed_42/two) == ?,? ]]
    expect_equal "$(cat results/t/run/seed_42/none)" ''
    rm -r run results
    sed -i '$d' config.yaml
  done
}

@test "apptainer: scancel ends the program; a failed step is recorded" {
  task t '[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.5, "package": "p"},
    {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0.5, "package": "p"}]'
  local seconds=1000$BATS_SUITE_TEST_NUMBER$RANDOM
  echo "touch \$OUTPUT_DIR/up; exec sleep $seconds" >tasks/t/a.sh
  echo 'exit 7' >tasks/t/b.sh
  submit_as_user t
  wait_until is_up up
  expect_equal "$(pgrep -cfx "sleep $seconds")" 1
  wait_until grep -qs failed run/results/t/b-seed42.json
  scancel "${ids[0]}"
  wait_for_all
  expect_equal "$(record t/a state) $(record t/b state) $(record t/b exit_code)" 'cancelled failed 7'
  expect_equal "$(pgrep -cfx "sleep $seconds")" 0
}

@test "apptainer: the twins that the plugin sets arrive byte for byte in a step" {
  # As tests/unit/payload_env_test.cc has them: \\, $ and ` escaped, all else as it is.
  # shellcheck disable=SC1003 # backslashes at the end
  export APPTAINERENV_COMMA='0,1' APPTAINERENV_QUOTES="a\"b=c'" APPTAINERENV_CODE='\$(id)\`id\`\$HOME' \
    APPTAINERENV_EMPTY='' APPTAINERENV_UTF8='é' APPTAINERENV_BACK='a\\nb\\' APPTAINERENV_LINES=$'1\n2' \
    APPTAINERENV_BOTH='x\\"y'
  cat >show.sh <<'END'
for name in COMMA QUOTES CODE EMPTY UTF8 BACK LINES BOTH; do printf '%s=%s\0' "$name" "${!name-unset}"; done >seen
END
  # shellcheck disable=SC1003
  printf '%s\0' COMMA=0,1 "QUOTES=a\"b=c'" 'CODE=$(id)`id`$HOME' EMPTY= UTF8=é 'BACK=a\nb\' $'LINES=1\n2' \
    'BOTH=x\"y' >expected
  printf '#!/bin/bash\nsrun apptainer -s exec --bind %q %q bash %q\n' "$PWD" "$IMAGE_ROOT" show.sh >job.sh
  sed -i "s|show.sh|$PWD/show.sh|" job.sh
  ids=("$(as_user_inside sbatch --parsable --gpus=1 job.sh)")
  wait_for_all
  expect_completed || { cat slurm-*.out; return 1; }
  cmp expected seen
}
