#!/usr/bin/env bash
# Prints the last loss that train.sh wrote for the same seed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=visible_gpus.sh
source "$(dirname "${BASH_SOURCE[0]}")/visible_gpus.sh"

[[ -n "${OUTPUT_DIR:-}" ]] || die "OUTPUT_DIR is not set: it is the folder with losses.txt"
losses="$OUTPUT_DIR/losses.txt"
[[ -s "$losses" ]] || die "$losses is missing or empty: train has not finished for this seed"

read -r iteration loss < <(tail -n 1 "$losses")
echo "demo-ddp: final loss $loss after $iteration iterations"
