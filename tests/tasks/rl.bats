#!/usr/bin/env bats
# The four llm-rl tasks: what train.sh runs at the base and at the profile.

load helper

# task|deepmath file|steps|time limit|what belongs to this task alone
WORKED_VALUES="\
advantage|train_lv3-5|200|12:00:00|algorithm.adv_estimator=custom
kl-estimator|train_lv3-5|200|12:00:00|algorithm.adv_estimator=grpo\
 actor_rollout_ref.actor.kl_loss_type=custom actor_rollout_ref.rollout.max_num_batched_tokens=17408
reward-normalization|train_lv3-5|200|12:00:00|algorithm.adv_estimator=grpo\
 actor_rollout_ref.rollout.max_num_batched_tokens=17408
importance-sampling|train_5k|100|6:00:00|algorithm.adv_estimator=grpo\
 actor_rollout_ref.actor.policy_loss.loss_mode=custom\
 ++actor_rollout_ref.rollout.enable_sleep_mode=True"

# The same for all four on any number of GPUs.
COMMON="\
data.train_batch_size=128
++data.gen_batch_size=128
data.max_prompt_length=1024
data.max_response_length=16384
actor_rollout_ref.model.path=/models/Qwen2.5-0.5B
actor_rollout_ref.actor.optim.lr=1e-6
actor_rollout_ref.actor.ppo_mini_batch_size=128
actor_rollout_ref.actor.use_dynamic_bsz=True
actor_rollout_ref.actor.use_kl_loss=True
actor_rollout_ref.actor.kl_loss_coef=0.001
actor_rollout_ref.actor.entropy_coeff=0
actor_rollout_ref.actor.fsdp_config.param_offload=True
actor_rollout_ref.actor.fsdp_config.optimizer_offload=True
actor_rollout_ref.rollout.n=16
actor_rollout_ref.rollout.max_model_len=17408
actor_rollout_ref.rollout.max_num_seqs=256
actor_rollout_ref.rollout.enforce_eager=True
actor_rollout_ref.rollout.val_kwargs.n=8
actor_rollout_ref.rollout.val_kwargs.temperature=0.6
trainer.nnodes=1
trainer.total_epochs=1
trainer.test_freq=25
trainer.save_freq=-1"

setup() {
  REAL_PYTHON="$(command -v python3)"
  record_calls_of python3
}

# The helpers that read a config need the interpreter that `record_calls_of` hides.
read_config() {
  local PATH="${REAL_PYTHON%/*}:$PATH"
  "$@"
}

# Runs the task on so many GPUs and checks the arguments that the profile decides.
expect_training() {
  local task="$1" gpus="$2" tp_size="$3" tokens="$4" memory="$5"
  shift 5
  env "$@" CUDA_VISIBLE_DEVICES="$(devices "$gpus")" bash "$TASKS/$task/scripts/train.sh"
  local rollout=actor_rollout_ref.rollout
  got_argument python3 verl.trainer.main_ppo
  got_argument python3 "trainer.n_gpus_per_node=$gpus"
  got_argument python3 "$rollout.tensor_model_parallel_size=$tp_size"
  got_argument python3 "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$tokens"
  got_argument python3 "$rollout.gpu_memory_utilization=$memory"
}

# What does not depend on the hardware.
expect_recipe() {
  local file="$1" steps="$2" own="$3" line data=/root/data
  got_argument python3 \
    "data.train_files=['$data/simplerl_math35/train.parquet','$data/deepmath/$file.parquet']"
  got_argument python3 "data.val_files=['$data/gsm8k/test.parquet',\
'$data/math500/test.parquet','$data/amc23/test.parquet']"
  got_argument python3 "trainer.total_training_steps=$steps"
  while read -r line; do got_argument python3 "$line"; done <<<"$COMMON"
  expect_equal "$(tail -n "$(wc -w <<<"$own")" "$BATS_TEST_TMPDIR/python3.args" | xargs)" "$own"
}

@test "every worked value on two H100s" {
  while IFS='|' read -r task file steps _ own; do
    task="llm-rl-$task"
    expect_equal "$(read_config gpus_of "$task")" 2
    expect_training "$task" 2 2 17408 0.4 UNRELATED=1
    expect_recipe "$file" "$steps" "$own"
    got_argument python3 ++data.seed=42
  done <<<"$WORKED_VALUES"
}

@test "every worked value on one H200, with the batch of 128 and the same recipe" {
  while IFS='|' read -r task file steps _ own; do
    task="llm-rl-$task"
    expect_equal "$(read_config gpus_of "$task" h200)" 1
    mapfile -t profile < <(read_config profile_env "$task" h200)
    expect_equal "${#profile[@]}" 3
    expect_training "$task" 1 1 20480 0.5 "${profile[@]}" SEED=43
    expect_recipe "$file" "$steps" "$own"
    got_argument python3 ++data.seed=43
  done <<<"$WORKED_VALUES"
}

@test "time limits are those of the benchmark" {
  while IFS='|' read -r task _ _ limit _; do
    grep -Fq "\"time\": \"$limit\"" "$TASKS/llm-rl-$task/config.json"
  done <<<"$WORKED_VALUES"
}

@test "train_5k is in importance-sampling alone" {
  expect_equal "$(cd "$TASKS" && grep -rl train_5k .)" \
    ./llm-rl-importance-sampling/scripts/train.sh
}

# Runs advantage on these devices with these settings, expecting this line.
refused() {
  local visible="$1" expected="$2"
  shift 2
  CUDA_VISIBLE_DEVICES="$visible" run env "$@" bash "$TASKS/llm-rl-advantage/scripts/train.sh"
  expect_refusal "train.sh: $expected"
  [[ ! -e "$BATS_TEST_TMPDIR/python3.args" ]]
}

@test "refused: TP_SIZE that does not fit the GPUs" {
  refused 0 "TP_SIZE=2 is more than the 1 visible GPUs" UNRELATED=1
  refused 0,1,2 "TP_SIZE=2 does not divide the 3 visible GPUs" UNRELATED=1
  refused 0,1 "TP_SIZE=0: must be a whole number from 1 up" TP_SIZE=0
}

@test "refused: a batch that the GPUs cannot share, tokens that hold no sequence, no GPU" {
  refused 0,1,2 "the train batch of 128 is not a multiple of the 3 visible GPUs" TP_SIZE=1
  refused 0,1 "MAX_TOKEN_LEN_PER_GPU=16384 holds no whole sequence:\
 prompt and response take 17408" MAX_TOKEN_LEN_PER_GPU=16384
  refused "" "CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU" UNRELATED=1
}
