#!/usr/bin/env bash
# Pre-trains the 345M model on every visible GPU, one process each.
#
# The defaults are tuned for four H100s; the environment overrides them. One iteration takes
# BATCH_SIZE x GRAD_ACCUM sequences of 1024 tokens whatever the number of GPUs, because the trainer
# divides GRAD_ACCUM among them: on fewer, larger GPUs raise the one and lower the other alike.
# The trainer also reads SEED, OUTPUT_DIR, ENV (it writes ckpt_<ENV>.pt), DATA_DIR and EVAL_DIR.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

BATCH_SIZE="${BATCH_SIZE:-32}"
GRAD_ACCUM="${GRAD_ACCUM:-16}"
MAX_ITERS="${MAX_ITERS:-13535}"
EVAL_INTERVAL="${EVAL_INTERVAL:-1000}"
LEARNING_RATE="${LEARNING_RATE:-3e-4}"
N_LAYER=24
N_HEAD=16
N_EMBD=1024
export BATCH_SIZE GRAD_ACCUM MAX_ITERS EVAL_INTERVAL LEARNING_RATE N_LAYER N_HEAD N_EMBD

require_counts BATCH_SIZE GRAD_ACCUM MAX_ITERS EVAL_INTERVAL
gpus="$(count_visible_gpus)"
((GRAD_ACCUM % gpus == 0)) ||
  die "GRAD_ACCUM=$GRAD_ACCUM is not a multiple of the $gpus visible GPUs, which share it equally"
require_in_package custom_pretrain.py nanoGPT

exec torchrun --standalone --nproc_per_node="$gpus" custom_pretrain.py
