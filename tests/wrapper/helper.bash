# shellcheck shell=bash
# What the tests of sbatch-tasks share: small task folders, and programs that stand in for sbatch and
# apptainer.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PATH=${BUILT:-$ROOT/build/release}:$PATH

# A clean folder, and no configuration but what a test gives. The calls of sbatch come one after
# another, so that a test can tell which one is the third.
begin_test() {
  unset "${!SLURM@}" "${!SBATCH@}" "${!COMPUTE_SCALE@}"
  export COMPUTE_SCALE_PARALLEL=1
  export COMPUTE_SCALE_SITE_CONFIG=
  work=$BATS_TEST_TMPDIR/work
  mkdir -p "$work"/{tasks,packages,bin}
  cd "$work" || return
  PATH=$work/bin:$PATH
  cat >config.yaml <<'END'
tasks_dir: tasks
packages_dir: packages
container_runtime: local
save_path: results
END
  export COMPUTE_SCALE_CONFIG=$PWD/config.yaml
}

# task NAME <<'JSON': a task with these test_cmds; scripts are added by `script`.
task() {
  mkdir -p "tasks/$1/scripts"
  printf '{"test_cmds": %s}\n' "$(cat)" >"tasks/$1/config.json"
}

# script TASK/scripts/NAME.sh <<'SH'
script() { cat >"tasks/$1"; }

# A task with a 4-GPU training, halved on the h200, and an evaluation after it.
two_group_task() {
  task "$1" <<'END'
[{"cmd": "scripts/train.sh", "label": "train", "group": 1, "compute": 4, "time": "2:00:00",
  "h200": {"compute": 2, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}}},
 {"cmd": "scripts/eval.sh", "label": "eval", "group": 2, "compute": 0.5}]
END
  script "$1/scripts/train.sh" <<'END'
echo "${BATCH_SIZE:-32} ${GRAD_ACCUM:-16}"
END
  script "$1/scripts/eval.sh" <<<'echo evaluated'
}

# An sbatch that keeps its arguments and environment in sbatch.N.args and sbatch.N.env and answers
# with job id 100+N, or does what the file sbatch.behaviour says. Its --help is the file sbatch.help.
fake_sbatch() {
  echo '      --compute-entry=task[/label]' >sbatch.help
  cat >bin/sbatch <<END
#!/usr/bin/env bash
cd '$work'
[[ \$1 != --help ]] || exec cat sbatch.help
number=\$((\$(ls sbatch.*.args 2>/dev/null | wc -l) + 1))
printf '%s\n' "\$@" >"sbatch.\$number.args"
env >"sbatch.\$number.env"
id=\$((100 + number))
if [[ -e sbatch.behaviour ]]; then source ./sbatch.behaviour; else echo "\$id"; fi
END
  chmod +x bin/sbatch
}

# fake_scontrol N: a controller with this MaxArraySize.
fake_scontrol() {
  printf '#!/bin/sh\necho "MaxArraySize            = %s"\n' "$1" >bin/scontrol
  chmod +x bin/scontrol
}

# An apptainer that writes its options to apptainer.args and runs what stands behind the image.
fake_apptainer() {
  cat >bin/apptainer <<END
#!/usr/bin/env bash
printf '%s\n' "\$@" >'$work/apptainer.args'
while [[ \$1 != *.sif ]]; do shift; done
shift
exec "\$@"
END
  chmod +x bin/apptainer
}

need_root() { [[ $(id -u) == 0 ]] || skip 'needs root, to be somebody else'; }

# as_other COMMAND...: runs it as another user, who may enter the work folder, but has no rights there
# beyond what files give to all. Needs root: `need_root` first.
as_other() {
  local folder=$work
  until [[ -k $folder || $folder == / ]]; do # up to /tmp or the like
    chmod a+x "$folder"
    folder=$(dirname "$folder")
  done
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Succeeds if the two texts are the same, else shows both.
expect_equal() {
  [[ $1 == "$2" ]] || {
    echo "is:        $1"
    echo "should be: $2${3:+ ($3)}"
    return 1
  }
}

expect_contains() {
  [[ $1 == *"$2"* ]] || {
    echo "is:          $1"
    echo "should hold: $2"
    return 1
  }
}

# After `run`: the exit status, and stderr as one line that begins "sbatch-tasks: error: ".
expect_error() {
  # shellcheck disable=SC2154 # bats sets status and output
  expect_equal "$status" "$1" "status of: $output" &&
    expect_equal "$output" "sbatch-tasks: error: $2"
}

# json FILE EXPRESSION: evaluates a Python expression over the JSON document `d`.
json() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2"
}
