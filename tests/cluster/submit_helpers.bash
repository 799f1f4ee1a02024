# shellcheck shell=bash
# What the tests of sbatch-tasks on the cluster share. Loaded behind helpers.bash.

# The built program, and a config in the present folder that small jobs fit.
use_sbatch_tasks() {
  PATH=$PRODUCT_DIR/build/release:$PATH
  printf '%s\n' 'tasks_dir: tasks' 'container_runtime: local' 'save_path: results' \
    'slurm: {cpus_per_gpu: 1, mem_per_gpu: 1G, cpus_per_task: 1}' >config.yaml
  export COMPUTE_SCALE_SITE_CONFIG='' COMPUTE_SCALE_CONFIG=$PWD/config.yaml
  ids=()
}

# task NAME CMDS: a task whose scripts are written beside its config.json.
task() {
  mkdir -p "tasks/$1"
  printf '{"test_cmds": %s}\n' "$2" >"tasks/$1/config.json"
}

# take_ids FILE...: sets `ids` from what submit printed.
take_ids() { mapfile -t ids < <(cut -d' ' -f1 "$@"); }

# Submits tasks into ./run and sets `ids`, in the order of the plan.
submit() {
  sbatch-tasks submit -q --run-dir "$PWD/run" "$@" >submitted
  take_ids submitted
}

# submit_scripts RUN-DIR SBATCH-ARGUMENT...: submits its scripts by sbatch itself and sets `ids`.
submit_scripts() {
  local script
  ids=()
  for script in "$1"/scripts/*.sh; do
    ids+=("$(sbatch --parsable "${@:2}" "$script" 2>>messages)")
  done
}

wait_for_all() {
  local id
  for id in "${ids[@]}"; do wait_for_job "$id"; done
}

# wait_until COMMAND...: polls, at most 60 s.
wait_until() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# record TASK/LABEL FIELD: of the step's record in ./run.
record() {
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
    "run/results/$1-seed42.json" "$2"
}

# Succeeds if the two texts are the same, else shows both.
expect_equal() {
  [[ $1 == "$2" ]] || {
    echo "is:        $1"
    echo "should be: $2"
    return 1
  }
}
