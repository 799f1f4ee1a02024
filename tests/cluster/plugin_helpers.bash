# shellcheck shell=bash
# For the bats files about the plugin, beside helpers.bash.

bats_require_minimum_version 1.5.0

# Commands and job steps read plugstack.conf each time, so most tests only write it. The plugin does
# nothing in the daemons, for which helpers.bash's use_plugin restarts them.
set_plugstack() {
  cat > "$CLUSTER_DIR/etc/plugstack.conf.new"
  mv "$CLUSTER_DIR/etc/plugstack.conf.new" "$CLUSTER_DIR/etc/plugstack.conf"
}

# In setup_file; arguments as for plugin_line.
load_plugin() {
  plugin_line "$@" | set_plugstack
}

# `work` and `repo` are set by helpers.bash.
# shellcheck disable=SC2154

# In setup: the work folder with `report` in it, which a job calls to show what it sees:
# `report WHERE NAME...` prints WHERE, the number of visible devices and the named variables.
enter_plugin_test() {
  enter_work_folder
  cat > report << 'END'
#!/bin/bash
where=$1
shift
IFS=, read -ra devices <<< "${CUDA_VISIBLE_DEVICES-}"
line="$where gpus=${#devices[@]}"
for name in "$@"; do line+=" $name=${!name-unset}"; done
echo "$line"
END
  chmod a+rx report
  export PATH=$work:$PATH
}

# report_script [DIRECTIVE]... -- NAME...: a job script that reports the named variables in the batch
# script and in a step.
report_script() {
  echo '#!/bin/bash'
  while [[ $1 != -- ]]; do
    echo "#SBATCH $1"
    shift
  done
  shift
  echo "PATH=/usr/bin:/bin"
  echo "$work/report batch $*"
  echo "srun -n1 $work/report step $*"
}

# Slurm takes a second or two for a job, so tests of many jobs start them all before they look at one.
# start_job NAME SBATCH-ARGUMENT...; then `look_at_job NAME` waits and sets what run_job sets.
declare -gA started_jobs=()

start_job() {
  local name=$1
  shift
  if ! started_jobs[$name]=$(sbatch --parsable "$@" 2> "$work/$name.err"); then
    cat "$work/$name.err"
    return 1
  fi
}

# The variables are the result that the tests read.
# shellcheck disable=SC2034
look_at_job() {
  job_id=${started_jobs[$1]}
  wait_for_job "$job_id"
  job_messages=$(cat "$work/$1.err")
  job_state=$(job_field "$job_id" JobState)
  job_output=$(cat slurm-"$job_id"*.out)
}

# held_job SBATCH-ARGUMENT...: submits a job that never runs, prints what it asks for as one line,
# such as `NumTasks=1 TresPerNode=gres:gpu:2`, and takes it back.
held_job() {
  local id
  id=$(sbatch --parsable --hold "$@" --wrap true) || return
  scontrol show job "$id" | old_gres_words | grep -oE '(NumNodes|NumTasks|NtasksPerN:B:S:C|TresPer\w+)=\S+' |
    sed -E 's/(:[^:]*){3}$/&/; s/NtasksPerN:B:S:C=([0-9]+):.*/TasksPerNode=\1/' | xargs
  scancel "$id"
}

# The release of this Slurm as a number to compare: 22.05.8 is 2205.
slurm_release() {
  sbatch --version | grep -oE '[0-9]+\.[0-9]+' | head -n 1 | tr -d .
}

# From 26.05 on Slurm itself refuses --gpus-per-node beside gpu in --gres.
takes_gres_and_per_node() {
  (($(slurm_release) < 2605))
}

# --tres-per-task and --tres-bind came with 23.11.
has_tres_per_task() {
  (($(slurm_release) >= 2311))
}

# expect_line TEXT LINE: LINE is one of TEXT's lines; shows the text if it is not.
expect_line() {
  grep -qxF -- "$2" <<< "$1" && return
  printf 'expected the line: %s\nin:\n%s\n' "$2" "$1"
  return 1
}

expect_equal() {
  [[ $1 == "$2" ]] && return
  printf 'expected: %s\nis:       %s\n' "$2" "$1"
  return 1
}

# expect_none PATTERN [FILE]: no line matches; shows those that do.
expect_none() {
  local found
  found=$(grep -E "$@") || return 0
  printf 'not expected: %s\n' "$found"
  return 1
}

# The command that shows its environment without what differs from job to job, and without the
# folder of the test.
show_environment() {
  local varying='SLURM_(JOB_ID|JOB_SLUID|JOBID|TASK_PID|STEP_.*|SRUN_.*|LAUNCH_.*|JOB_(START|END)_TIME)'
  varying+='|_|SHLVL|PWD|OLDPWD|PATH|SLURM_SUBMIT_DIR|BATS_.*|work|without'
  printf '%s' "env -0 | LC_ALL=C sort -z | grep -zvE '^($varying)=' | tr '\\0' '\\n'"
}

# How many jobs the controller has ever seen.
count_jobs() {
  scontrol -o show jobs 2> /dev/null | grep -c '^JobId=' || true
}

# expect_refused PATTERN COMMAND...: the command ends with a status that is not 0, submits nothing,
# and writes one line, an error of ours that matches the pattern.
expect_refused() {
  local pattern=$1 before status=0 text
  shift
  before=$(count_jobs)
  text=$("$@" 2>&1 < /dev/null) || status=$?
  if ((status == 0 || status > 125)) || [[ $(wc -l <<< "$text") != 1 ]] ||
    ! grep -qE "^[a-z]+: error: compute-scale: .*($pattern)" <<< "$text" ||
    [[ $(count_jobs) != "$before" ]]; then
    printf 'not refused as expected (%s): %s\nstatus %s: %s\n' "$pattern" "$*" "$status" "$text"
    return 1
  fi
}
