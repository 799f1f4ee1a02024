# GPUs per task, in every option that says them: Slurm derives some from others before the plugin is
# asked (tres-per-task and tres-bind from gpus-per-task), and all have to agree afterwards.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
}

# ranks ROW...: a job with the options of each row has two GPUs and two tasks, and each of its ranks has
# one device.
ranks() {
  local rows=("$@") row
  for row in "${!rows[@]}"; do
    # shellcheck disable=SC2086
    start_job "$row" "${scaled[@]}" ${rows[row]} --wrap \
      "$work/report batch SLURM_NTASKS BATCH_SIZE; srun $work/report step SLURM_NTASKS BATCH_SIZE" ||
      return
  done
  for row in "${!rows[@]}"; do
    look_at_job "$row"
    expect_ranks || { echo "with: ${rows[row]}"; return 1; }
  done
}

expect_ranks() {
  expect_equal "$job_state $(job_gpus "$job_id")" 'COMPLETED 2' &&
    expect_equal "$job_output" "batch gpus=2 SLURM_NTASKS=2 BATCH_SIZE=64
step gpus=1 SLURM_NTASKS=2 BATCH_SIZE=64
step gpus=1 SLURM_NTASKS=2 BATCH_SIZE=64"
}

@test "one GPU per task, and half as many tasks" {
  ranks '--gpus-per-task=1 -n4' '--gres=gpu:4 --gpus-per-task=1 -n4' \
    '-n4 --gpus-per-task=1 --gpu-bind=per_task:1' '--gres=gpu:4 --ntasks-per-gpu=1' \
    '--gpus=4 --ntasks-per-gpu=1'
}

@test "two GPUs per task, and the tasks keep their number" {
  ranks '--gpus-per-task=2 -n2'
}

@test "the same by --tres-per-task and --tres-bind" {
  has_tres_per_task || skip 'this Slurm has neither'
  # Slurm 22.05 itself gives the ranks of the last one no device.
  ranks '--tres-per-task=gres/gpu:2 -n2' '--tres-per-task=gres/gpu=2 -n2' \
    '--tres-per-task=cpu:2,gres/gpu:1 -n4' '-n4 --gpus-per-task=1 --tres-bind=gres/gpu:per_task:1' \
    '--gpus-per-task=h200:1 -n4'
}

@test "what the job asks for agrees" {
  run --separate-stderr held_job "${scaled[@]}" --gpus-per-task=2 -n2
  [[ $output == *NumTasks=2*TresPerTask=gres[:/]gpu[:=]1 ]]
}

@test "srun and salloc" {
  expect_equal "$(srun "${scaled[@]}" --gpus-per-task=2 -n2 "$work/report" step BATCH_SIZE)" \
    $'step gpus=1 BATCH_SIZE=64\nstep gpus=1 BATCH_SIZE=64'
  expect_equal "$(salloc -Q "${scaled[@]}" --gpus-per-task=2 -n2 srun "$work/report" step BATCH_SIZE)" \
    $'step gpus=1 BATCH_SIZE=64\nstep gpus=1 BATCH_SIZE=64'
}
