# In a scaled job nothing is scaled a second time.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
  names='BATCH_SIZE SLURM_COMPUTE_SCALE SLURM_COMPUTE_GPUS'
  seen='gpus=2 BATCH_SIZE=64 SLURM_COMPUTE_SCALE=0.5 SLURM_COMPUTE_GPUS=2'
}

@test "steps of a scaled job" {
  cat > job.sh << END
#!/bin/bash
srun -n1 $work/report plain $names
srun -n1 --gres=gpu:4 $work/report base $names
srun -n1 --gres=gpu:2 $work/report profile $names
srun -n1 --gpus=4 $work/report gpus $names
srun -n1 --gres=gpu:1 $work/report one $names
srun -n1 ${scaled[*]} $work/report named $names
srun -n1 ${scaled[*]} --gres=gpu:4 $work/report named-base $names
srun -n1 --mem=100 bash -c 'srun -n1 --mem=100 --overlap $work/report nested $names'
END
  start_job gres "${scaled[@]}" --gres=gpu:4 job.sh
  start_job gpus "${scaled[@]}" --gpus=4 job.sh
  sed 's/--gres=gpu:/--gpus-per-node=/' job.sh > per-node.sh
  start_job node "${scaled[@]}" --gpus-per-node=4 per-node.sh
  jobs=(gres gpus node)
  if takes_gres_and_per_node; then
    start_job mixed "${scaled[@]}" --gpus-per-node=4 job.sh
    jobs+=(mixed)
  fi
  for job in "${jobs[@]}"; do
    look_at_job "$job"
    for step in plain base profile gpus named named-base nested; do
      expect_line "$job_output" "$step $seen" || { echo "in $job"; false; }
    done
    expect_line "$job_output" "one ${seen//=2/=1}"
  done
}

@test "steps of a job that was scaled without an entry" {
  cat > job.sh << END
#!/bin/bash
srun -n1 $work/report plain SLURM_COMPUTE_GPUS
srun -n1 --gres=gpu:4 $work/report base SLURM_COMPUTE_GPUS
srun -n1 --gres=gpu:1 $work/report one SLURM_COMPUTE_GPUS
END
  run_job --compute-scale=0.5 --compute-unprofiled=scale --gres=gpu:4 job.sh
  for line in 'plain gpus=2 SLURM_COMPUTE_GPUS=2' 'base gpus=2 SLURM_COMPUTE_GPUS=2' \
    'one gpus=1 SLURM_COMPUTE_GPUS=1'; do
    expect_line "$job_output" "$line"
  done
}

@test "srun under salloc" {
  run --separate-stderr salloc "${scaled[@]}" --gpus=4 bash -c \
    "srun -n1 $work/report plain $names; srun -n1 --gpus=4 $work/report base $names"
  expect_equal "$output" "plain $seen"$'\n'"base $seen"
}

@test "a job that is submitted from a scaled job" {
  # shellcheck disable=SC2086
  report_script -- $names > inner.sh
  cat > outer.sh << END
#!/bin/bash
sbatch -W -o inner-plain.out --gres=gpu:4 inner.sh
sbatch -W -o inner-named.out ${scaled[*]} --gres=gpu:4 inner.sh
salloc --gres=gpu:4 srun -n1 $work/report salloc $names
env -u SLURM_JOB_ID srun --gres=gpu:4 -n1 $work/report srun $names
END
  BATCH_SIZE=7 run_job "${scaled[@]}" --gres=gpu:4 outer.sh
  unscaled='gpus=4 BATCH_SIZE=7 SLURM_COMPUTE_SCALE=unset SLURM_COMPUTE_GPUS=unset'
  expect_equal "$(cat inner-plain.out)" "batch $unscaled"$'\n'"step $unscaled"
  expect_equal "$(cat inner-named.out)" "batch $seen"$'\n'"step $seen"
  expect_line "$job_output" "salloc $unscaled"
  expect_line "$job_output" "srun $unscaled"
}

@test "nothing of the options stays in the job's environment" {
  cat > job.sh << 'END'
#!/bin/bash
env -0 | grep -zE '^_?(SLURM_)?(SPANK|.*COMPUTE_SCALE_OPTION)' | tr '\0' '\n'
srun -n1 env -0 | grep -zE '^_?(SLURM_)?SPANK' | tr '\0' '\n'
echo end
END
  SBATCH_COMPUTE_UNPROFILED=keep start_job all "${scaled[@]}" --gres=gpu:4 job.sh
  SBATCH_COMPUTE_SCALE=1.0 start_job one job.sh
  for job in all one; do
    look_at_job $job
    expect_equal "$job_output" end
  done
}

@test "a plugin that is loaded by two lines scales once" {
  cp "$PRODUCT_DIR/build/release/spank_compute_scale.so" copy.so
  line=$(plugin_line)
  for second in "$line" "${line/$PRODUCT_DIR\/build\/release\/spank_compute_scale.so/$work/copy.so}"; do
    printf '%s\n%s\n' "$line" "$second" | set_plugstack
    run --separate-stderr held_job --compute-scale=0.5 --compute-unprofiled=scale --gres=gpu:4
    [[ $output == *TresPerNode=gres:gpu:2* ]]
    SBATCH_COMPUTE_SCALE=0.5 run --separate-stderr held_job --compute-unprofiled=scale --gres=gpu:4
    [[ $output == *TresPerNode=gres:gpu:2* ]]
    run_job "${scaled[@]}" --gres=gpu:4 --wrap "$work/report batch $names; srun $work/report step $names"
    # Slurm itself says that the options are provided twice.
    expect_equal "$(grep -v ' spank: ' <<< "$job_output")" "batch $seen"$'\n'"step $seen"
  done
  load_plugin
}
