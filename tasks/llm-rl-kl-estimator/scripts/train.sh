#!/usr/bin/env bash
# Trains Qwen2.5-0.5B by reinforcement learning on every visible GPU of one node.
#
# The defaults are tuned for two H100s; the environment overrides them. The batch of 128 prompts per
# step is the same on any number of GPUs: TP_SIZE, MAX_TOKEN_LEN_PER_GPU and GPU_MEM_UTIL only say
# how the work lies on them.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

TP_SIZE="${TP_SIZE:-2}"
MAX_TOKEN_LEN_PER_GPU="${MAX_TOKEN_LEN_PER_GPU:-17408}"
GPU_MEM_UTIL="${GPU_MEM_UTIL:-0.4}"
SEED="${SEED:-42}"

# What this task trains on, for how long, and the part of the algorithm that it replaces.
DEEPMATH=deepmath/train_lv3-5.parquet
TRAINING_STEPS=200
ALGORITHM=(
  algorithm.adv_estimator=grpo
  actor_rollout_ref.actor.kl_loss_type=custom
  actor_rollout_ref.rollout.max_num_batched_tokens=17408
)

# From here on all llm-rl tasks are the same.
TRAIN_BATCH_SIZE=128
MAX_PROMPT_LENGTH=1024
MAX_RESPONSE_LENGTH=16384
MAX_MODEL_LEN=$((MAX_PROMPT_LENGTH + MAX_RESPONSE_LENGTH))

require_counts TP_SIZE MAX_TOKEN_LEN_PER_GPU
gpus="$(count_visible_gpus)"
((TP_SIZE <= gpus)) || die "TP_SIZE=$TP_SIZE is more than the $gpus visible GPUs"
((gpus % TP_SIZE == 0)) || die "TP_SIZE=$TP_SIZE does not divide the $gpus visible GPUs"
((TRAIN_BATCH_SIZE % gpus == 0)) ||
  die "the train batch of $TRAIN_BATCH_SIZE is not a multiple of the $gpus visible GPUs"
((MAX_TOKEN_LEN_PER_GPU >= MAX_MODEL_LEN)) ||
  die "MAX_TOKEN_LEN_PER_GPU=$MAX_TOKEN_LEN_PER_GPU holds no whole sequence:" \
    "prompt and response take $MAX_MODEL_LEN"

root=/root/data
train_files="'$root/simplerl_math35/train.parquet','$root/$DEEPMATH'"
val_files="'$root/gsm8k/test.parquet','$root/math500/test.parquet','$root/amc23/test.parquet'"
DATA=(
  data.train_files="[$train_files]"
  data.val_files="[$val_files]"
  data.train_batch_size="$TRAIN_BATCH_SIZE"
  ++data.gen_batch_size="$TRAIN_BATCH_SIZE"
  data.max_prompt_length="$MAX_PROMPT_LENGTH"
  data.max_response_length="$MAX_RESPONSE_LENGTH"
  ++data.seed="$SEED"
)
ACTOR=(
  actor_rollout_ref.model.path=/models/Qwen2.5-0.5B
  actor_rollout_ref.actor.optim.lr=1e-6
  actor_rollout_ref.actor.ppo_mini_batch_size=128
  actor_rollout_ref.actor.use_dynamic_bsz=True
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu="$MAX_TOKEN_LEN_PER_GPU"
  actor_rollout_ref.actor.use_kl_loss=True
  actor_rollout_ref.actor.kl_loss_coef=0.001
  actor_rollout_ref.actor.entropy_coeff=0
  actor_rollout_ref.actor.fsdp_config.param_offload=True
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=True
)
ROLLOUT=(
  actor_rollout_ref.rollout.name=vllm
  actor_rollout_ref.rollout.n=16
  actor_rollout_ref.rollout.tensor_model_parallel_size="$TP_SIZE"
  actor_rollout_ref.rollout.gpu_memory_utilization="$GPU_MEM_UTIL"
  actor_rollout_ref.rollout.max_model_len="$MAX_MODEL_LEN"
  actor_rollout_ref.rollout.max_num_seqs=256
  actor_rollout_ref.rollout.enforce_eager=True
  actor_rollout_ref.rollout.val_kwargs.n=8
  actor_rollout_ref.rollout.val_kwargs.do_sample=True
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6
)
TRAINER=(
  trainer.nnodes=1
  trainer.n_gpus_per_node="$gpus"
  trainer.total_epochs=1
  trainer.total_training_steps="$TRAINING_STEPS"
  trainer.test_freq=25
  trainer.save_freq=-1
)

exec python3 -m verl.trainer.main_ppo \
  "${DATA[@]}" "${ACTOR[@]}" "${ROLLOUT[@]}" "${TRAINER[@]}" "${ALGORITHM[@]}"
