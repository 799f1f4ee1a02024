#!/usr/bin/env bash
#SBATCH --job-name=pretrain-g1-s42.78bbf05d
#SBATCH --output=/runs/r1/logs/pretrain-g1-s42.slurm.log
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=24
#SBATCH --mem=200G
#SBATCH --time=12:00:00
#SBATCH --gres=gpu:2
# Written by sbatch-tasks; complete by itself.
submission=${1-}

run_dir=/runs/r1
compute_scale=0.5
job_seconds=43200

# pretrain/gpt, seed 42
step_1() {
  name='pretrain/gpt seed 42'
  log=/runs/r1/logs/pretrain/gpt-seed42.log
  result=/runs/r1/results/pretrain/gpt-seed42.json
  record='"step":"pretrain/gpt","seed":42,"base_compute":"4","compute":"2"'
  make_output_dir /results/pretrain/r1/seed_42
  use_devices 0 1
  entry_env=(BATCH_SIZE=64 GRAD_ACCUM=8)
  argv+=(docker run --rm)
  name_container docker
  argv+=(--shm-size=16g --entrypoint '')
  docker_gpus
  pass_variables
  as_submitter
  argv+=(-e HOME=/tmp)
  bind_path required /vendor/workspace/pretrain/r1/nanoGPT -v /vendor/workspace/pretrain/r1/nanoGPT:/workspace/nanoGPT
  bind_path required /tasks/pretrain -v /tasks/pretrain:/workspace/_task
  bind_path required '/data root/climbmix' -v '/data root/climbmix:/data/climbmix'
  bind_path optional '/data root/extra' -v '/data root/extra:/data/extra'
  bind_path required /results -v /results:/results
  argv+=(-w /workspace/nanoGPT mlsbench/nanogpt:latest sh -c
    'export PYTHONPATH=/workspace/nanoGPT:"${PYTHONPATH-}"; exec "$@"' sh env
    DATA_DIR=/data/climbmix SAVE_PATH=/results OUTPUT_DIR=/results/pretrain/r1/seed_42 SEED=42
    CUDA_VISIBLE_DEVICES="$inner_devices" ENV=gpt "${entry_env[@]}" bash
    /workspace/_task/scripts/gpt.sh)
}

# ---- how steps are run ----

node=${SLURMD_NODENAME:-$(uname -n)}

note() { printf 'compute-scale: %s\n' "$*"; }

# The step's devices, by position in the list that Slurm gave to the job: numbers or GPU-/MIG- names.
use_devices() {
  local position
  devices='' positions=("$@")
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

# utc_time VARIABLE: without a process of its own, as all that is done for every step.
utc_time() { TZ=UTC0 printf -v "$1" '%(%Y-%m-%dT%H:%M:%SZ)T' -1; }

# write_result STATE CODE SECONDS: replaces the step's record as a whole, never a part of it.
write_result() {
  local written
  utc_time written
  {
    printf '{%s,"compute_scale":"%s","devices":"%s",' "$record" "$compute_scale" "$devices"
    printf '"state":"%s","exit_code":%s,"elapsed_seconds":%s,"attempt":%s,' "$@" "$attempt"
    printf '"job_id":"%s",%s"node":"%s","started":"%s","written":"%s"}\n' "${SLURM_JOB_ID-}" \
      "$array_ids" "$node" "$started" "$written"
  } >"$result.new" && mv -f "$result.new" "$result"
}

# wait_for PID: the exit code of a child. A trapped signal ends `wait` early, with a code like that of a
# child which died of it, and one that came just before may end the next `wait` as well.
wait_for() {
  local code before=
  while :; do
    wait "$1"
    code=$?
    ((code > 128)) || return "$code"
    # Not by a command substitution: bash mixes up its text with that of a trap.
    if kill -0 "$1" 2>/dev/null; then
      before=
    elif [[ $code == "$before" ]]; then
      return "$code"
    else
      before=$code
    fi
  done
}

# Slurm ends a job at its time limit as scancel does; only the time tells which it was.
time_is_over() {
  local now
  printf -v now '%(%s)T' -1
  if [[ -n ${SLURM_JOB_END_TIME-} ]]; then
    ((now >= SLURM_JOB_END_TIME - 2))
  else
    ((SECONDS >= job_seconds - 2))
  fi
}

# end_state CODE SECONDS: sets `state` to what ended the step.
end_state() {
  if [[ -n $stopped ]]; then
    state=cancelled
    ! time_is_over || state=timeout
  elif (($1 == 0)); then
    state='done'
  elif [[ -n $limit && $1 =~ ^(124|137)$ ]] && (($2 >= limit)); then
    state=timeout
  else
    state=failed
  fi
}

start_step() {
  local notice
  for notice in "${notices[@]}"; do note "$notice"; done
  [[ -z $problem ]] || { note "$name: $problem"; return 3; }
  cd "${folder:-$run_dir}" || return 3
  # What does not end in ten seconds after SIGTERM is killed.
  [[ -z $limit ]] || exec timeout --kill-after=10 "$limit" "${argv[@]}"
  exec "${argv[@]}"
}

# Runs one step to its end: output, exit code and seconds go into its own files.
run_step() {
  local code state seconds started began=$SECONDS
  devices='' positions=() folder='' scratch='' problem='' limit='' container='' inside=''
  notices=() argv=()
  "$1"
  if done_before; then return; fi
  mkdir -p "${log%/*}" "${result%/*}"
  attempt_after "$result"
  utc_time started
  write_result running null null
  note "$name: attempt $attempt, job ${SLURM_JOB_ID-none} on $node, $started" >>"$log"
  start_step >>"$log" 2>&1 </dev/null &
  child=$!
  wait_for "$child"
  code=$?
  seconds=$((SECONDS - began))
  # Slurm sends SIGTERM to all processes of a job, one after another: to this shell perhaps later.
  ((code == 0)) || [[ -n $stopped ]] || sleep 0.3
  [[ -z $container$inside || -n $problem ]] || end_container "$code"
  child='' container='' inside=''
  [[ -z $scratch ]] || rm -rf "$scratch"
  end_state "$code" "$seconds"
  write_result "$state" "$code" "$seconds"
  case $state in
    'done') return 0 ;;
    timeout) note "$name: ended at its time limit, see $log" >&2 ;;
    cancelled) note "$name: cancelled, see $log" >&2 ;;
    *) note "$name: ${problem:-exit code $code, see $log}" >&2 ;;
  esac
  return "$((code ? code : 143))"
}

# Runs steps one after another, each whatever became of the one before; the first failure counts.
run_lane() {
  local step code worst=0
  child='' stopped=
  container=''
  trap 'stopped=1; [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
    [[ -z $container ]] || end_container_soon &' TERM
  for step in "$@"; do
    [[ -z $stopped ]] || break
    run_step "$step"
    code=$?
    ((worst != 0)) || worst=$code
  done
  exit "$worst"
}

# Steps may share containers, see below.
end_sessions() { :; }
end_sessions_soon() { :; }

finish() {
  local lane code worst=0
  for lane in "${lanes[@]}"; do
    wait_for "$lane"
    code=$?
    ((worst != 0)) || worst=$code
  done
  end_sessions
  exit "$worst"
}

# ---- containers ----

printf -v script_began '%(%s)T' -1

# A daemon is outside of the job and knows the devices by the machine's numbers, where Slurm may have
# numbered CUDA_VISIBLE_DEVICES anew for the job.
find_host_gpus() {
  IFS=, read -r -a host_gpus <<<"${SLURM_JOB_GPUS-}"
  ((${#host_gpus[@]} == ${#job_devices[@]})) && [[ ${job_devices[0]-} != *[!0-9]* ]] && return
  host_gpus=("${job_devices[@]}")
}

# The step's devices as the machine knows them, and their numbers in a container without others.
container_devices() {
  local position
  host_devices=() inner_devices=
  for position in "${positions[@]}"; do
    inner_devices+=${inner_devices:+,}${#host_devices[@]}
    host_devices+=("${host_gpus[position]-}")
  done
}

# docker reads the list as CSV: with a comma in it, it needs quotes of its own.
docker_gpus() {
  local list IFS=,
  container_devices
  list="device=${host_devices[*]}"
  [[ $list != *,* ]] || list="\"$list\""
  argv+=(--gpus "$list")
}

podman_gpus() {
  local device
  require_cdi
  container_devices
  for device in "${host_devices[@]}"; do argv+=(--device "nvidia.com/gpu=$device"); done
}

require_cdi() {
  local version
  if ! version=$(podman version --format '{{.Client.Version}}' 2>&1); then
    problem="podman does not run: $version"
  elif [[ ! $version =~ ^([0-9]+)\.([0-9]+) ]] ||
    ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] < 4001)); then
    problem="podman $version cannot give single GPUs to a container: 4.1 or later is needed"
  fi
}

# name_container ENGINE: a name that no other job, step or attempt has; the labels find the container
# again should it outlive its job.
name_container() {
  engine=$1
  container=compute-scale-${SLURM_JOB_ID:-$$-$script_began}-${FUNCNAME[1]}-${SLURM_RESTART_COUNT:-0}
  argv+=(--name "$container" --label "compute-scale.run=$run_dir" --label "compute-scale.step=$name"
    --label "compute-scale.job=${SLURM_JOB_ID-}")
}

# What a container needs to reach the network as the node does, where it is set.
pass_variables() {
  local variable
  for variable in {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY HF_ENDPOINT; do
    [[ -n ${!variable+set} ]] || continue
    export "${variable?}"
    argv+=(-e "$variable")
  done
}

as_submitter() { argv+=(--user "$EUID:$(id -g)"); }
# podman has no such mapping for root, who is root inside anyway.
keep_submitter() { ((EUID == 0)) || argv+=(--userns=keep-id); }

# --rm removes a container that ends by itself, but not one whose client was killed.
end_container() {
  if [[ -n $inside ]]; then
    (($1 == 0)) || end_inside
  else
    (($1 == 0)) || "$engine" rm -f "$container" >/dev/null 2>&1
  fi
}

# After SIGTERM: the client passes it on; a second later the container goes, long before Slurm kills
# what is left of the job.
end_container_soon() {
  trap '' TERM
  sleep 1
  "$engine" rm -f "$container" >/dev/null 2>&1
}

# The values below are those of one scale; the plugin may have given the job another one.
require_scale() {
  [[ -n ${SLURM_COMPUTE_SCALE_PAYLOAD-} && $SLURM_COMPUTE_SCALE != "$compute_scale" ]] || return 0
  note "made for --compute-scale=$compute_scale, submitted with $SLURM_COMPUTE_SCALE:" \
    'use a script of sbatch-tasks render --neutral' >&2
  exit 3
}

# ---- the submission that started this job ----

array_ids=
[[ -z ${SLURM_ARRAY_JOB_ID-} ]] ||
  array_ids="\"array_job_id\":\"$SLURM_ARRAY_JOB_ID\",\"array_task_id\":\"$SLURM_ARRAY_TASK_ID\","

is_done() { [[ -r $1 && $(<"$1") == *'"state":"done"'* ]]; }

# Whether an earlier submission has done the step already.
done_before() {
  [[ -n $submission ]] && is_done "$result" || return
  [[ -z $scratch ]] || rm -rf "$scratch"
  note "$name: is done, see $result"
}

# Ends a job that had been given up for lost and was submitted again.
end_if_superseded() {
  local newest
  [[ -n $submission && -r $1 ]] || return 0
  newest=$(<"$1")
  ((newest > submission)) || return 0
  note "superseded: this is submission $submission of the job, and $newest has replaced it" >&2
  exit 4
}

# The record of a step on another node may take a while to be seen on this one.
require_done() {
  local file deadline=$((SECONDS + ${COMPUTE_SCALE_RECORD_SECONDS:-60}))
  [[ -n $submission ]] || return 0
  for file in "$@"; do
    until is_done "$run_dir/$file"; do
      ((SECONDS < deadline)) && sleep 1 && continue
      note "blocked: $run_dir/$file does not say that its step is done" >&2
      exit 3
    done
  done
}

end_if_superseded "$run_dir/"submissions/pretrain-g1-s42

# ---- the steps of this job, side by side ----

lanes=()
trap '((${#lanes[@]} == 0)) || kill -TERM "${lanes[@]}" 2>/dev/null
  end_sessions_soon &' TERM
IFS=, read -r -a job_devices <<<"${CUDA_VISIBLE_DEVICES-}"
find_host_gpus
require_scale
run_lane step_1 &
lanes+=($!)
finish
