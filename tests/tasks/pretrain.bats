#!/usr/bin/env bats
# The eleven llm-pretrain tasks: what their scripts run at the base and at the profile.

load helper

# task|BATCH_SIZE|GRAD_ACCUM|profile's BATCH_SIZE|profile's GRAD_ACCUM|macro-batch|MAX_ITERS
WORKED_VALUES="\
attention|32|16|64|8|512|13535
bitlinear|32|16|64|8|512|13535
kernel|32|16|64|8|512|13535
loss|32|16|64|8|512|13535
embedding|48|12|96|6|576|12030
lr-schedule|48|12|96|6|576|12030
mlp|48|12|96|6|576|12030
normalization|48|12|96|6|576|12030
optimizer|48|12|96|6|576|12030
linear-attention|16|32|32|16|512|13535
residual|16|32|32|16|512|13535"

setup() {
  record_calls_of torchrun
  enter_package_with custom_pretrain.py
}

# Runs the task's training on so many GPUs and checks what the trainer gets.
expect_training() {
  local task="$1" gpus="$2" batch_size="$3" grad_accum="$4" macro_batch="$5" iterations="$6"
  shift 6
  env "$@" CUDA_VISIBLE_DEVICES="$(devices "$gpus")" bash "$TASKS/$task/scripts/gpt_345m.sh"
  expect_equal "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/torchrun.args")" \
    "--standalone --nproc_per_node=$gpus custom_pretrain.py "
  expect_equal "$(seen_by torchrun BATCH_SIZE)" "$batch_size" "$task BATCH_SIZE"
  expect_equal "$(seen_by torchrun GRAD_ACCUM)" "$grad_accum" "$task GRAD_ACCUM"
  expect_equal "$(seen_by torchrun MAX_ITERS)" "$iterations" "$task MAX_ITERS"
  expect_equal $(($(seen_by torchrun BATCH_SIZE) * $(seen_by torchrun GRAD_ACCUM))) "$macro_batch"
  expect_equal $((grad_accum % gpus)) 0
  for value in EVAL_INTERVAL=1000 LEARNING_RATE=3e-4 N_LAYER=24 N_HEAD=16 N_EMBD=1024; do
    expect_equal "$(seen_by torchrun "${value%%=*}")" "${value#*=}" "$task ${value%%=*}"
  done
}

@test "every worked value on four H100s" {
  while IFS='|' read -r task batch_size grad_accum _ _ macro_batch iterations; do
    task="llm-pretrain-$task"
    expect_equal "$(gpus_of "$task")" 4
    expect_training "$task" 4 "$batch_size" "$grad_accum" "$macro_batch" "$iterations" \
      UNRELATED=1
  done <<<"$WORKED_VALUES"
}

@test "every worked value on two H200s, the macro-batch unchanged" {
  while IFS='|' read -r task _ _ batch_size grad_accum macro_batch iterations; do
    task="llm-pretrain-$task"
    expect_equal "$(gpus_of "$task" h200)" 2
    mapfile -t profile < <(profile_env "$task" h200)
    expect_equal "${#profile[@]}" 2
    expect_training "$task" 2 "$batch_size" "$grad_accum" "$macro_batch" "$iterations" \
      "${profile[@]}"
  done <<<"$WORKED_VALUES"
}

@test "the table above has every task" {
  expect_equal "$(cut -d'|' -f1 <<<"$WORKED_VALUES" | sort)" \
    "$(find "$TASKS" -maxdepth 1 -name 'llm-pretrain-*' -printf '%f\n' | cut -d- -f3- | sort)"
}

@test "the trainer's own variables pass untouched" {
  CUDA_VISIBLE_DEVICES=0 SEED=7 OUTPUT_DIR="/out a,b" ENV=gpt-345m DATA_DIR=/d EVAL_DIR=/e \
    bash "$TASKS/llm-pretrain-mlp/scripts/gpt_345m.sh"
  expect_equal "$(seen_by torchrun SEED)" 7
  expect_equal "$(seen_by torchrun OUTPUT_DIR)" "/out a,b"
  expect_equal "$(seen_by torchrun ENV)" gpt-345m
  expect_equal "$(seen_by torchrun DATA_DIR)$(seen_by torchrun EVAL_DIR)" /d/e
}

@test "the trainer's exit code is the script's" {
  printf '#!/bin/bash\nexit 7\n' >"$BATS_TEST_TMPDIR/bin/torchrun"
  CUDA_VISIBLE_DEVICES=0 run bash "$TASKS/llm-pretrain-mlp/scripts/gpt_345m.sh"
  expect_equal "$status" 7
}

@test "refused: GRAD_ACCUM that the GPUs cannot share" {
  CUDA_VISIBLE_DEVICES=0,1,2 run bash "$TASKS/llm-pretrain-loss/scripts/gpt_345m.sh"
  expect_refusal "gpt_345m.sh: GRAD_ACCUM=16 is not a multiple of the 3 visible GPUs,\
 which share it equally"
  [[ ! -e "$BATS_TEST_TMPDIR/torchrun.args" ]]
}

@test "refused: counts that are no whole number from 1 up" {
  local setting
  for setting in GRAD_ACCUM={0,08,4.0} BATCH_SIZE={-2,x} MAX_ITERS=1e3; do
    CUDA_VISIBLE_DEVICES=0 run env "$setting" bash "$TASKS/llm-pretrain-loss/scripts/gpt_345m.sh"
    expect_refusal "gpt_345m.sh: $setting: must be a whole number from 1 up"
  done
}

@test "refused: outside the package folder" {
  rm custom_pretrain.py
  CUDA_VISIBLE_DEVICES=0 run bash "$TASKS/llm-pretrain-loss/scripts/gpt_345m.sh"
  expect_refusal "gpt_345m.sh: custom_pretrain.py is not in $PWD:\
 start the script in the folder of the package nanoGPT"
}

@test "the evaluation reads the checkpoint of the same OUTPUT_DIR, offline and zero-shot" {
  record_calls_of python3
  enter_package_with nanogpt_lm_eval.py
  export OUTPUT_DIR="$BATS_TEST_TMPDIR/seed 42"
  mkdir "$OUTPUT_DIR" && touch "$OUTPUT_DIR/ckpt_gpt-345m.pt"
  CUDA_VISIBLE_DEVICES=0 bash "$TASKS/llm-pretrain-loss/scripts/lm_eval_345m.sh"
  got_argument python3 "$OUTPUT_DIR/ckpt_gpt-345m.pt"
  got_argument python3 hellaswag,arc_easy,piqa,winogrande
  expect_equal "$(grep -A1 -x -- --num_fewshot "$BATS_TEST_TMPDIR/python3.args" | tail -1)" 0
  expect_equal "$(seen_by python3 HF_HUB_OFFLINE)$(seen_by python3 HF_DATASETS_OFFLINE)" 11
}

@test "refused: an evaluation without checkpoint, OUTPUT_DIR or GPU" {
  record_calls_of python3
  enter_package_with nanogpt_lm_eval.py
  local script="$TASKS/llm-pretrain-loss/scripts/lm_eval_345m.sh" missing
  missing="$BATS_TEST_TMPDIR/ckpt_gpt-345m.pt"
  CUDA_VISIBLE_DEVICES=0 OUTPUT_DIR="$BATS_TEST_TMPDIR" run bash "$script"
  expect_refusal "lm_eval_345m.sh: $missing is missing: gpt-345m has not finished for this seed"
  CUDA_VISIBLE_DEVICES=0 run env -u OUTPUT_DIR bash "$script"
  expect_refusal "lm_eval_345m.sh: OUTPUT_DIR is not set: it is the folder with the checkpoint"
  touch "$missing"
  CUDA_VISIBLE_DEVICES="" OUTPUT_DIR="$BATS_TEST_TMPDIR" run bash "$script"
  expect_refusal "lm_eval_345m.sh: CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU"
  [[ ! -e "$BATS_TEST_TMPDIR/python3.args" ]]
}
