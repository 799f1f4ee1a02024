#!/usr/bin/env bash
# Evaluates the checkpoint that gpt_345m.sh wrote for the same seed, zero-shot on one GPU.
# The node has no internet: every data set comes from the folder that the package binds.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

export HF_HUB_OFFLINE=1
export HF_DATASETS_OFFLINE=1
export TRANSFORMERS_OFFLINE=1
export HF_DATASETS_CACHE="${HF_DATASETS_CACHE:-/data/lm-eval-datasets}"

[[ -n "${OUTPUT_DIR:-}" ]] || die "OUTPUT_DIR is not set: it is the folder with the checkpoint"
checkpoint="$OUTPUT_DIR/ckpt_gpt-345m.pt"
[[ -f "$checkpoint" ]] || die "$checkpoint is missing: gpt-345m has not finished for this seed"
count_visible_gpus >/dev/null
require_in_package nanogpt_lm_eval.py lm-evaluation-harness

exec python3 nanogpt_lm_eval.py \
  --checkpoint "$checkpoint" \
  --source "$OUTPUT_DIR/model_source_gpt-345m.py" \
  --tasks hellaswag,arc_easy,piqa,winogrande \
  --num_fewshot 0 \
  --device cuda
