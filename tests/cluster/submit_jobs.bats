#!/usr/bin/env bats
# sbatch-tasks submit on a real Slurm: order, packing, records, failures.
load helpers
load submit_helpers

setup() {
  enter_work_folder
  use_sbatch_tasks
  mkdir tasks
}

@test "demo-ddp at 1.0 and at 0.5: half the GPUs, the same losses" {
  local scale
  # Its small jobs are the site's; the run config is the documented one.
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/config.yaml
  for scale in 1 0.5; do
    sbatch-tasks submit -q demo-ddp --config "$PRODUCT_DIR/configs/react.yaml" \
      --container-runtime local --save-path "$PWD/results" --run-dir "$PWD/at-$scale" \
      --compute-scale=$scale >"ids-$scale"
  done
  take_ids ids-1 ids-0.5
  wait_for_all
  expect_equal "$(job_gpus "${ids[0]}") $(job_gpus "${ids[2]}")" '4 2'
  expect_equal "$(job_field "${ids[1]}" JobState) $(job_field "${ids[3]}" JobState)" \
    'COMPLETED COMPLETED'
  python3 - <<'END'
def losses(run):
    return [float(line.split()[1]) for line in open(f"results/demo-ddp/{run}/seed_42/losses.txt")]
base, half = losses("at-1"), losses("at-0.5")
assert len(base) == len(half) >= 10
assert all(abs(a - b) <= 1e-9 * abs(a) for a, b in zip(base, half)), (base, half)
END
  grep -q 'macro-batch 512' at-0.5/logs/demo-ddp/train-seed42.log
  grep -q 'final loss' at-0.5/logs/demo-ddp/eval-seed42.log
}

@test "a group starts only after the one before it" {
  task t '[{"cmd": "one.sh", "label": "one", "group": 1}, {"cmd": "two.sh", "label": "two", "group": 2}]'
  echo "until [[ -e $PWD/go ]]; do sleep 0.05; done; touch \$OUTPUT_DIR/made" >tasks/t/one.sh
  echo 'ls $OUTPUT_DIR' >tasks/t/two.sh
  submit t
  wait_until test -e run/results/t/one-seed42.json
  expect_equal "$(squeue -h -j "${ids[1]}" -o '%T %r')" 'PENDING Dependency'
  expect_equal "$(record t/one state)" running
  touch go
  wait_for_all
  expect_equal "$(record t/two exit_code)" 0
  grep -qx made run/logs/t/two-seed42.log
}

@test "after a failed group the next one is cancelled, not left waiting" {
  task t '[{"cmd": "one.sh", "label": "one", "group": 1}, {"cmd": "two.sh", "label": "two", "group": 2}]'
  echo 'exit 6' >tasks/t/one.sh
  echo 'echo ran' >tasks/t/two.sh
  submit t
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState) $(job_field "${ids[0]}" ExitCode)" 'FAILED 6:0'
  expect_equal "$(job_field "${ids[1]}" JobState)" CANCELLED
  [[ ! -e run/results/t/two-seed42.json ]]
}

@test "packed steps run at the same time, each on its planned device" {
  local cmds='' label
  for label in a b c d; do
    cmds+="${cmds:+,}{\"cmd\": \"step.sh\", \"label\": \"$label\", \"group\": 1, \"compute\": 0.5}"
  done
  task t "[$cmds]"
  # Each waits for the other three, so that none could end if they ran one after another.
  cat >tasks/t/step.sh <<'END'
touch "$OUTPUT_DIR/up-$ENV"
until (($(ls "$OUTPUT_DIR" | grep -c up-) == 4)); do sleep 0.05; done
echo "sees $CUDA_VISIBLE_DEVICES"
END
  submit t
  wait_for_all
  expect_equal "${#ids[@]}" 1
  expect_equal "$(job_field "${ids[0]}" JobState) $(job_gpus "${ids[0]}")" 'COMPLETED 2'
  local seen
  seen=$(cat run/logs/t/*.log | grep ^sees | sort | uniq -c | awk '{print $1}')
  expect_equal "$seen" $'2\n2'
  for label in a b c d; do
    expect_equal "$(grep ^sees "run/logs/t/$label-seed42.log")" "sees $(record t/$label devices)"
  done
}

@test "a failed and a killed step: the others end, the job fails, all is recorded" {
  task t '[{"cmd": "ok.sh", "label": "ok", "group": 1, "compute": 0.2},
    {"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 0.2},
    {"cmd": "killed.sh", "label": "killed", "group": 1, "compute": 0.2}]'
  echo 'sleep 1.5; echo done' >tasks/t/ok.sh
  echo 'exit 9' >tasks/t/bad.sh
  echo 'kill -9 $$' >tasks/t/killed.sh
  submit t
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState)" FAILED
  expect_equal "$(record t/ok exit_code) $(record t/bad exit_code) $(record t/killed exit_code)" '0 9 137'
  (($(record t/ok elapsed_seconds) >= 1))
  grep -q 't/bad seed 42: exit code 9' run/logs/t-g1-s42.slurm.log
}

@test "steps without GPU hold none and go to their own partition" {
  sed -i 's/cpus_per_task: 1}/cpus_per_task: 1, partition: gpu, cpu_partition: cpu}/' config.yaml
  task t '[{"cmd": "a.sh", "label": "a", "compute": 0, "mem": "64M"}]'
  echo 'echo "sees [$CUDA_VISIBLE_DEVICES]"' >tasks/t/a.sh
  submit t
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" Partition) $(job_gpus "${ids[0]}")" 'cpu 0'
  grep -qx 'sees \[\]' run/logs/t/a-seed42.log
}

@test "odd values reach Slurm as written" {
  sed -i '/^slurm:/d' config.yaml
  cat >>config.yaml <<'END'
slurm:
  cpus_per_gpu: 1
  mem_per_gpu: 1G
  gpu_flag: gpus
  extra_directives: ['--comment=a "b" #1 \ $(x)']
END
  task t '[{"cmd": "a.sh", "label": "a b/..%"}]'
  echo 'echo ran' >tasks/t/a.sh
  sbatch-tasks submit -q t --run-dir "$PWD/50% of it" >submitted
  take_ids submitted
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState)" COMPLETED
  expect_equal "$(job_field "${ids[0]}" Comment | sed 's/ *$//')" 'a "b" #1 \ $(x)'
  [[ -e "50% of it/logs/t-g1-s42.slurm.log" ]]
  grep -qx ran '50% of it/logs/t/a=20b=2F..=25-seed42.log'
}

# Slurm ends what starts before it has cleared up a job's first attempt along with it.
first_attempt_is_over() {
  grep -qs '"state":"cancelled"' run/results/t/a-seed42.json &&
    [[ $(squeue -h -j "$1" -o '%T %r') == 'PENDING BeginTime' ]] &&
    [[ $(scontrol show job "$1") != *COMPLETING* && $(node_states) == $'n0 idle\nn1 idle' ]]
}

@test "a requeued job appends to its logs and counts the attempt" {
  task t '[{"cmd": "a.sh", "label": "a"}]'
  cat >tasks/t/a.sh <<'END'
echo "restart ${SLURM_RESTART_COUNT-0}"
if [[ -z ${SLURM_RESTART_COUNT-} ]]; then touch "$OUTPUT_DIR/up"; sleep 60; fi
END
  submit t
  wait_until test -e results/t/run/seed_42/up
  scontrol requeue "${ids[0]}"
  wait_until first_attempt_is_over "${ids[0]}"
  sleep 2  # slurmd tells the credentials of two attempts apart by whole seconds
  # Slurm holds a requeued job back for two minutes unless it is told not to.
  scontrol update "jobid=${ids[0]}" starttime=now
  wait_for_all
  expect_equal "$(record t/a state) $(record t/a attempt)" 'done 2'
  expect_equal "$(grep -c ^restart run/logs/t/a-seed42.log)" 2
  expect_equal "$(grep -c 't/a seed 42: cancelled' run/logs/t-g1-s42.slurm.log)" 1
}

@test "a normal user submits and owns what the job writes" {
  task t '[{"cmd": "a.sh", "label": "a"}]'
  echo 'id -u; touch $OUTPUT_DIR/made' >tasks/t/a.sh
  as_user env PATH="$PATH" sbatch-tasks submit -q t --run-dir "$PWD/run" >submitted
  take_ids submitted
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState)" COMPLETED
  expect_equal "$(tail -n 1 run/logs/t/a-seed42.log)" "$NORMAL_USER_ID"
  expect_equal "$(stat -c %u results/t/run/seed_42/made)" "$NORMAL_USER_ID"
}
