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

# expect_ranks DEVICES OPTION...: the job of two tasks has two GPUs, and each of its ranks this many.
expect_ranks() {
  local devices=$1 name="$*"
  look_at_job "$name" || return
  {
    expect_equal "$job_state $(job_gpus "$job_id")" 'COMPLETED 2' &&
      expect_equal "$job_output" "batch gpus=2 SLURM_NTASKS=2 BATCH_SIZE=64
step gpus=$devices SLURM_NTASKS=2 BATCH_SIZE=64
step gpus=$devices SLURM_NTASKS=2 BATCH_SIZE=64"
  } || { echo "with: $name"; return 1; }
}

# ranks DEVICES ROW...: starts a job with the options of each row, and looks at them all.
ranks() {
  local devices=$1 row
  shift
  for row in "$@"; do
    # shellcheck disable=SC2086
    start_job "$devices $row" "${scaled[@]}" $row --wrap \
      "$work/report batch SLURM_NTASKS BATCH_SIZE; srun $work/report step SLURM_NTASKS BATCH_SIZE"
  done
  for row in "$@"; do
    expect_ranks "$devices" "$row" || return
  done
}

@test "one GPU per task, and half as many tasks" {
  ranks 1 '--gpus-per-task=1 -n4' '--gres=gpu:4 --gpus-per-task=1 -n4' \
    '-n4 --gpus-per-task=1 --gpu-bind=per_task:1' '--gres=gpu:4 --ntasks-per-gpu=1' \
    '--gpus=4 --ntasks-per-gpu=1'
}

@test "two GPUs per task, and the tasks keep their number" {
  ranks 1 '--gpus-per-task=2 -n2'
}

@test "the same by --tres-per-task and --tres-bind" {
  has_tres_per_task || skip 'this Slurm has neither'
  ranks 1 '--tres-per-task=gres/gpu:2 -n2' '--tres-per-task=gres/gpu=2 -n2' \
    '--tres-per-task=cpu:2,gres/gpu:1 -n4' '-n4 --gpus-per-task=1 --tres-bind=gres/gpu:per_task:1'
  # Slurm 22.05 itself gives the ranks of such a job no GPU.
  ranks 1 '--gpus-per-task=h200:1 -n4' '--tres-per-task=gres/gpu:h200:2 -n2'
}

@test "what the job asks for agrees" {
  run --separate-stderr held_job "${scaled[@]}" --gpus-per-task=2 -n2
  # 22.05 shows no GPUs per task where they are derived.
  [[ $output == *NumTasks=2*TresPerTask=gres[:/]gpu[:=]1 ]]
}

@test "srun and salloc" {
  expect_equal "$(srun "${scaled[@]}" --gpus-per-task=2 -n2 "$work/report" step BATCH_SIZE)" \
    $'step gpus=1 BATCH_SIZE=64\nstep gpus=1 BATCH_SIZE=64'
  expect_equal "$(salloc -Q "${scaled[@]}" --gpus-per-task=2 -n2 srun "$work/report" step BATCH_SIZE)" \
    $'step gpus=1 BATCH_SIZE=64\nstep gpus=1 BATCH_SIZE=64'
}
