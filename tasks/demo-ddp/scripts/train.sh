#!/usr/bin/env bash
# Trains a small network by data parallelism, one process per visible GPU (the "GPUs" only count:
# the arithmetic is plain Python). The defaults stand for four H100s, as in the llm-pretrain tasks;
# train_ddp.py says what each variable means.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

BATCH_SIZE="${BATCH_SIZE:-32}"
GRAD_ACCUM="${GRAD_ACCUM:-16}"
MAX_ITERS="${MAX_ITERS:-16}"
LEARNING_RATE="${LEARNING_RATE:-0.2}"
SEED="${SEED:-42}"
export BATCH_SIZE GRAD_ACCUM MAX_ITERS LEARNING_RATE SEED

gpus="$(count_visible_gpus)"
exec python3 "$(dirname "${BASH_SOURCE[0]}")/train_ddp.py" --nproc-per-node="$gpus"
