# The Debian package's whole life in a bare Debian with a private Slurm. The tests build on each other.

load helpers

setup_file() {
  copy_root
  start_cluster
  cp "$(the_deb)" "$ROOT/opt/first.deb"
  files_of_root > "$BATS_FILE_TMPDIR/before"
  cat > "$ROOT/work/job.sh" << 'END'
#!/bin/bash
echo "gpus=$SLURM_GPUS_ON_NODE batch=${BATCH_SIZE-unset}"
srun -n1 bash -c 'echo "step batch=${BATCH_SIZE-unset}"'
END
}

teardown_file() {
  stop_cluster
}

# next_version VERSION NAME: the package again with another version, as NAME.deb.
next_version() {
  local folder=$BATS_TEST_TMPDIR/$2
  dpkg-deb -R "$(the_deb)" "$folder"
  sed -i "s/^Version: .*/Version: $1/" "$folder/DEBIAN/control"
  if [[ -n ${3-} ]]; then echo "$3" >> "$folder/etc/compute-scale/site.yaml"; fi
  dpkg-deb --root-owner-group -Znone --build "$folder" "$ROOT/opt/$2.deb"
}

# Runs job.sh with these options of sbatch; its output is left in `job_output`.
run_job() {
  as_user "sbatch --wait -o out $1 job.sh" > "$BATS_TEST_TMPDIR/sbatch.out" 2>&1 || {
    cat "$BATS_TEST_TMPDIR/sbatch.out"
    return 1
  }
  job_output=$(cat "$ROOT/work/out")
  rm "$ROOT/work/out"
}

wait_for_job() {
  in_root "timeout 120 bash -c 'while [[ -n \$(squeue -h -j $1) ]]; do sleep 0.1; done'"
}

@test "installing puts the files in place and enables nothing" {
  before=$(snapshot "$ROOT/etc/slurm")
  in_root 'apt-get install -y --no-install-recommends /opt/first.deb'
  expect_equal "$(snapshot "$ROOT/etc/slurm")" "$before"
  run -1 plugin_command status
  [[ $(in_root 'sbatch --help') != *--compute-scale* ]]
  in_root 'sbatch-tasks check --all'
}

@test "once enabled, the commands have the options and a scaled job runs" {
  plugin_command enable
  plugin_command status
  for program in sbatch salloc srun; do
    expect_contains "$(in_root "$program --help")" --compute-scale
  done
  # Debian's plugstack.conf includes the folder: it is not changed.
  in_root 'dpkg --verify slurm-wlm-basic-plugins' | expect_equal "$(cat)" ''
  run_job '--gres=gpu:4 --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m'
  expect_equal "$job_output" $'gpus=2 batch=64\nstep batch=64'
}

@test "an upgrade keeps the plugin enabled and an edited site.yaml, and jobs run meanwhile" {
  in_root 'sed -i "s/^seeds:.*/seeds: [7]/" /etc/compute-scale/site.yaml'
  next_version 99.1-1 second
  next_version 99.2-1 third '# changed by the package, too'
  as_user 'sbatch --parsable -o long --gres=gpu:4 --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m \
    --wrap "until [ -e upgraded ]; do sleep 0.1; done; bash job.sh"' > "$BATS_TEST_TMPDIR/id"
  in_root 'apt-get install -y /opt/second.deb'
  # Where both changed it, dpkg asks; the answer by default is to keep it.
  in_root 'apt-get install -y -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold /opt/third.deb'
  touch "$ROOT/work/upgraded"
  grep -qx 'seeds: \[7\]' "$ROOT/etc/compute-scale/site.yaml"
  plugin_command status
  run_job '--gres=gpu:4 --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m'
  expect_equal "$job_output" $'gpus=2 batch=64\nstep batch=64'
  wait_for_job "$(cat "$BATS_TEST_TMPDIR/id")"
  expect_contains "$(cat "$ROOT/work/long")" 'gpus=2 batch=64'
}

@test "the package goes when its Slurm goes" {
  expect_contains "$(in_root 'apt-get -s remove slurm-wlm-basic-plugins')" 'Remv compute-scale'
}

@test "a removal fails where another line still names the plugin, and changes nothing" {
  in_root 'grep ^optional /etc/slurm/plugstack.conf.d/compute-scale.conf >/etc/slurm/plugstack.conf.d/own.conf'
  run in_root 'dpkg -r compute-scale'
  [ "$status" -ne 0 ]
  expect_contains "$output" '/etc/slurm/plugstack.conf.d/own.conf:1: another line loads'
  in_root 'test -e /usr/bin/sbatch-tasks; rm /etc/slurm/plugstack.conf.d/own.conf'
}

@test "after the removal jobs still run, and nothing is left but the configuration" {
  plugin_command enable
  rm -f "$ROOT/work/upgraded"
  as_user 'sbatch --parsable -o long --gres=gpu:4 --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m \
    --wrap "touch started; until [ -e removed ]; do sleep 0.1; done; srun -n1 true && echo went on"' \
    > "$BATS_TEST_TMPDIR/id"
  in_root 'timeout 60 bash -c "until [ -e started ]; do sleep 0.1; done"; apt-get remove -y compute-scale'
  touch "$ROOT/work/removed"
  [[ $(in_root 'sbatch --help') != *--compute-scale* ]]
  run_job --gres=gpu:1
  expect_equal "$job_output" $'gpus=1 batch=unset\nstep batch=unset'
  wait_for_job "$(cat "$BATS_TEST_TMPDIR/id")"
  expect_equal "$(cat "$ROOT/work/long")" 'went on'
  expect_equal "$(in_root 'sinfo -h -N -p gpu -o %T')" $'idle\nidle'
  left=$(files_of_root | comm -13 "$BATS_FILE_TMPDIR/before" -)
  expect_equal "$(grep -v '^./etc/compute-scale\(/\|$\)' <<< "$left")" ''
  grep -qx 'seeds: \[7\]' "$ROOT/etc/compute-scale/site.yaml"
}

@test "purging takes the configuration, too" {
  in_root 'apt-get purge -y compute-scale'
  expect_equal "$(files_of_root | diff "$BATS_FILE_TMPDIR/before" -)" ''
  in_root 'dpkg --verify slurm-wlm-basic-plugins' | expect_equal "$(cat)" ''
}
