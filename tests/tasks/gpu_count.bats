#!/usr/bin/env bats
# How a script counts the GPUs that it sees.

load helper

setup() {
  record_calls_of torchrun
  enter_package_with custom_pretrain.py
  SCRIPT="$TASKS/llm-pretrain-loss/scripts/gpt_345m.sh"
}

# Puts an nvidia-smi on PATH that answers the query for indices with these lines and this status.
fake_nvidia_smi() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/nvidia-smi" <<EOF
#!/bin/bash
[[ "\$*" == "--query-gpu=index --format=csv,noheader" ]] || exit 9
printf '%s' "$1"
exit $2
EOF
  chmod +x "$BATS_TEST_TMPDIR/bin/nvidia-smi"
}

@test "every kind of device name counts as one GPU" {
  while IFS='|' read -r visible count; do
    CUDA_VISIBLE_DEVICES="$visible" GRAD_ACCUM=840 bash "$SCRIPT"
    got_argument torchrun "--nproc_per_node=$count"
    expect_equal "$(seen_by torchrun CUDA_VISIBLE_DEVICES)" "$visible"
  done <<'EOF'
0|1
3|1
0,1|2
4,5,6,7|4
0, 1, 2|3
0,1,|2
10,11|2
GPU-8f3c0b1a-1d2e|1
GPU-a,GPU-b|2
MIG-5b1c0a2e-77f0|1
MIG-GPU-8f3c0b1a/3/0,MIG-GPU-8f3c0b1a/4/0|2
GPU-a,1,MIG-b|3
EOF
}

@test "without CUDA_VISIBLE_DEVICES all GPUs of the node count" {
  fake_nvidia_smi $'0\n1\n2\n3\n' 0
  unset CUDA_VISIBLE_DEVICES
  bash "$SCRIPT"
  got_argument torchrun --nproc_per_node=4
}

@test "CUDA_VISIBLE_DEVICES goes before nvidia-smi" {
  fake_nvidia_smi $'0\n1\n2\n3\n' 0
  CUDA_VISIBLE_DEVICES=2 bash "$SCRIPT"
  got_argument torchrun --nproc_per_node=1
}

@test "refused: an empty list" {
  fake_nvidia_smi $'0\n1\n' 0
  local empty
  for empty in "" " "; do
    CUDA_VISIBLE_DEVICES="$empty" run bash "$SCRIPT"
    expect_refusal "gpt_345m.sh: CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU"
  done
}

@test "refused: a name that is no GPU" {
  while IFS='|' read -r visible name; do
    CUDA_VISIBLE_DEVICES="$visible" run bash "$SCRIPT"
    expect_refusal "gpt_345m.sh: CUDA_VISIBLE_DEVICES=$visible: '$name' names no GPU\
 (an index, GPU-... or MIG-... does)"
  done <<'EOF'
NoDevFiles|NoDevFiles
-1|-1
0,-1,1|-1
0,,1|
none|none
GPU-|GPU-
0;1|0;1
EOF
}

@test "refused: neither a list nor an nvidia-smi that lists a GPU" {
  unset CUDA_VISIBLE_DEVICES
  local expected="gpt_345m.sh: CUDA_VISIBLE_DEVICES is not set and nvidia-smi lists no GPU:\
 ask for at least one"
  fake_nvidia_smi "" 0
  run bash "$SCRIPT"
  expect_refusal "$expected"
  fake_nvidia_smi "No devices were found" 6
  run bash "$SCRIPT"
  expect_refusal "$expected"
  rm "$BATS_TEST_TMPDIR/bin/nvidia-smi"
  if ! command -v nvidia-smi >/dev/null; then
    run bash "$SCRIPT"
    expect_refusal "$expected"
  fi
}
