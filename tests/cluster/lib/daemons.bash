# shellcheck shell=bash
# Starts and ends the processes of one private cluster below $dir. Sourced by `cluster`, which sets
# dir, CLUSTER_MARK and die.
# shellcheck disable=SC2154

# Runs a command without the caller's open files: a daemon that keeps the pipe of a test runner
# open would keep that runner waiting for ever.
detached() {
  local fd
  (
    for fd in {3..99}; do
      eval "exec $fd>&-"
    done
    cd "$dir" || exit
    exec env -i PATH="$PATH" HOME="$dir" SLURM_CONF="$dir/etc/slurm.conf" \
      "$CLUSTER_MARK=$dir" "$@" < /dev/null >> "$dir/log/start.log" 2>&1
  )
}

start_daemons() {
  local node
  detached munged --force --num-threads=4 --key-file="$dir/etc/munge.key" \
    --socket="$dir/run/munge.socket" --pid-file="$dir/run/munged.pid" \
    --seed-file="$dir/state/munge.seed" --log-file="$dir/log/munged.log" || return
  detached slurmctld -c || return
  for node in "${NODES[@]}"; do
    detached slurmd -N "$node" || return
  done
}

# Succeeds when the cluster can take jobs; ends the command when a daemon died on the way.
nodes_are_idle() {
  [[ $(node_states) == $'idle\nidle' ]] && return 0
  all_daemons_live || die 'a daemon ended during the start'
  return 1
}

# Succeeds when both nodes answer, be they idle or at work.
nodes_answer() {
  [[ $(node_states | grep -cE '^(idle|mixed|allocated|completing)$') == "${#NODES[@]}" ]]
}

# A client would wait for an absent controller much longer than the start may take.
node_states() {
  SLURM_CONF=$dir/etc/slurm.conf timeout 3 sinfo -h -N -p gpu -o %T 2> /dev/null
}

all_daemons_live() {
  [[ $(daemon_names) == 'munged slurmctld slurmd slurmd' ]]
}

daemon_names() {
  local pid
  environ_with "$CLUSTER_MARK=$dir" | while read -r pid; do
    cat "/proc/$pid/comm" 2> /dev/null
  done | grep -xE 'munged|slurmctld|slurmd' | sort | xargs
}

# wait_until SECONDS COMMAND...: polls; fails when the time is over.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# Prints the ids of this cluster's daemons, step daemons, jobs and waiting clients. slurmstepd is no
# child of slurmd and overwrites its environment: it is known by its open log file. A process that
# a job left behind is known by the environment of the job.
cluster_processes() {
  {
    environ_with "$CLUSTER_MARK=$dir"
    step_daemons
    environ_with "SLURM_CONF=$dir/etc/slurm.conf" | jobs_and_clients
  } | with_descendants
}

# Prints the ids of the processes whose environment has exactly this NAME=VALUE. Processes come and
# go meanwhile: that grep could not read one is no failure.
environ_with() {
  { grep -lsazxF -e "$1" /proc/[0-9]*/environ || true; } | cut -d/ -f3
}

step_daemons() {
  local pid
  { find /proc/[0-9]*/exe -lname '*/slurmstepd*' 2> /dev/null || true; } | cut -d/ -f3 | while read -r pid; do
    if find "/proc/$pid/fd" -lname "$dir/log/*" 2> /dev/null | grep -q .; then
      echo "$pid"
    fi
  done
}

# Of the ids read from stdin, prints those on a node and the clients that wait for the controller.
jobs_and_clients() {
  local pid
  while read -r pid; do
    if grep -qsaz '^SLURMD_NODENAME=' "/proc/$pid/environ" ||
      [[ $(readlink "/proc/$pid/exe") =~ /(srun|salloc|sbatch)$ ]]; then
      echo "$pid"
    fi
  done
}

# Prints the ids read from stdin and all their descendants, each once.
with_descendants() {
  awk '
    NF == 1 { wanted[$1] = 1; next }
    $1 == "Pid:" { pid = $2 }
    $1 == "PPid:" { parent[pid] = $2 }
    END {
      for (pid in parent) {
        for (p = pid; p in parent && !(p in wanted); p = parent[p]) { }
        if (p in wanted) print pid
      }
    }' - <(cat /proc/[0-9]*/status 2> /dev/null | grep -a '^PP*id:')
}

# Ends every process of the cluster and returns when none is left. Nothing is asked to end nicely:
# the next start throws the state away.
stop_daemons() {
  [[ ${SLURM_CONF-} == "$dir/etc/slurm.conf" && -n ${SLURMD_NODENAME-} ]] &&
    die 'this is a job of the cluster: stop it from outside'
  killed=()
  wait_until 20 no_processes_left ||
    die "these processes do not end: $(cluster_processes | xargs)"
}

# Kills what it finds: called again until nothing new appears and the killed are gone.
no_processes_left() {
  local pid pids
  mapfile -t pids < <(cluster_processes)
  if ((${#pids[@]} > 0)); then
    kill -KILL "${pids[@]}" 2> /dev/null
    killed+=("${pids[@]}")
    return 1
  fi
  for pid in "${killed[@]}"; do
    process_is_gone "$pid" || return 1
  done
}

# A zombie counts as gone: not every machine's first process collects it at once.
process_is_gone() {
  [[ ! -e /proc/$1 ]] || grep -qs '^State:.*Z' "/proc/$1/status"
}

# slurmd loads the plugins of plugstack.conf when it starts; its running jobs go on meanwhile.
restart_nodes() {
  local node pid
  for node in "${NODES[@]}"; do
    # There is none after a plugstack that slurmd refused.
    if pid=$(cat "$dir/run/slurmd-$node.pid" 2> /dev/null); then
      kill -TERM "$pid" 2> /dev/null
      wait_until 10 process_is_gone "$pid" || return
    fi
    detached slurmd -N "$node" || return
  done
  wait_until 5 nodes_listen
}

nodes_listen() {
  local port
  while read -r port; do
    ! port_is_free "$port" || return 1
  done < "$dir/etc/node-ports"
}
