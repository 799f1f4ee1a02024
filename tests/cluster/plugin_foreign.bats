# A plugin that was built for another release of Slurm. Slurm itself refuses it and names the file, in one
# line or two; with `optional` every command, job and node goes on as without it.
#
# make test-matrix gives the plugins of its other releases in the folder $FOREIGN_PLUGINS; without
# them, copies of this one that claim to be others do.

load helpers
load plugin_helpers

setup_file() {
  export foreign=${FOREIGN_PLUGINS:-$CLUSTER_DIR/work/foreign}
  [[ -n ${FOREIGN_PLUGINS-} ]] || make_foreign_plugins
}

setup() {
  enter_plugin_test
}

teardown_file() {
  use_no_plugin
}

# What a plugin of 20.11 and one of 99.5 say they are.
make_foreign_plugins() {
  mkdir "$foreign"
  claim_release "$foreign/older.so" '\x00\x0b\x14\x00'
  claim_release "$foreign/newer.so" '\x00\x05\x63\x00'
}

# claim_release FILE NUMBER: a copy of the plugin whose plugin_version is the number, four bytes.
claim_release() {
  local offset
  cp "$PRODUCT_DIR/build/release/spank_compute_scale.so" "$1"
  # .rodata is mapped where it lies in the file.
  offset=$((0x$(nm -D "$1" | awk '$3 == "plugin_version" {print $1}')))
  printf '%b' "$2" | dd of="$1" bs=1 seek="$offset" conv=notrunc status=none
}

# expect_named COMMAND PLUGIN TEXT: one line or two of TEXT, which COMMAND wrote, say why PLUGIN is not
# loaded: its release, or a libc that the other Debian does not have. No other line is an error.
expect_named() {
  local lines
  lines=$(grep -F "$2" <<< "$3")
  grep -qE "Incompatible Slurm plugin|version .GLIBC_[0-9.]+' not found" <<< "$lines"
  (($(wc -l <<< "$lines") <= 2))
  expect_none "^$1: (error|fatal)" <<< "${3//"$lines"/}"
}

@test "it is named, and jobs go on" {
  for plugin in "$foreign"/*.so; do
    echo "with $plugin"
    "$cluster_command" plugstack "$CLUSTER_DIR" - <<< "optional $plugin"
    run_job --gres=gpu:2 --wrap "$work/report batch; srun $work/report step 2> $work/srun.err"
    expect_equal "$job_state $job_output" $'COMPLETED batch gpus=2\nstep gpus=2'
    expect_named sbatch "$plugin" "$job_messages"
    expect_named srun "$plugin" "$(cat srun.err)"
    run --separate-stderr salloc --gres=gpu:2 true
    expect_equal "$status" 0
    expect_named salloc "$plugin" "$stderr"
    expect_none 'drain|down|fail' <<< "$(node_states)"
  done
}

@test "the options are unknown then, and nothing is submitted" {
  for plugin in "$foreign"/*.so; do
    set_plugstack <<< "optional $plugin"
    for command in 'sbatch --wrap true' 'salloc true' 'srun true'; do
      before=$(count_jobs)
      # shellcheck disable=SC2086
      run ${command/ / --compute-scale=0.5 }
      [ "$status" -ne 0 ]
      [[ $output == *"unrecognized option '--compute-scale=0.5'"* ]]
      expect_equal "$(count_jobs)" "$before"
    done
  done
}
