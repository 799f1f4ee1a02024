# The soak itself, short; make soak is the long one.

load ../cluster/helpers

# run_soak PLUGSTACK-LINE: 20 jobs and 50 steps.
run_soak() {
  echo "$1" > "$BATS_TEST_TMPDIR/plugstack.conf"
  chmod 755 "$BATS_TEST_TMPDIR"
  run env JOBS=20 STEPS=50 SOAK_POLL=0.2 SOAK_SECONDS=120 "$cluster_command" run "$BATS_TEST_TMPDIR/cluster" \
    --plugstack "$BATS_TEST_TMPDIR/plugstack.conf" -- "$repo/tests/soak/soak"
}

the_plugin() {
  echo "optional $built/spank_compute_scale.so config=${1:-$repo/configs/site.yaml} library=$built/libcompute-scale.so"
}

@test "twenty jobs and fifty steps: all of them right, no node drained, nothing grows" {
  run_soak "$(the_plugin)"
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  grep -qE '^steps that ran +50$' <<< "$output"
  grep -qE '^scripts and steps that saw others +0$' <<< "$output"
}

@test "a wrong environment is seen" {
  cp -r "$repo/tasks" "$repo/configs" "$BATS_TEST_TMPDIR"
  sed -i 's/"BATCH_SIZE": "64"/"BATCH_SIZE": "63"/' "$BATS_TEST_TMPDIR/tasks/llm-pretrain-loss/config.json"
  run_soak "$(the_plugin "$BATS_TEST_TMPDIR/configs/site.yaml")"
  [ "$status" -eq 1 ]
  grep -qE '^scripts and steps that saw others +[1-9]' <<< "$output"
  grep -qE '^jobs with another GPU count +0$' <<< "$output"
}
