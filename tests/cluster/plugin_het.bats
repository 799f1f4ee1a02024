# Het jobs: the first component carries an entry's environment; the others never see it.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
  names='BATCH_SIZE SLURM_COMPUTE_SCALE SLURM_COMPUTE_GPUS SLURM_NTASKS'
  yes='gpus=2 BATCH_SIZE=64 SLURM_COMPUTE_SCALE=0.5 SLURM_COMPUTE_GPUS=2'
  no='BATCH_SIZE=7 SLURM_COMPUTE_SCALE=unset SLURM_COMPUTE_GPUS=unset'
}

@test "the first component is scaled, the second one is not" {
  cat > job.sh << END
#!/bin/bash
$work/report batch ${names/SLURM_NTASKS/SLURM_NTASKS_HET_GROUP_0}
srun $work/report zero $names
srun --het-group=1 $work/report one $names
srun --het-group=0,1 -n1 $work/report both $names
srun --het-group=1 -n1 ${scaled[*]} --gres=gpu:4 $work/report named $names
srun --het-group=1 -n1 --gres=gpu:4 $work/report typed $names
END
  BATCH_SIZE=7 run_job "${scaled[@]}" --gres=gpu:4 --ntasks=4 : --gres=gpu:4 -n1 job.sh
  expect_equal "$(job_gpus "$job_id" | sort)" $'2\n4'
  for line in "batch $yes SLURM_NTASKS_HET_GROUP_0=2" "zero $yes SLURM_NTASKS=2" \
    "one gpus=4 $no SLURM_NTASKS=1" "named $yes SLURM_NTASKS=1" "typed gpus=4 $no SLURM_NTASKS=1"; do
    expect_line "$job_output" "$line"
  done
  grep -qE "^both $yes " <<< "$job_output"
  grep -qE "^both gpus=4 $no " <<< "$job_output"
  expect_equal "$(grep -c '^zero ' <<< "$job_output")" 2
}

@test "by directives" {
  report_script "${scaled[@]}" --gres=gpu:4 hetjob --gres=gpu:1 -- BATCH_SIZE > job.sh
  run_job job.sh
  expect_equal "$(job_gpus "$job_id" | sort)" $'1\n2'
  expect_line "$job_output" 'batch gpus=2 BATCH_SIZE=64'
}

@test "a later component is scaled without an entry" {
  cat > job.sh << END
#!/bin/bash
$work/report batch BATCH_SIZE SLURM_COMPUTE_SCALE
srun --het-group=1 $work/report one BATCH_SIZE
END
  run_job --gres=gpu:4 : --compute-scale=0.5 --compute-unprofiled=scale --gres=gpu:4 job.sh
  expect_equal "$(job_gpus "$job_id" | sort)" $'2\n4'
  expect_equal "$job_output" $'batch gpus=4 BATCH_SIZE=unset SLURM_COMPUTE_SCALE=unset
one gpus=2 BATCH_SIZE=unset'
}

@test "a twin holds for every component" {
  export SBATCH_COMPUTE_SCALE=0.5 SBATCH_COMPUTE_UNPROFILED=scale
  # Three components would need three nodes to run.
  id=$(sbatch --parsable --hold --gres=gpu:4 : --gres=gpu:8 : --compute-scale=0.25 --gres=gpu:8 \
    --wrap true)
  expect_equal "$(job_field "$id" TresPerNode)" $'gres:gpu:2\ngres:gpu:4\ngres:gpu:2'
  scancel "$id"
}

@test "in salloc and in one srun of two components" {
  run --separate-stderr salloc "${scaled[@]}" --gres=gpu:4 : --gres=gpu:1 bash -c \
    "srun $work/report zero BATCH_SIZE; srun --het-group=1 $work/report one BATCH_SIZE"
  expect_equal "$output" $'zero gpus=2 BATCH_SIZE=64\none gpus=1 BATCH_SIZE=unset'
  run --separate-stderr srun "${scaled[@]}" --gres=gpu:4 "$work/report" zero BATCH_SIZE : \
    --gres=gpu:1 "$work/report" one BATCH_SIZE
  expect_equal "$(sort <<< "$output")" $'one gpus=1 BATCH_SIZE=unset\nzero gpus=2 BATCH_SIZE=64'
  run srun "${scaled[@]}" --gres=gpu:4 true : "${scaled[@]}" --gres=gpu:4 true
  [ "$status" -eq 1 ]
  [[ ${lines[-1]} == *'one srun carries one entry'* ]]
}
