#!/usr/bin/env bash
# Trains the large autoencoder on every visible GPU, one process each.
#
# BATCH_SIZE is what one GPU takes and is fixed: another number of GPUs would change the global
# batch, and with it the result. That is why this task has no profile for other hardware.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

BATCH_SIZE=128
MODEL_SIZE=large
export BATCH_SIZE MODEL_SIZE

gpus="$(count_visible_gpus)"
require_in_package custom_train.py diffusers-main

exec torchrun --standalone --nproc_per_node="$gpus" custom_train.py
