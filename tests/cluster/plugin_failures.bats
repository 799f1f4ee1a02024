# When something of ours is broken: jobs that do not use the options run, the others are refused or
# fail with one line; the nodes stay in service.

load helpers
load plugin_helpers

setup() {
  enter_plugin_test
  entry=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
}

# Also after a test that failed.
teardown() {
  # Read before the next test can repair it.
  states=$(node_states)
  expect_none 'drain|down|fail' <<< "$states"
}

# plugstack_line POLICY ARGUMENT...
plugstack_line() {
  echo "$1 $PRODUCT_DIR/build/release/spank_compute_scale.so ${*:2}"
}

plugstack() {
  plugstack_line "$@" | set_plugstack
}

# For the daemons as well.
plugstack_everywhere() {
  plugstack_line "$@" | "$cluster_command" plugstack "$CLUSTER_DIR" -
}

library() {
  echo "library=$PRODUCT_DIR/build/release/$1"
}

# Jobs, steps and allocations without our options run as if the plugin were not there.
expect_undisturbed() {
  run --separate-stderr srun --gres=gpu:2 "$work/report" srun BATCH_SIZE
  expect_equal "$output$stderr" 'srun gpus=2 BATCH_SIZE=unset'
  run --separate-stderr salloc -Q --gres=gpu:2 srun "$work/report" salloc BATCH_SIZE
  expect_equal "$output$stderr" 'salloc gpus=2 BATCH_SIZE=unset'
  report_script -- BATCH_SIZE > job.sh
  run_job --gres=gpu:2 job.sh
  expect_equal "$job_messages$job_output" $'batch gpus=2 BATCH_SIZE=unset\nstep gpus=2 BATCH_SIZE=unset'
}

expect_all_refused() {
  for command in 'sbatch --wrap true' 'salloc true' 'srun true'; do
    # shellcheck disable=SC2086
    set -- "$1" $command
    expect_refused "$1" "$2" "${entry[@]}" --gres=gpu:4 "${@:3}"
  done
}

@test "a broken or missing site config, with optional and with required" {
  printf 'hardware: [\n' > broken.yaml
  plugstack optional config="$work/broken.yaml" "$(library libcompute-scale.so)"
  expect_undisturbed
  expect_all_refused broken.yaml
  plugstack required config="$work/absent.yaml" "$(library libcompute-scale.so)"
  expect_undisturbed
  expect_all_refused absent.yaml
}

@test "a missing library" {
  plugstack required config="$PRODUCT_DIR/configs/site.yaml" "$(library absent.so)"
  expect_undisturbed
  expect_all_refused absent.so
}

@test "a plugstack line without arguments, and with nonsense" {
  plugstack_everywhere optional
  expect_undisturbed
  plugstack_everywhere required nonsense config=relative.yaml
  expect_undisturbed
  run sbatch "${entry[@]}" --wrap true
  [ "$status" -eq 1 ]
  [[ ${lines[0]} == *"'config=relative.yaml' of the plugstack line is ignored"* ]]
}

@test "a library that throws, aborts or crashes" {
  cp "$built/fake-library.so" "$PRODUCT_DIR/build/release/"
  chmod a+r "$PRODUCT_DIR/build/release/fake-library.so"
  for policy in optional required; do
    plugstack $policy config=/nowhere "$(library fake-library.so)"
    for fault in throw abort crash; do
      for command in 'sbatch --wrap true' 'salloc true' 'srun true'; do
        before=$(count_jobs)
        # shellcheck disable=SC2086
        FAKE_LIBRARY_FAULT=$fault run ${command/ / --compute-scale=0.5 }
        expect_equal "$status" 1
        expect_line "$output" \
          "${command%% *}: error: compute-scale: the library failed; nothing was submitted"
        expect_equal "$(count_jobs)" "$before"
      done
    done
  done
  expect_undisturbed
}

@test "a payload that cannot be used fails the job and nothing else" {
  for policy in optional required; do
    load_plugin $policy
    report_script -- BATCH_SIZE > job.sh
    run_job --export=ALL,SLURM_COMPUTE_SCALE_PAYLOAD=nonsense job.sh
    expect_equal "$job_state" FAILED
    expect_equal "$(job_field "$job_id" ExitCode)" 1:0
    expect_equal "$(grep -c 'compute-scale: SLURM_COMPUTE_SCALE_PAYLOAD cannot be used' \
      <<< "$job_output")" 1
    run srun --export=ALL,SLURM_COMPUTE_SCALE_PAYLOAD='1;env.LD_PRELOAD=/x.so' echo ran
    [ "$status" -eq 1 ]
    [[ $output != *ran* ]]
    [[ $output == *'it sets a variable that an entry may not set'* ]]
    as_user srun true
  done
}

@test "an option that is injected on the way to the node changes nothing" {
  load_plugin required
  leaked=SLURM_SPANK__SLURM_SPANK_OPTION_compute_scale_compute_scale
  variables=("$leaked" "${leaked#SLURM_SPANK_}" "SPANK_${leaked#SLURM_SPANK_}")
  for variable in "${variables[@]}"; do
    start_job "$variable" --export=ALL,"$variable=2x" --wrap "$work/report batch BATCH_SIZE"
    run --separate-stderr srun --export=ALL,"$variable=2x" "$work/report" step BATCH_SIZE
    expect_equal "$output" 'step gpus=0 BATCH_SIZE=unset'
  done
  for variable in "${variables[@]}"; do
    look_at_job "$variable"
    expect_equal "$job_output" 'batch gpus=0 BATCH_SIZE=unset'
  done
}

@test "long values are named, not tripped over" {
  load_plugin
  long=$(printf '%0120000d' 0)
  for option in compute-scale compute-entry compute-unprofiled; do
    expect_refused "$option" sbatch --compute-scale=0.5 "--$option=$long" --wrap true
  done
}
