#!/usr/bin/env bats
# sbatch-tasks with the plugin: scripts of one scale, and neutral ones that take it at submission.
load helpers
load submit_helpers

setup_file() { use_plugin; }

teardown_file() { use_no_plugin; }

# Tasks like the real ones, with scripts that print what they got.
setup() {
  enter_work_folder
  use_sbatch_tasks
  local task
  for task in llm-pretrain-loss llm-rl-advantage cv-vae-loss demo-ddp; do
    mkdir -p "tasks/$task/scripts"
    cp "$PRODUCT_DIR/tasks/$task/config.json" "tasks/$task"
    python3 - "$task" <<'END'
import json, sys
for entry in json.load(open(f"tasks/{sys.argv[1]}/config.json"))["test_cmds"]:
    with open(f"tasks/{sys.argv[1]}/{entry['cmd']}", "w") as script:
        script.write("env | grep -E '^(BATCH_SIZE|GRAD_ACCUM|TP_SIZE|MAX_TOKEN_LEN_PER_GPU|GPU_MEM_UTIL)=' | "
                     "sort\necho \"GPUS=$(tr ',' '\\n' <<<$CUDA_VISIBLE_DEVICES | wc -l)\"\n"
                     "echo \"step $SLURM_STEP_ID\"\n")
END
  done
  cat >config.yaml <<END
tasks_dir: tasks
packages_dir: $PRODUCT_DIR/configs/packages
data_root: data
container_runtime: local
save_path: results
slurm: {cpus_per_gpu: 1, mem_per_gpu: 1G, plugin: true}
END
}

# What the steps of a run printed, in the order of their names.
seen() { grep -hE '^[A-Z_]+=|^step' "$1"/logs/*/*-seed42.log; }

# The GPUs of jobs, one line each.
gpus() { for id in "$@"; do job_gpus "$id"; done; }

@test "the two ways to a scaled job give the same counts and environment" {
  local fixed neutral
  sbatch-tasks submit -q --all --pack=none --compute-scale=0.5 --run-dir fixed >submitted
  take_ids submitted
  fixed=("${ids[@]}")
  sbatch-tasks render -q --all --neutral --run-dir neutral
  submit_scripts neutral --compute-scale=0.5
  neutral=("${ids[@]}")
  wait_for_all
  take_ids submitted
  wait_for_all
  expect_equal "${#neutral[@]}" 8
  diff <(seen fixed) <(seen neutral)
  diff <(gpus "${fixed[@]}" | sort) <(gpus "${neutral[@]}" | sort)
  # Not only equal, but right.
  grep -qx 'BATCH_SIZE=64' neutral/logs/llm-pretrain-loss/gpt-345m-seed42.log
  grep -qx 'GPUS=2' neutral/logs/llm-pretrain-loss/gpt-345m-seed42.log
  grep -qx 'TP_SIZE=1' neutral/logs/llm-rl-advantage/deepmath-3bench-seed42.log
  expect_equal "$(seen neutral | grep -c '^step 0$')" 8
  expect_equal "$(for id in "${fixed[@]}" "${neutral[@]}"; do job_field "$id" JobState; done | sort -u)" COMPLETED
}

@test "at 1.0 neutral scripts run at the base counts" {
  sbatch-tasks render -q llm-pretrain-loss/gpt-345m demo-ddp/train --neutral --run-dir run
  submit_scripts run --compute-scale=1
  wait_for_all
  expect_equal "$(gpus "${ids[@]}")" $'4\n4'
  expect_equal "$(seen run | grep -c BATCH_SIZE)" 0
  grep -qx 'GPUS=4' run/logs/demo-ddp/train-seed42.log
}

@test "without the plugin nothing of it is submitted" {
  local plugstack=$CLUSTER_DIR/etc/plugstack.conf jobs
  jobs=$(squeue -h -t all | wc -l)
  mv "$plugstack" saved
  : >"$plugstack"
  run sbatch-tasks submit demo-ddp/train --run-dir run
  mv saved "$plugstack"
  expect_equal "$status" 3
  [[ $output == 'sbatch-tasks: error: slurm.plugin of the config promises'*doctor* ]]
  [[ ! -e run ]]
  expect_equal "$(squeue -h -t all | wc -l)" "$jobs"
}

@test "a script of one scale is not run at another" {
  sbatch-tasks render -q demo-ddp/train --run-dir run
  submit_scripts run --compute-scale=0.5
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState)" FAILED
  grep -q 'made for --compute-scale=1, submitted with 0.5' run/logs/*.slurm.log
}
