# Starting and stopping private clusters. Each test has clusters of its own.

load helpers

setup() {
  enter_work_folder
  mine=$work/mine
  other=$work/other
}

teardown() {
  "$cluster_command" stop "$mine"
  "$cluster_command" stop "$other"
}

# in_cluster DIR COMMAND...
in_cluster() {
  SLURM_CONF=$1/etc/slurm.conf "${@:2}"
}

# Shows all live processes that name the folder in their command line, open files or environment.
processes_of() {
  {
    grep -lsa -e "$1/" /proc/[0-9]*/cmdline
    find /proc/[0-9]*/fd -lname "$1/*" 2> /dev/null
    grep -lsaz -e "=$1$" -e "^SLURM_CONF=$1/" /proc/[0-9]*/environ
  } | cut -d/ -f3 | sort -u | xargs -r ps -o pid=,ppid=,stat=,args= -p
}

expect_nothing_runs() {
  local left
  left=$(processes_of "$mine")
  echo "$left"
  [ -z "$left" ]
}

# The jobs' sleep processes.
sleepers_of() {
  grep -lsaz "^SLURM_CONF=$1/" /proc/[0-9]*/environ | cut -d/ -f3 | while read -r pid; do
    grep -lsx sleep "/proc/$pid/comm"
  done
}

@test "two clusters run side by side and know nothing of each other" {
  "$cluster_command" start "$mine"
  "$cluster_command" start "$other"
  id=$(in_cluster "$mine" sbatch --parsable --wrap 'sleep 60')
  [ -n "$(in_cluster "$mine" squeue -h -j "$id")" ]
  [ -z "$(in_cluster "$other" squeue -h)" ]
  "$cluster_command" stop "$mine"
  [ "$(in_cluster "$other" sinfo -h -N -p gpu -o %t)" = $'idle\nidle' ]
}

@test "stop ends daemons, running jobs and what a job left behind" {
  "$cluster_command" start "$mine"
  in_cluster "$mine" sbatch --wrap 'setsid sleep 300 & srun sleep 300'
  in_cluster "$mine" sbatch --wrap 'setsid sleep 300 &'
  until [ "$(sleepers_of "$mine" | wc -l)" -ge 3 ]; do
    sleep 0.1
  done
  "$cluster_command" stop "$mine"
  expect_nothing_runs
  [ ! -e "$mine/dev" ]
  [ -s "$mine/log/slurmctld.log" ]
}

@test "stop may be repeated and needs no cluster" {
  "$cluster_command" stop "$mine"
  "$cluster_command" start "$mine"
  "$cluster_command" stop "$mine"
  "$cluster_command" stop "$mine"
}

@test "a half-started cluster can be stopped and started" {
  "$cluster_command" start "$mine"
  kill -KILL "$(cat "$mine/run/slurmctld.pid")"
  "$cluster_command" start "$mine"
  in_cluster "$mine" srun true
  kill -KILL "$(cat "$mine/run/munged.pid")"
  "$cluster_command" stop "$mine"
  expect_nothing_runs
}

@test "start of a running cluster leaves it alone" {
  "$cluster_command" start "$mine"
  id=$(in_cluster "$mine" sbatch --parsable --wrap 'sleep 60')
  run "$cluster_command" start "$mine"
  [ "$status" -eq 0 ]
  [[ $output == *"already running"* ]]
  [ -n "$(in_cluster "$mine" squeue -h -j "$id")" ]
}

@test "a start that fails says why and leaves nothing running" {
  run "$cluster_command" start "$mine" --conf 'NoSuchKey=1'
  [ "$status" -ne 0 ]
  [[ $output == *"unrecognized key: NoSuchKey"* ]]
  expect_nothing_runs
  [ ! -e "$mine/dev" ]
}

@test "a daemon that dies on the way fails the start" {
  run "$cluster_command" start "$mine" --conf 'AccountingStorageTRES=gres/gpu'
  [ "$status" -ne 0 ]
  [[ $output == *"a daemon ended during the start"* ]]
  [[ $output == *"slurmdbd is required"* ]]
  expect_nothing_runs
}

@test "a folder with other files is refused and kept" {
  mkdir "$mine"
  echo precious > "$mine/file"
  run "$cluster_command" start "$mine"
  [ "$status" -ne 0 ]
  [[ $output == *"holds other files"* ]]
  [ "$(cat "$mine/file")" = precious ]
}

@test "settings and the first plugstack can be given at the start" {
  echo 'required /nowhere/absent.so' > "$work/plugstack"
  "$cluster_command" start "$mine" --conf MaxArraySize=7 --conf DefMemPerCPU=5
  in_cluster "$mine" scontrol show config | grep -qE '^MaxArraySize += 7$'
  "$cluster_command" stop "$mine"
  PLUGSTACK=/dev/null run "$cluster_command" start "$mine" --plugstack "$work/plugstack"
  [ "$status" -ne 0 ]
  [[ $output == *"/nowhere/absent.so"* ]]
}

@test "run gives a command a cluster of its own and hands on its status" {
  run "$cluster_command" run "$mine" --conf MaxArraySize=7 -- \
    sh -c 'scontrol show config | grep MaxArraySize; sbatch --wrap "sleep 300"; exit 9'
  [ "$status" -eq 9 ]
  [[ $output == *'MaxArraySize            = 7'* ]]
  expect_nothing_runs
}

@test "a machine without any network will do" {
  unshare --net true || skip 'may not make a network namespace'
  run unshare --net bash -c '"$1" start "$2" && SLURM_CONF=$2/etc/slurm.conf srun echo fine' \
    - "$cluster_command" "$mine"
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = fine ]
}

@test "shell has the environment and gives back its exit status" {
  "$cluster_command" start "$mine"
  run env SHELL=/bin/bash "$cluster_command" shell "$mine" <<< 'sinfo -h -N -p gpu -o %t; exit 5'
  [ "$status" -eq 5 ]
  [[ $output == *$'idle\nidle' ]]
}

@test "wrong use is one line and exit status 1 or 2" {
  run "$cluster_command"
  [ "$status" -eq 2 ]
  run "$cluster_command" start
  [ "$status" -eq 1 ]
  [ "$output" = "cluster: start: name the cluster's folder" ]
  run "$cluster_command" env "$mine"
  [ "$status" -eq 1 ]
  [ "$output" = "cluster: no cluster in $mine: run 'cluster start $mine'" ]
  run "$cluster_command" start "$mine" --bogus x
  [ "$status" -eq 1 ]
  [ "$output" = "cluster: start: unknown option --bogus" ]
}
