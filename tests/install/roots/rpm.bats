# The RPM package in a root. That is a Debian, so its dependencies are not looked at; its scripts and
# files are. The tests build on each other.

load helpers

setup_file() {
  copy_root
  start_cluster
  files_of_root > "$BATS_FILE_TMPDIR/before"
  make_in "${built%/*}/rpm" rpm PACKAGE_RELEASE=2 "PACKAGES=$BATS_FILE_TMPDIR/next"
}

teardown_file() {
  stop_cluster
}

rpm_in_root() {
  rpm --root "$ROOT" --nodeps "$@"
}

@test "installing enables nothing; enabling gives the commands the options" {
  rpm_in_root -i "$(the_rpm)"
  run -1 plugin_command status
  plugin_command enable
  plugin_command status
  expect_contains "$(in_root 'sbatch --help')" --compute-scale
  expect_contains "$(in_root 'srun -n1 --gres=gpu:4 --compute-scale=0.5 \
    --compute-entry=llm-pretrain-loss/gpt-345m bash -c "echo batch=\$BATCH_SIZE devices=\$CUDA_VISIBLE_DEVICES"')" \
    'batch=64 devices=0,1'
}

@test "an upgrade keeps the plugin enabled and an edited site.yaml" {
  sed -i 's/^seeds:.*/seeds: [7]/' "$ROOT/etc/compute-scale/site.yaml"
  rpm_in_root -U "$BATS_FILE_TMPDIR"/next/*.rpm
  grep -qx 'seeds: \[7\]' "$ROOT/etc/compute-scale/site.yaml"
  plugin_command status
}

@test "erasing it disables it first and leaves an edited site.yaml only" {
  rpm_in_root -e compute-scale
  [[ $(in_root 'sbatch --help') != *--compute-scale* ]]
  in_root 'srun -n1 true'
  # The folder of Slurm's plugins is the Slurm package's, which is not in this root.
  left=$(files_of_root | comm -13 "$BATS_FILE_TMPDIR/before" - | grep -vE '/\.rpmdb|^./usr/lib64/slurm$')
  expect_equal "$left" $'./etc/compute-scale\n./etc/compute-scale/site.yaml.rpmsave'
}
