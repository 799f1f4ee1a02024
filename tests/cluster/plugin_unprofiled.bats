# Requests that no profile covers.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
}

# expect_held EXPECTED PATTERN OPTION...: what the job asks for, and the one line of sbatch.
expect_held() {
  local expected=$1 pattern=$2
  shift 2
  run --separate-stderr held_job "$@"
  if [[ $status != 0 || $output != *"$expected"* || ${#stderr_lines[@]} != 1 ]] ||
    ! grep -qE "$pattern" <<< "$stderr"; then
    printf '%s\nasks for %s\nsays %s\n' "$*" "$output" "$stderr"
    return 1
  fi
}

@test "keep leaves several GPUs and warns; it is the default" {
  expect_held TresPerNode=gres:gpu:4 'compute-scale: .*4' --compute-scale=0.5 --gres=gpu:4
  expect_held TresPerJob=gres:gpu:4 'compute-scale: .*4' --compute-scale=0.5 \
    --compute-unprofiled=keep --gpus=4
}

@test "scale multiplies and rounds up" {
  scale=(--compute-unprofiled=scale)
  expect_held TresPerNode=gres:gpu:2 'gpu 4 -> 2' --compute-scale=0.5 "${scale[@]}" --gres=gpu:4
  expect_held TresPerNode=gres:gpu:3 'gpu 5 -> 3' --compute-scale=0.5 "${scale[@]}" --gres=gpu:5
  expect_held TresPerNode=gres:gpu:1 'gpu 4 -> 1' --compute-scale=0.01 "${scale[@]}" --gres=gpu:4
  expect_held TresPerJob=gres:gpu:8 'gpu 4 -> 8' --compute-scale=2 "${scale[@]}" --gpus=4
}

@test "refuse refuses" {
  expect_refused '4' sbatch --compute-scale=0.5 --compute-unprofiled=refuse --gres=gpu:4 --wrap true
}

@test "a scaled job without an entry knows its scale" {
  report_script -- SLURM_COMPUTE_SCALE SLURM_COMPUTE_GPUS SLURM_COMPUTE_ENTRY > job.sh
  run_job --compute-scale=0.5 --compute-unprofiled=scale --gres=gpu:4 job.sh
  expect_equal "$job_output" \
    'batch gpus=2 SLURM_COMPUTE_SCALE=0.5 SLURM_COMPUTE_GPUS=2 SLURM_COMPUTE_ENTRY=unset
step gpus=2 SLURM_COMPUTE_SCALE=0.5 SLURM_COMPUTE_GPUS=2 SLURM_COMPUTE_ENTRY=unset'
}

@test "one GPU stays one GPU" {
  for policy in keep scale; do
    run --separate-stderr held_job --compute-scale=0.5 --compute-unprofiled=$policy --gres=gpu:1
    [[ $output == *TresPerNode=gres:gpu:1* ]]
  done
}

@test "one GPU becomes shards where the site has them" {
  sed 's/shards_per_gpu: null/shards_per_gpu: 4/' "$PRODUCT_DIR/configs/site.yaml" |
    sed "s|tasks_dir: .*|tasks_dir: $PRODUCT_DIR/tasks|" > shards.yaml
  export COMPUTE_SCALE_CONFIG=$work/shards.yaml
  expect_held TresPerNode=gres:shard:2 'shard' --compute-scale=0.5 --gres=gpu:1
  expect_held TresPerNode=gres:gpu:2 'gpu 4 -> 2' --compute-scale=0.5 --compute-unprofiled=scale \
    --gres=gpu:4
}

@test "without GPUs there is one notice and the job runs" {
  run_job --compute-scale=2 -n1 --wrap 'echo ran'
  expect_equal "$job_state $job_output" 'COMPLETED ran'
  expect_equal "$(wc -l <<< "$job_messages")" 1
  [[ $job_messages == 'sbatch: compute-scale: '* ]]
}

@test "a task without a profile block for the hardware stays, with a warning" {
  entry=cv-vae-loss/$(grep -oP '"label": "\K[^"]*' "$PRODUCT_DIR/tasks/cv-vae-loss/config.json" | head -n 1)
  compute=$(grep -oP '"compute": \K[0-9]+' "$PRODUCT_DIR/tasks/cv-vae-loss/config.json" | head -n 1)
  expect_held "TresPerNode=gres:gpu:$compute" 'cv-vae-loss.*h200' --compute-scale=0.5 \
    --compute-entry="$entry" --gres=gpu:"$compute"
  expect_refused cv-vae-loss sbatch --compute-scale=0.5 --compute-entry="$entry" \
    --compute-unprofiled=refuse --gres=gpu:"$compute" --wrap true
}
