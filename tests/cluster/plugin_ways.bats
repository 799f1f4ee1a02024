# The same request in every way that Slurm has to make one: 4 GPUs become 2, and the entry's
# environment is in the batch script and in each step.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  seen='gpus=2 BATCH_SIZE=64 GRAD_ACCUM=8 SLURM_COMPUTE_GPUS=2'
  scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
  report_script -- BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS > job.sh
}

# expect_scaled NUMBER-OF-GPUS: of the last job.
expect_scaled() {
  expect_equal "$job_state" COMPLETED &&
    expect_equal "$(job_gpus "$job_id")" "$1" &&
    expect_line "$job_output" "batch $seen" &&
    expect_line "$job_output" "step $seen"
}

@test "sbatch with options, and what it says" {
  run_job "${scaled[@]}" --gres=gpu:4 job.sh
  expect_scaled 2
  expect_equal "$job_messages" "sbatch: compute-scale: llm-pretrain-loss/gpt-345m on h200 (0.5):\
 gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8"
  expect_equal "$(job_field "$job_id" TresPerNode)" gres:gpu:2
  expect_equal "$(job_field "$job_id" Comment | xargs)" "compute-scale:scale=0.5,hardware=h200,\
entry=llm-pretrain-loss/gpt-345m,base=4,gpus=2,env.BATCH_SIZE=64,env.GRAD_ACCUM=8"
}

@test "a comment of the user stays" {
  run_job "${scaled[@]}" --gres=gpu:4 --comment=mine job.sh
  expect_scaled 2
  expect_equal "$(job_field "$job_id" Comment | xargs)" mine
}

@test "sbatch with directives" {
  report_script --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:h200:4 \
    -- BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS > directives.sh
  run_job directives.sh
  expect_scaled 2
  expect_equal "$(job_field "$job_id" TresPerNode)" gres:gpu:h200:2
}

@test "each option that asks for GPUs, and several at once" {
  local rows=(
    '--gpus=4'
    '-G h200:4'
    '--gpus-per-node=4'
    '--gpus-per-task=4 --ntasks=1'
    '--gpus-per-socket=4 --sockets-per-node=1'
    '--gres=gpu:4 --gpus=4'
    '-N1 -G4 --gpus-per-node=4 --gpus-per-task=4 -n1'
    '--gres=gpu:2'
    ''
  )
  ! takes_gres_and_per_node || rows+=('--gres=gpu:4 --gpus-per-node=4')
  ! has_tres_per_task || rows+=('--tres-per-task=gres/gpu:4 -n1' '--tres-per-task=gres/gpu=4 -n1')
  for row in "${!rows[@]}"; do
    # shellcheck disable=SC2086
    start_job "$row" "${scaled[@]}" ${rows[row]} job.sh
  done
  for row in "${!rows[@]}"; do
    look_at_job "$row"
    expect_scaled 2 || { echo "with: ${rows[row]}"; false; }
  done
}

@test "over two nodes" {
  run_job "${scaled[@]}" -N2 --gpus-per-node=2 --wrap \
    "srun -N2 --ntasks-per-node=1 $work/report step BATCH_SIZE SLURM_COMPUTE_GPUS"
  expect_equal "$(job_gpus "$job_id")" 2
  expect_equal "$job_output" "step gpus=1 BATCH_SIZE=64 SLURM_COMPUTE_GPUS=1
step gpus=1 BATCH_SIZE=64 SLURM_COMPUTE_GPUS=1"
}

@test "the request and the options from the environment" {
  SBATCH_GRES=gpu:4 start_job gres "${scaled[@]}" job.sh
  SBATCH_GPUS=4 SBATCH_COMPUTE_SCALE=0.5 SBATCH_COMPUTE_ENTRY=llm-pretrain-loss/gpt-345m \
    start_job all job.sh
  for job in gres all; do
    look_at_job $job
    expect_scaled 2
  done
}

@test "--export=NONE, --export=NAME and --export-file" {
  printf 'BATCH_SIZE=9\0' > variables
  start_job none "${scaled[@]}" --gres=gpu:4 --export=NONE job.sh
  start_job name "${scaled[@]}" --gres=gpu:4 --export=HOME job.sh
  start_job file "${scaled[@]}" --gres=gpu:4 --export-file=variables job.sh
  for job in none name file; do
    look_at_job $job
    expect_scaled 2 || { echo "--export $job"; false; }
  done
}

@test "a variable of the submitting shell gives way to the entry's" {
  BATCH_SIZE=9 start_job shell "${scaled[@]}" --gres=gpu:4 job.sh
  start_job option "${scaled[@]}" --gres=gpu:4 --export=ALL,BATCH_SIZE=9 job.sh
  for job in shell option; do
    look_at_job $job
    expect_scaled 2
  done
}

@test "a job array" {
  run_job "${scaled[@]}" --gres=gpu:4 --array=0-2 job.sh
  expect_equal "$(job_gpus "$job_id")" $'2\n2\n2'
  expect_equal "$(grep -cx "batch $seen" <<< "$job_output")" 3
  expect_equal "$(grep -cx "step $seen" <<< "$job_output")" 3
}

@test "salloc, and the program that it starts" {
  run --separate-stderr salloc "${scaled[@]}" --gres=gpu:4 bash -c \
    "srun -n1 $work/report step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS
     $work/report here BATCH_SIZE GRAD_ACCUM"
  expect_equal "$output" "step $seen
here gpus=0 BATCH_SIZE=64 GRAD_ACCUM=8"
  [[ $stderr == *'salloc: compute-scale: llm-pretrain-loss/gpt-345m on h200 (0.5): gpu 4 -> 2,'* ]]
}

@test "srun that makes its own allocation" {
  run --separate-stderr srun "${scaled[@]}" --gres=gpu:4 \
    "$work/report" step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS
  expect_equal "$output" "step $seen"
  [[ $stderr == *'srun: compute-scale: llm-pretrain-loss/gpt-345m on h200 (0.5): gpu 4 -> 2,'* ]]
  run --separate-stderr srun --export=NONE "${scaled[@]}" --gpus=4 \
    "$work/report" step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS
  expect_equal "$output" "step $seen"
}

@test "as a normal user" {
  run_job_as_user "${scaled[@]}" --gres=gpu:4 job.sh
  expect_scaled 2
  run --separate-stderr as_user salloc "${scaled[@]}" --gres=gpu:4 \
    srun -n1 "$work/report" step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS
  expect_equal "$output" "step $seen"
  run --separate-stderr as_user srun "${scaled[@]}" --gres=gpu:4 \
    "$work/report" step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_GPUS
  expect_equal "$output" "step $seen"
}

@test "a user's own config and tasks lie over the site's" {
  mkdir -p mine/tiny/scripts
  echo 'echo hello' > mine/tiny/scripts/run.sh
  cat > mine/tiny/config.json << 'END'
{"test_cmds": [{"cmd": "scripts/run.sh", "label": "run", "compute": 8,
                "h200": {"compute": 2, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}}}]}
END
  echo "tasks_dir: mine" > mine.yaml
  COMPUTE_SCALE_CONFIG=$work/mine.yaml run_job --compute-scale=h200 --compute-entry=tiny \
    --gres=gpu:8 job.sh
  expect_scaled 2
}
