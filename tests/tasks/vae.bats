#!/usr/bin/env bats
# cv-vae-loss: eight GPUs, a fixed batch per GPU, no profile.

load helper

setup() {
  record_calls_of torchrun
  enter_package_with custom_train.py
}

@test "128 samples per GPU, whatever the environment says" {
  for size in small medium large; do
    BATCH_SIZE=64 CUDA_VISIBLE_DEVICES="$(devices 8)" \
      bash "$TASKS/cv-vae-loss/scripts/train_$size.sh"
    expect_equal "$(seen_by torchrun BATCH_SIZE)" 128
    expect_equal "$(seen_by torchrun MODEL_SIZE)" "$size"
    got_argument torchrun --nproc_per_node=8
  done
}

@test "no entry has a profile block" {
  run ! grep -qE '"h[12]00"' "$TASKS/cv-vae-loss/config.json"
}

@test "refused: no GPU, and outside the package folder" {
  local script="$TASKS/cv-vae-loss/scripts/train_small.sh"
  CUDA_VISIBLE_DEVICES="" run bash "$script"
  expect_refusal "train_small.sh: CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU"
  rm custom_train.py
  CUDA_VISIBLE_DEVICES=0 run bash "$script"
  expect_refusal "train_small.sh: custom_train.py is not in $PWD:\
 start the script in the folder of the package diffusers-main"
}
