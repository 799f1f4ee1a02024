# shellcheck shell=bash
# For bats files that need a real Slurm: `load ../cluster/helpers` (or `load helpers`).
# setup_suite.bash beside the bats files starts one cluster for all of them.

helpers_folder=${BASH_SOURCE[0]%/*}
repo=$(cd "$helpers_folder/../.." && pwd)
cluster_command=$repo/tests/cluster/cluster
built=${BUILT:-$repo/build/release}
# An account that every Debian has, without any rights.
readonly NORMAL_USER_ID=65534

# --- the suite's cluster -------------------------------------------------------------------------

# In setup_suite: starts the cluster and exports CLUSTER_DIR and SLURM_CONF to all tests.
start_suite_cluster() {
  CLUSTER_DIR=$(mktemp -d "${TMPDIR:-/tmp}/cluster.XXXXXX")
  export CLUSTER_DIR
  "$cluster_command" start "$CLUSTER_DIR" "$@"
  # The job tests must not see settings of the person who runs them.
  unset "${!SLURM@}" "${!SBATCH@}" "${!SALLOC@}" "${!SRUN@}" "${!COMPUTE_SCALE@}"
  eval "$("$cluster_command" env "$CLUSTER_DIR")"
  mkdir -m 1777 "$CLUSTER_DIR/work"
}

# In teardown_suite. The logs go with the folder; KEEP_CLUSTER=1 keeps them.
stop_suite_cluster() {
  "$cluster_command" stop "$CLUSTER_DIR"
  [[ -n ${KEEP_CLUSTER-} ]] || rm -rf "$CLUSTER_DIR"
}

# In setup: a folder of this test where jobs of every user may write; sets `work` and goes there.
enter_work_folder() {
  work=$CLUSTER_DIR/work/$BATS_SUITE_TEST_NUMBER
  mkdir -m 1777 "$work"
  cd "$work" || return
}

# --- the plugin ----------------------------------------------------------------------------------

# In setup_suite, after start_suite_cluster: copies the built product to where every user may read
# it (the checkout may lie in a closed home) and exports PRODUCT_DIR, laid out like the checkout:
# build/release, configs, tasks.
copy_product() {
  export PRODUCT_DIR=$CLUSTER_DIR/product
  mkdir -p "$PRODUCT_DIR/build/release"
  cp "$built"/*.so "$built/sbatch-tasks" "$PRODUCT_DIR/build/release"
  cp -r "$repo/configs" "$repo/tasks" "$PRODUCT_DIR"
  chmod -R a+rX "$PRODUCT_DIR"
}

# plugin_line [optional|required] [config=FILE]: the plugstack line for the copied product.
plugin_line() {
  local policy=${1:-optional} config=${2:-config=$PRODUCT_DIR/configs/site.yaml}
  echo "$policy $PRODUCT_DIR/build/release/spank_compute_scale.so $config" \
    "library=$PRODUCT_DIR/build/release/libcompute-scale.so"
}

# The cluster uses the plugin from now on; arguments as for plugin_line.
use_plugin() {
  plugin_line "$@" | "$cluster_command" plugstack "$CLUSTER_DIR" -
}

use_no_plugin() {
  "$cluster_command" plugstack "$CLUSTER_DIR" /dev/null
}

# --- jobs ----------------------------------------------------------------------------------------

# Runs a command as a user without rights, in the folder where the test is.
as_user() {
  setpriv --reuid=$NORMAL_USER_ID --regid=$NORMAL_USER_ID --clear-groups \
    env HOME="$PWD" USER=nobody LOGNAME=nobody "$@"
}

# run_job SBATCH-ARGUMENT... [<<script]: submits in the present folder, waits for the end and sets
#   job_id, job_state (COMPLETED, FAILED, ...), job_output (all of slurm-ID*.out) and
#   job_messages (what sbatch wrote to stderr).
# Fails, with sbatch's message on stderr, when the job was not submitted.
run_job() {
  submit_and_wait sbatch --parsable "$@"
}

run_job_as_user() {
  submit_and_wait as_user sbatch --parsable "$@"
}

# The variables are the result that the tests read.
# shellcheck disable=SC2034
submit_and_wait() {
  local messages_file=$work/sbatch.err
  job_id=
  if ! job_id=$("$@" 2> "$messages_file"); then
    cat "$messages_file" >&2
    return 1
  fi
  job_messages=$(cat "$messages_file")
  wait_for_job "$job_id"
  job_state=$(job_field "$job_id" JobState)
  job_output=$(cat slurm-"$job_id"*.out)
}

# Returns when the job (all of an array, all components of a het job) is out of the queue.
wait_for_job() {
  local deadline=$((SECONDS + 120))
  while [[ -n $(squeue -h -j "$1" -o %T 2> /dev/null) ]]; do
    if ((SECONDS > deadline)); then
      echo "job $1 does not end:" >&2
      scontrol show job "$1" >&2
      return 1
    fi
    sleep 0.05
  done
}

# job_field ID FIELD: the value that `scontrol show job -d` shows; one line per array task or het
# component. Comment may hold anything and is taken to the end of its line.
job_field() {
  local pattern="(?:^|\s)$2=\K\S*"
  [[ $2 == Comment ]] && pattern='^ *Comment=\K.*'
  scontrol show job -d "$1" | old_gres_words | grep -oP -- "$pattern"
}

# Of the text read, writes gres as Slurm 22.05 does: TresPerNode=gres:gpu:2; later it is gres/gpu:2.
old_gres_words() {
  sed -E '/TresPer[A-Za-z]+=/s|gres/|gres:|g'
}

# The number of GPUs that the job holds or held, over all its nodes; 0 if none. One line per array
# task or het component.
job_gpus() {
  job_field "$1" JOB_GRES | awk -F, '{
    gpus = 0
    for (i = 1; i <= NF; i++) if ($i ~ /^gpu:/) { sub(/.*:/, "", $i); gpus += $i }
    print gpus
  }'
}

# One line per node: name and state.
node_states() {
  sinfo -h -N -p gpu -o '%N %T'
}
