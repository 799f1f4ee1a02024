#!/usr/bin/env bats
# doctor on the real Slurm: the chain that Slurm reads, the plugin that it loads, and what a step on
# every node finds.
load helpers
load submit_helpers

setup_file() { use_plugin; }

teardown_file() { use_no_plugin; }

setup() {
  enter_work_folder
  PATH=$PRODUCT_DIR/build/release:$PATH
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/site.yaml
  printf '%s\n' "tasks_dir: $PRODUCT_DIR/tasks" "packages_dir: $PRODUCT_DIR/configs/packages" \
    'container_runtime: local' 'slurm: {plugin: true, shards_per_gpu: 4}' >site.yaml
  plugstack=$CLUSTER_DIR/etc/plugstack.conf
  cp "$plugstack" saved
}

# Commands and steps read it when they start; the plugin is nothing to the daemons.
teardown() { cp "$CLUSTER_DIR/work/$BATS_SUITE_TEST_NUMBER/saved" "$plugstack"; }

# expect_finding STATUS PATTERN [ARGUMENT]...
expect_finding() {
  run sbatch-tasks doctor "${@:3}"
  if [[ $status != "$1" ]] || ! grep -qE -- "$2" <<<"$output"; then
    echo "status $status, no $2 in: $output"
    return 1
  fi
}

@test "a sound site, for root and for a user" {
  expect_finding 0 '^ok       nodes      2 of 2 asked: n0,n1$' --nodes
  expect_equal "$(cut -c1-7 <<<"$output" | sort -u)" 'ok     '
  expect_equal "$(awk '{ print $2 }' <<<"$output" | xargs)" \
    'config slurm plugstack config plugin tasks packages runtime arrays shards partition nodes'
  grep -q "^ok       slurm      Slurm $(sbatch --version | awk '{ print $2 }'); the controller answers$" <<<"$output"
  grep -q "^ok       plugstack  enabled by $plugstack:1$" <<<"$output"
  expect_equal "$(as_user sbatch-tasks doctor --nodes)" "$output"
}

@test "a node whose slurmstepd does not load the plugin" {
  mkdir bin
  # Both nodes read the file that the commands read here: it is emptied once these have done so.
  cat >bin/srun <<END
#!/bin/bash
: >"$plugstack"
exec $(command -v srun) "\$@"
END
  chmod a+x bin/srun
  PATH=$PWD/bin:$PATH expect_finding 3 \
    '^problem  nodes      n0,n1: slurmstepd has not loaded the plugin; to mend: compute-scale-plugin enable there' --nodes
}

@test "the chain as Slurm reads it: through includes, and not past a comment" {
  mkdir "$CLUSTER_DIR/etc/stack.d"
  cp saved "$CLUSTER_DIR/etc/stack.d/ours.conf"
  echo 'include stack.d/*.conf' >"$plugstack"
  expect_finding 0 "^ok       plugstack  enabled by $CLUSTER_DIR/etc/stack.d/ours.conf:1$"
  # Slurm agrees.
  sbatch --help | grep -q -e --compute-entry
  sed -i 's/^/#/' "$CLUSTER_DIR/etc/stack.d/ours.conf"
  expect_finding 3 "^problem  plugstack  $plugstack does not load the plugin, which slurm.plugin promises"
  [[ $(sbatch --help) != *--compute-entry* ]]
  rm -r "$CLUSTER_DIR/etc/stack.d"
}

@test "a plugin that Slurm does not load, and one that it loads twice" {
  head -c 9000 "$PRODUCT_DIR/build/release/spank_compute_scale.so" >spank_compute_scale.so
  sed "s|[^ ]*/spank_compute_scale.so|$PWD/spank_compute_scale.so|" saved >"$plugstack"
  expect_finding 3 "^problem  plugin     $PWD/spank_compute_scale.so cannot be loaded: "
  # Such a file, or a required one that is missing, stops sbatch itself.
  grep -q '^problem  slurm      sbatch cannot be used: .*see what is said of plugstack and plugin' <<<"$output"
  sed "s|optional [^ ]*/|required $PWD/none/|" saved >"$plugstack"
  expect_finding 3 "^problem  plugin     $PWD/none/spank_compute_scale.so is missing; to mend: "
  grep -q "^warning  plugstack  $plugstack:1: says required" <<<"$output"
  cp "$PRODUCT_DIR/build/release/spank_compute_scale.so" .
  sed "s|[^ ]*/spank_compute_scale.so|$PWD/spank_compute_scale.so|" saved >"$plugstack"
  cat saved >>"$plugstack"
  expect_finding 3 "^problem  plugstack  the plugin is loaded twice: by $plugstack:1 and by $plugstack:2"
}

@test "folders that nodes cannot read, for the user who asks" {
  mkdir -p private/tasks/t
  echo '{"test_cmds": [{"cmd": "a.sh"}]}' >private/tasks/t/config.json
  sed -i "s|^tasks_dir.*|tasks_dir: $PWD/private/tasks|" site.yaml
  expect_finding 0 "^ok       tasks      1 in $PWD/private/tasks$" --nodes
  chmod 700 private
  run as_user env "PATH=$PATH" sbatch-tasks doctor --nodes
  [[ $status == 3 ]]
  grep -q "^problem  tasks      $PWD/private/tasks is missing" <<<"$output"
  grep -q "^problem  nodes      n0,n1: $PWD/private/tasks is missing" <<<"$output"
}

@test "nodes that take no job are named" {
  scontrol update NodeName=n1 State=DRAIN Reason=test
  run sbatch-tasks doctor --nodes
  scontrol update NodeName=n1 State=RESUME
  expect_equal "$status" 0
  grep -q '^warning  nodes      n1: not asked: the node is drained' <<<"$output"
  grep -q '^ok       nodes      1 of 2 asked: n0$' <<<"$output"
}

@test "shards that the config promises otherwise" {
  sed -i 's/shards_per_gpu: 4/shards_per_gpu: 3/' site.yaml
  expect_finding 3 '^problem  shards     shards_per_gpu is 3, but n0 has 32 shards for 8 GPUs, and so on: n0,n1'
}

@test "the default partition is Slurm's, and a partition that a limit names exists" {
  sed -i '$d' site.yaml
  printf '%s\n' 'slurm: {plugin: true, default_partition: cpu}' \
    'hardware: {h200: {compute_scale: 0.5, partitions: [gpu, gone]}}' >>site.yaml
  expect_finding 3 "^problem  partition  Slurm's default partition is gpu, but slurm.default_partition is cpu; "
  grep -q '^problem  partition  hardware.h200.partitions names gone, which Slurm lacks; ' <<<"$output"
  # One that Slurm hides is there.
  scontrol update PartitionName=cpu Hidden=yes
  sed -i 's/default_partition: cpu/default_partition: gpu/; s/gone/cpu/' site.yaml
  run sbatch-tasks doctor
  scontrol update PartitionName=cpu Hidden=no
  expect_equal "$status" 0 "$output"
  grep -q '^ok       partition  2 partitions, the default is gpu$' <<<"$output"
}
