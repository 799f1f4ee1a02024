# shellcheck shell=bash
# Writes the configuration of one private cluster below $dir. Sourced by `cluster`, which sets
# dir, extra_conf and die.
# shellcheck disable=SC2154

readonly GPUS_PER_NODE=8
readonly CPUS_PER_NODE=32
readonly MEMORY_PER_NODE=500000
readonly NODES=(n0 n1)

# The release of the installed Slurm as a number to compare: 22.05.8 is 2205.
slurm_release() {
  local version
  version=$(slurmctld -V)
  [[ $version =~ ([0-9]+)\.([0-9]+) ]] || die "cannot read Slurm's version from '$version'"
  echo "${BASH_REMATCH[1]}${BASH_REMATCH[2]}"
}

# Everything that differs between Slurm releases is here. No release may need a cgroup tree, which
# a container often lacks or may not write to: from 23.11 on cgroups can be switched off; before,
# slurmd looked for a tree unless it was told the version, and then made no use of it.
write_release_config() {
  local plugin=cgroup/v1
  (($(slurm_release) >= 2311)) && plugin=disabled
  echo "CgroupPlugin=$plugin" > "$dir/etc/cgroup.conf"
}

# Prints a port P such that P .. P+2 are free; below the ephemeral range, so that no client takes one.
free_port_block() {
  local port offset
  for _ in {1..200}; do
    port=$((20000 + 4 * (RANDOM % 3000)))
    for offset in 0 1 2; do
      port_is_free $((port + offset)) || continue 2
    done
    echo "$port"
    return
  done
  die 'no free ports between 20000 and 32000'
}

port_is_free() {
  ! (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

write_slurm_conf() {
  local host=$1 port=$2
  cat << END
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
PlugStackConfig=$dir/etc/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=1000
ReturnToService=2
# The real machine may be smaller than what the nodes claim.
SlurmdParameters=config_overrides
# Short waits: tests submit many small jobs and look at each when it has ended.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,default_queue_depth=10000
KillWait=2
CompleteWait=0
InactiveLimit=0
MessageTimeout=60
# A finished job stays visible for a whole run of the tests.
MinJobAge=7200
GresTypes=gpu,shard,vmem,tmpfs
NodeName=n[0-1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] \
CPUs=$CPUS_PER_NODE RealMemory=$MEMORY_PER_NODE \
Gres=gpu:h200:$GPUS_PER_NODE,shard:$((4 * GPUS_PER_NODE)),vmem:no_consume:80G,tmpfs:4000G
PartitionName=gpu Nodes=n[0-1] Default=YES MaxTime=INFINITE DefaultTime=60 State=UP
PartitionName=cpu Nodes=n[0-1] MaxTime=INFINITE DefaultTime=60 State=UP
END
  printf '%s\n' "${extra_conf[@]}"
}

write_gres_conf() {
  local last=$((GPUS_PER_NODE - 1))
  cat << END
Name=gpu Type=h200 File=$dir/dev/gpu[0-$last]
Name=shard Count=$((4 * GPUS_PER_NODE))
Name=vmem Count=80G Flags=CountOnly
Name=tmpfs Count=4000G Flags=CountOnly
END
}

# Device files that are bound to nothing: Slurm only wants to see character devices.
make_devices() {
  local gpu
  for ((gpu = 0; gpu < GPUS_PER_NODE; gpu++)); do
    mknod -m 666 "$dir/dev/gpu$gpu" c 1 3 || die "cannot make device files in $dir/dev"
  done
}

write_config() {
  local host=${HOSTNAME%%.*} port
  port=$(free_port_block)
  mkdir -p "$dir"/{etc,run,log,state,dev} "${NODES[@]/#/$dir/spool/}"
  # Normal users' commands read the configuration and reach munged's socket.
  chmod 755 "$dir" "$dir"/*
  head -c 1024 /dev/urandom > "$dir/etc/munge.key"
  chmod 600 "$dir/etc/munge.key"
  printf '%d\n' $((port + 1)) $((port + 2)) > "$dir/etc/node-ports"
  write_slurm_conf "$host" "$port" > "$dir/etc/slurm.conf"
  write_gres_conf > "$dir/etc/gres.conf"
  write_release_config
  make_devices
}
