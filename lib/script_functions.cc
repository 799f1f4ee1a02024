#include "script_functions.h"

namespace compute_scale {

const std::string_view kScriptFunctions = R"bash(
# ---- how steps are run ----

node=${SLURMD_NODENAME:-$(uname -n)}

note() { printf 'compute-scale: %s\n' "$*"; }

# The step's devices, by position in the list that Slurm gave to the job: numbers or GPU-/MIG- names.
use_devices() {
  local position
  devices=
  for position in "$@"; do
    if ((position >= ${#job_devices[@]})); then
      problem="needs $# GPU(s), but the job sees CUDA_VISIBLE_DEVICES='${CUDA_VISIBLE_DEVICES-}'"
      return
    fi
    devices+=${devices:+,}${job_devices[position]}
  done
}

make_output_dir() { mkdir -p "$1" || problem="the output folder $1 cannot be made"; }

# Starts the step in a folder, or in another one where the first does not exist.
start_in() {
  folder=$1
  [[ -d $1 ]] && return
  notices+=("there is no folder $1: starting in $2")
  folder=$2
}

# bind_path required|optional PATH WORD...: adds the words if the path is on this node.
bind_path() {
  if [[ -e $2 ]]; then
    argv+=("${@:3}")
  elif [[ $1 == optional ]]; then
    notices+=("$2 is not on $node: left out")
  else
    problem="$2 is not on $node, and its container needs it"
  fi
}

make_scratch() { scratch=$(mktemp -d) || problem='no temporary folder can be made'; }

attempt_after() {
  local text=
  [[ -r $1 ]] && text=$(<"$1")
  attempt=1
  [[ $text =~ \"attempt\":([0-9]+) ]] && attempt=$((BASH_REMATCH[1] + 1))
}

# write_result STATE CODE SECONDS: replaces the step's record as a whole, never a part of it.
write_result() {
  {
    printf '{%s,"compute_scale":"%s","devices":"%s",' "$record" "$compute_scale" "$devices"
    printf '"state":"%s","exit_code":%s,"elapsed_seconds":%s,"attempt":%s,' "$@" "$attempt"
    printf '"job_id":"%s",%s"node":"%s","started":"%s","written":"%s"}\n' "${SLURM_JOB_ID-}" \
      "$array_ids" "$node" "$started" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  } >"$result.new" && mv -f "$result.new" "$result"
}

# The exit code of a child, also where a signal to this shell interrupts the wait.
wait_for() {
  local code
  while :; do
    signalled=
    wait "$1"
    code=$?
    [[ -n $signalled ]] || return "$code"
  done
}

start_step() {
  local notice
  for notice in "${notices[@]}"; do note "$notice"; done
  [[ -z $problem ]] || { note "$name: $problem"; return 3; }
  cd "${folder:-$run_dir}" || return 3
  exec "${argv[@]}"
}

# Runs one step to its end: output, exit code and seconds go into its own files.
run_step() {
  local code began=$SECONDS
  devices='' folder='' scratch='' problem='' notices=() argv=()
  "$1"
  if done_before; then return; fi
  mkdir -p "${log%/*}" "${result%/*}"
  attempt_after "$result"
  started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  write_result running null null
  note "$name: attempt $attempt, job ${SLURM_JOB_ID-none} on $node, $started" >>"$log"
  start_step >>"$log" 2>&1 </dev/null &
  child=$!
  wait_for "$child"
  code=$?
  [[ -z $scratch ]] || rm -rf "$scratch"
  if ((code == 0)); then
    write_result 'done' 0 $((SECONDS - began))
  else
    write_result failed "$code" $((SECONDS - began))
    note "$name: ${problem:-exit code $code, see $log}" >&2
  fi
  return "$code"
}

# Runs steps one after another, each whatever became of the one before; the first failure counts.
run_lane() {
  local step code worst=0
  child='' stopped=
  trap 'signalled=1 stopped=1; [[ -z $child ]] || kill -TERM "$child" 2>/dev/null' TERM
  for step in "$@"; do
    [[ -z $stopped ]] || break
    run_step "$step"
    code=$?
    ((worst != 0)) || worst=$code
  done
  exit "$worst"
}

finish() {
  local lane code worst=0
  for lane in "${lanes[@]}"; do
    wait_for "$lane"
    code=$?
    ((worst != 0)) || worst=$code
  done
  exit "$worst"
}
)bash";

const std::string_view kJobStart = R"bash(
# ---- the steps of this job, side by side ----

lanes=()
trap 'signalled=1; ((${#lanes[@]} == 0)) || kill -TERM "${lanes[@]}" 2>/dev/null' TERM
IFS=, read -r -a job_devices <<<"${CUDA_VISIBLE_DEVICES-}"
)bash";

const std::string_view kFixedFunctions = R"bash(
# The values below are those of one scale; the plugin may have given the job another one.
require_scale() {
  [[ -n ${SLURM_COMPUTE_SCALE_PAYLOAD-} && $SLURM_COMPUTE_SCALE != "$compute_scale" ]] || return 0
  note "made for --compute-scale=$compute_scale, submitted with $SLURM_COMPUTE_SCALE:" \
    'use a script of sbatch-tasks render --neutral' >&2
  exit 3
}
)bash";

const std::string_view kNeutralFunctions = R"bash(
# How many GPUs the job has is decided at its submission.
use_all_devices() {
  devices=${CUDA_VISIBLE_DEVICES-}
  [[ -n $devices ]] || problem='needs GPUs, but the job sees none (CUDA_VISIBLE_DEVICES)'
}

# take_entry_env NAME=VALUE...: the entry's variables as the plugin has set them for the scale of
# this submission, or as given here where it has left the job alone.
take_entry_env() {
  local field fields
  entry_env=("$@")
  [[ -n ${SLURM_COMPUTE_SCALE_PAYLOAD-} ]] || return
  entry_env=()
  IFS=';' read -r -a fields <<<"$SLURM_COMPUTE_SCALE_PAYLOAD"
  for field in "${fields[@]}"; do
    [[ $field == env.* ]] || continue
    field=${field#env.}
    field=${field%%=*}
    entry_env+=("$field=${!field}")
  done
}
)bash";

}  // namespace compute_scale
