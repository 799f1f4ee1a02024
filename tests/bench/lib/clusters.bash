# shellcheck shell=bash
# The clusters that the benchmark compares on. Sourced by `bench`, which sets root, build, here.
# shellcheck disable=SC2154

cluster=$root/tests/cluster/cluster
work=$(mktemp -d)
chmod 755 "$work"
job=$work/job.sh
readonly cluster work job
printf '#!/bin/sh\nexec sleep 600\n' > "$job"
# One variable of ours in the caller's environment would change what is measured.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!COMPUTE_SCALE_@}"

stop_clusters() {
  local name
  for name in plugin bare queue; do
    [[ ! -d $work/$name ]] || "$cluster" stop "$work/$name"
  done
  rm -rf "$work"
}
trap stop_clusters EXIT

# suite NAME [GENERATOR-OPTIONS…]: the 43 tasks and what the options add to them, and a site config
# that points there.
suite() {
  local name=$1 generate=$root/tests/data/generate_tasks.py
  shift
  python3 "$generate" "$work/suite-$name" > /dev/null
  (($# == 0)) || python3 "$generate" "$work/suite-$name" "$@" > /dev/null
  sed "s|^tasks_dir:.*|tasks_dir: $work/suite-$name|" "$root/configs/site.yaml" \
    > "$work/site-$name.yaml"
}

plugstack_of() {
  echo "optional $build/spank_compute_scale.so config=$work/site-$1.yaml" \
    "library=$build/libcompute-scale.so"
}

# client_conf NAME PLUGSTACK-TEXT: how clients of the same cluster see another plugstack.
client_conf() {
  echo "$2" > "$work/plugstack-$1.conf"
  sed "s|^PlugStackConfig=.*|PlugStackConfig=$work/plugstack-$1.conf|" \
    "$work/plugin/etc/slurm.conf" > "$work/client-$1.conf"
  cp "$work/plugin/etc/gres.conf" "$work/"
}

conf_of() {
  case $1 in
    plugin | bare | queue) echo "$work/$1/etc/slurm.conf" ;;
    *) echo "$work/client-$1.conf" ;;
  esac
}

start_clusters_for() {
  if [[ $1 == status ]]; then
    # A queue longer than the 10,000 jobs that Slurm takes by default.
    "$cluster" start "$work/queue" --conf MaxJobCount=100000
    return
  fi
  if [[ ! -d $work/plugin ]]; then
    suite few
    plugstack_of few > "$work/plugstack-few.conf"
    "$cluster" start "$work/plugin" --plugstack "$work/plugstack-few.conf"
    # Both sides of a pair read their config from one folder: where it lies costs as much as a plugin.
    client_conf empty ''
    client_conf loaded "$(plugstack_of few)"
  fi
  if [[ $1 == many-tasks && ! -e $work/client-loaded-many.conf ]]; then
    suite many --tasks 5000 --entries 2
    client_conf loaded-many "$(plugstack_of many)"
  fi
  if [[ $1 == step || $1 == memory ]] && [[ ! -d $work/bare ]]; then
    "$cluster" start "$work/bare"
  fi
}

clear_queues() {
  local name
  for name in plugin bare queue; do
    [[ ! -d $work/$name ]] || SLURM_CONF=$(conf_of "$name") scancel --user=root
  done
}

# running_job CLUSTER SBATCH-OPTIONS…: the id of a job that runs.
running_job() {
  local id conf
  conf=$(conf_of "$1")
  shift
  id=$(SLURM_CONF=$conf sbatch --parsable --output=/dev/null "$@" "$job" 2> /dev/null)
  until [[ $(SLURM_CONF=$conf squeue -h -o %T -j "$id") == RUNNING ]]; do sleep 0.1; done
  echo "$id"
}

# our_variables CLUSTER JOB: NAME=VALUE of what the plugin set, as the job's own commands have it.
our_variables() {
  local pid environment
  for pid in $(pgrep -f "^sleep 600$"); do
    environment=$(tr '\0' '\n' < "/proc/$pid/environ")
    grep -qx "SLURM_JOB_ID=$2" <<< "$environment" || continue
    grep -qx "SLURM_CONF=$(conf_of "$1")" <<< "$environment" || continue
    grep -E '^(SLURM_COMPUTE_|((APPTAINER|SINGULARITY)ENV_)?(BATCH_SIZE|GRAD_ACCUM)=)' <<< "$environment"
    return
  done
  echo "bench: job $2 shows no environment" >&2
  return 1
}

# The processes of slurmstepd that write to the cluster's logs, without those of batch steps.
step_daemons_of() {
  local pid
  for pid in $(pgrep -f "slurmstepd: \[[0-9]+\.[0-9]+\]"); do
    if find "/proc/$pid/fd" -lname "$work/$1/log/*" 2> /dev/null | grep -q .; then echo "$pid"; fi
  done
}

readonly STEPS=15

# step_memory CLUSTER JOB [NAME=VALUE]...: KiB resident in a slurmstepd, median of several steps.
step_memory() {
  local conf pid i
  conf=$(conf_of "$1")
  for ((i = 0; i < STEPS; i++)); do
    env "SLURM_CONF=$conf" "SLURM_JOB_ID=$2" "${@:3}" srun --overlap -n1 --mem=0 sleep 600 \
      > /dev/null 2>&1 &
  done
  until (($(step_daemons_of "$1" | wc -l) >= STEPS)); do sleep 0.2; done
  sleep 1
  for pid in $(step_daemons_of "$1"); do
    awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status"
  done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# plugin_mapping CLUSTER: KiB of the plugin's file that one slurmstepd keeps resident.
plugin_mapping() {
  local pid
  pid=$(step_daemons_of "$1" | head -n 1)
  awk '/^[0-9a-f]+-/ { ours = /spank_compute_scale/ } ours && /^Rss:/ { sum += $2 }
    END { print sum + 0 }' "/proc/$pid/smaps"
}
