# Numbers of tasks and other resources beside the GPUs.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
  half=(--compute-scale=0.5 --compute-unprofiled=scale)
  double=(--compute-scale=2 --compute-unprofiled=scale)
}

@test "one rank per GPU stays one rank per GPU" {
  cat > job.sh << END
#!/bin/bash
echo "batch \$SLURM_NTASKS \$SLURM_NPROCS \${SLURM_NTASKS_PER_NODE-unset} \$SLURM_TASKS_PER_NODE"
srun bash -c 'echo "rank \$SLURM_PROCID of \$SLURM_NTASKS: \$BATCH_SIZE"'
END
  local rows=(
    '--gres=gpu:4 --ntasks-per-node=4'
    '--gres=gpu:4 --ntasks-per-node=4 -N1'
    '--gres=gpu:4 --ntasks=4'
    '--gpus=4 --ntasks=4'
    '--gpus-per-task=1 --ntasks=4'
    '--gres=gpu:4 --ntasks=4 --ntasks-per-node=4'
  )
  for row in "${!rows[@]}"; do
    # shellcheck disable=SC2086
    start_job "$row" "${scaled[@]}" ${rows[row]} job.sh
  done
  for row in "${!rows[@]}"; do
    look_at_job "$row"
    per_node='unset'
    [[ ${rows[row]} == *ntasks-per-node* ]] && per_node=2
    {
      expect_equal "$(job_gpus "$job_id")" 2 &&
        expect_equal "$(head -n 1 <<< "$job_output")" "batch 2 2 $per_node 2" &&
        expect_equal "$(tail -n +2 <<< "$job_output" | sort)" $'rank 0 of 2: 64\nrank 1 of 2: 64'
    } || { echo "with: ${rows[row]}"; false; }
  done
}

@test "one rank per GPU in srun and salloc" {
  ranks=$'0 of 2\n1 of 2'
  show='echo "$SLURM_PROCID of $SLURM_NTASKS"'
  expect_equal "$(srun "${scaled[@]}" --gres=gpu:4 --ntasks-per-node=4 bash -c "$show" | sort)" "$ranks"
  expect_equal "$(srun "${scaled[@]}" --gpus-per-task=1 -n4 bash -c "$show" | sort)" "$ranks"
  expect_equal "$(salloc "${scaled[@]}" --gpus=4 -n4 srun bash -c "$show" | sort)" "$ranks"
}

@test "the large request of a real script" {
  run --separate-stderr held_job "${half[@]}" -N 64 -G 256 --gpus-per-node=4 --ntasks-per-node=4
  expect_equal "$output" \
    'NumNodes=64-64 NumTasks=128 TasksPerNode=2 TresPerJob=gres:gpu:128 TresPerNode=gres:gpu:2'
}

@test "other numbers of tasks stay, and the message says so" {
  run --separate-stderr held_job "${scaled[@]}" --gres=gpu:4 --ntasks=3
  [[ $output == *NumTasks=3*TresPerNode=gres:gpu:2* ]]
  [[ $stderr == *'ntasks 3 kept'* ]]
}

@test "other resources of the list stay letter for letter, in their place" {
  for list in gpu:4,vmem:10g vmem:10G,gpu:h200:4,tmpfs:1000G; do
    run --separate-stderr held_job "${scaled[@]}" --gres=$list
    expected=$(sed -E 's/(^|,)/\1gres:/g; s/:4/:2/' <<< "$list")
    [[ $output == *"TresPerNode=$expected"* ]]
  done
}

# --- several options at once ---

@test "several options are rewritten so that they agree again" {
  while IFS='|' read -r options expected; do
    # shellcheck disable=SC2086
    run --separate-stderr held_job "${double[@]}" $options
    [[ $output == *"$expected"* ]] || { echo "$options: $output, not $expected"; false; }
  done < <(
    echo '--gres=gpu:2 --gpus=2 --ntasks=1|TresPerJob=gres:gpu:4 TresPerNode=gres:gpu:4'
    echo '-N1 --gpus=2 --gpus-per-node=2|TresPerJob=gres:gpu:4 TresPerNode=gres:gpu:4'
    ! takes_gres_and_per_node || echo '--gres=gpu:2 --gpus-per-node=2|TresPerNode=gres:gpu:4'
  )
}

@test "options that contradict each other are refused with both numbers" {
  ! takes_gres_and_per_node || expect_refused 'gres.*2.*gpus-per-node.*4' \
    sbatch "${double[@]}" --gres=gpu:2 --gpus-per-node=4 --wrap true
  expect_refused 'gpus=2.*gpus-per-node=4|gpus-per-node=4.*gpus=2' \
    sbatch "${double[@]}" -N1 --gpus=2 --gpus-per-node=4 --wrap true
  expect_refused '4.*8|8.*4' sbatch "${scaled[@]}" --gres=gpu:4 --gpus=8 --wrap true
}

# --- what is no GPU ---

@test "shards are not GPUs" {
  run --separate-stderr held_job "${double[@]}" --gres=shard:2
  [[ $output == *TresPerNode=gres:shard:2* ]]
  expect_equal "$(grep -c compute-scale <<< "$stderr")" 1
}

@test "more GPUs than before" {
  run --separate-stderr held_job --compute-scale=2 --compute-unprofiled=scale --gres=gpu:2
  [[ $output == *TresPerNode=gres:gpu:4* ]]
}
