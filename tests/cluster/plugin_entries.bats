# What an entry brings to the job: each task's own environment, exactly, and no other's.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
}

# A folder of tasks of this test and a config that names it.
own_tasks() {
  echo "tasks_dir: $work/tasks" > "$work/own.yaml"
  export COMPUTE_SCALE_CONFIG=$work/own.yaml
}

# own_task NAME TEST-CMDS
own_task() {
  mkdir -p "$work/tasks/$1/scripts"
  echo 'true' > "$work/tasks/$1/scripts/run.sh"
  echo "{\"test_cmds\": $2}" > "$work/tasks/$1/config.json"
}

@test "all four llm-rl tasks train on one GPU" {
  tasks=(llm-rl-advantage llm-rl-importance-sampling llm-rl-kl-estimator
    llm-rl-reward-normalization)
  report_script -- TP_SIZE MAX_TOKEN_LEN_PER_GPU GPU_MEM_UTIL SLURM_COMPUTE_GPUS > job.sh
  seen='gpus=1 TP_SIZE=1 MAX_TOKEN_LEN_PER_GPU=20480 GPU_MEM_UTIL=0.5 SLURM_COMPUTE_GPUS=1'
  for task in "${tasks[@]}"; do
    label=$(grep -oP '"label": "\K[^"]*' "$PRODUCT_DIR/tasks/$task/config.json" | head -n 1)
    start_job "$task" --compute-scale=0.5 --compute-entry="$task/$label" --gres=gpu:2 job.sh
  done
  for task in "${tasks[@]}"; do
    look_at_job "$task"
    expect_equal "$(job_gpus "$job_id")" 1
    expect_line "$job_output" "batch $seen"
    expect_line "$job_output" "step $seen"
  done
}

@test "every pretrain task gets its profile" {
  for config in "$PRODUCT_DIR"/tasks/llm-pretrain-*/config.json; do
    task=$(basename "$(dirname "$config")")
    label=$(grep -oP '"label": "\K[^"]*' "$config" | head -n 1)
    values=$(tr -d ' \n' < "$config" | grep -oP '"h200":\{"compute":2(\.0)?,"env":\{\K[^}]*' | head -n 1)
    run --separate-stderr held_job --compute-scale=0.5 --compute-entry="$task/$label" --gres=gpu:4
    [[ $output == *TresPerNode=gres:gpu:2* ]]
    [[ $stderr == *"gpu 4 -> 2, $(tr -d '"' <<< "${values//,/ }" | tr : =)"* ]]
  done
}

@test "several entries in one job: each step has its own entry's environment, and no other's" {
  own_tasks
  own_task a '[{"cmd": "scripts/run.sh", "label": "x", "compute": 4,
    "h200": {"compute": 2, "env": {"COMMON": "a", "ONLY_A": "1"}}}]'
  own_task b '[{"cmd": "scripts/run.sh", "label": "y", "compute": 4,
    "h200": {"compute": 2, "env": {"COMMON": "b", "ONLY_B": "2"}}}]'
  names='COMMON ONLY_A ONLY_B APPTAINERENV_ONLY_A SLURM_COMPUTE_ENTRY'
  cat > job.sh << END
#!/bin/bash
$work/report batch $names
srun -n1 $work/report plain $names
srun -n1 --compute-entry=b/y $work/report b $names
srun -n1 --compute-entry=a/x $work/report a $names
srun -n1 --mem=100 --compute-entry=b/y srun -n1 --mem=100 --overlap $work/report inside-b $names
srun -n1 $work/report again $names
END
  COMMON=user start_job of-a --compute-scale=0.5 --compute-entry=a/x --gres=gpu:4 job.sh
  COMMON=user start_job of-none --gres=gpu:2 --export=ALL,SLURM_COMPUTE_SCALE=0.5 job.sh
  look_at_job of-a
  a='gpus=2 COMMON=a ONLY_A=1 ONLY_B=unset APPTAINERENV_ONLY_A=1 SLURM_COMPUTE_ENTRY=a/x'
  b='gpus=2 COMMON=b ONLY_A=unset ONLY_B=2 APPTAINERENV_ONLY_A=unset SLURM_COMPUTE_ENTRY=b/y'
  none='gpus=2 COMMON=user ONLY_A=unset ONLY_B=unset APPTAINERENV_ONLY_A=unset'
  for line in "batch $a" "plain $a" "a $a" "again $a" "b $b" "inside-b $b"; do
    expect_line "$job_output" "$line"
  done
  look_at_job of-none
  for line in "batch $none SLURM_COMPUTE_ENTRY=unset" "a $a" "b $b" "inside-b $b"; do
    expect_line "$job_output" "$line"
  done
}

@test "an entry of a step at scale 1 has the environment of before" {
  cat > job.sh << END
#!/bin/bash
srun -n1 --compute-scale=1 $work/report step BATCH_SIZE GRAD_ACCUM SLURM_COMPUTE_SCALE
END
  BATCH_SIZE=7 run_job --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m job.sh
  expect_line "$job_output" 'step gpus=2 BATCH_SIZE=7 GRAD_ACCUM=unset SLURM_COMPUTE_SCALE=unset'
}

# od shows what report's lines could not: line breaks, quotes, bytes that are no text.
show_bytes() {
  echo "env -0 | grep -zE '^(APPTAINERENV_|SINGULARITYENV_)?V[0-9]=' | sort -z | od -An -c"
}

@test "values arrive byte for byte" {
  own_tasks
  # shellcheck disable=SC1003
  own_task odd '[{"cmd": "scripts/run.sh", "label": "x", "compute": 2, "h200": {"compute": 1, "env": {
    "V1": "a,b", "V2": "\"x\" '"'y'"'", "V3": "one\ntwo\n", "V4": "k=v=", "V5": "",
    "V6": "\u00e9\u2603\ud83d\ude00", "V7": "$(date) `id` ${HOME} \\ %41 ;", "V8": " \t ", "V9": "#!*?"}}}]'
  printf '%s\0' 'V1=a,b' 'V2="x" '"'y'" $'V3=one\ntwo\n' 'V4=k=v=' 'V5=' \
    $'V6=\303\251\342\230\203\360\237\230\200' 'V7=$(date) `id` ${HOME} \ %41 ;' $'V8= \t ' 'V9=#!*?' > plain
  # Apptainer reads its twins as the text between double quotes.
  sed -z 's/[\\$`]/\\&/g' plain > escaped
  { sed -z 's/^/APPTAINERENV_/' escaped && sed -z 's/^/SINGULARITYENV_/' escaped && cat plain; } |
    LC_ALL=C sort -z | od -An -c > expected
  printf '#!/bin/bash\nexport LC_ALL=C\n%s > batch\nsrun -n1 bash -c %q > step\n' \
    "$(show_bytes)" "$(show_bytes)" > job.sh
  run_job --compute-scale=0.5 --compute-entry=odd --gres=gpu:2 job.sh
  expect_equal "$job_state" COMPLETED
  diff expected batch
  diff expected step
  LC_ALL=C srun --compute-scale=0.5 --compute-entry=odd --gres=gpu:2 bash -c "$(show_bytes)" > from-srun
  diff expected from-srun
  LC_ALL=C salloc --compute-scale=0.5 --compute-entry=odd --gres=gpu:2 bash -c "$(show_bytes)" > from-salloc
  diff expected from-salloc
}

@test "SLURM_COMPUTE_GPUS is the number of devices visible in each step" {
  cat > job.sh << END
#!/bin/bash
$work/report batch SLURM_COMPUTE_GPUS
srun -n1 $work/report all SLURM_COMPUTE_GPUS
srun -n1 --gres=gpu:1 $work/report one SLURM_COMPUTE_GPUS
srun -n2 --gpus-per-task=1 $work/report each SLURM_COMPUTE_GPUS
srun -n1 --gres=none $work/report none SLURM_COMPUTE_GPUS
END
  run_job --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:4 -n2 job.sh
  expect_equal "$job_output" 'batch gpus=2 SLURM_COMPUTE_GPUS=2
all gpus=2 SLURM_COMPUTE_GPUS=2
one gpus=1 SLURM_COMPUTE_GPUS=1
each gpus=1 SLURM_COMPUTE_GPUS=1
each gpus=1 SLURM_COMPUTE_GPUS=1
none gpus=0 SLURM_COMPUTE_GPUS=0'
}

@test "too much environment is refused, with its entry" {
  own_tasks
  value=$(printf '%070000d' 0)
  own_task big "[{\"cmd\": \"scripts/run.sh\", \"label\": \"x\", \"compute\": 2, \"h200\":
    {\"compute\": 1, \"env\": {\"V1\": \"$value\", \"V2\": \"$value\"}}}]"
  expect_refused 'big/x.*140' sbatch --compute-scale=0.5 --compute-entry=big --wrap true
}
