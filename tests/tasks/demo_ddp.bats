#!/usr/bin/env bats
# The product's claim, by running it: the profile's numbers give the losses of the base.

load helper

setup() {
  SCRIPTS="$TASKS/demo-ddp/scripts"
  export MAX_ITERS=8 PYTHONDONTWRITEBYTECODE=1
}

# Trains with these settings; the results go to a folder of that name.
train_into() {
  local name="$1" gpus="$2"
  shift 2
  env "$@" CUDA_VISIBLE_DEVICES="$(devices "$gpus")" OUTPUT_DIR="$BATS_TEST_TMPDIR/$name" \
    bash "$SCRIPTS/train.sh" >"$BATS_TEST_TMPDIR/$name.out"
}

# The largest relative difference of two runs' losses, which must be equally many and finite.
largest_difference() {
  python3 - "$BATS_TEST_TMPDIR/$1" "$BATS_TEST_TMPDIR/$2" "$MAX_ITERS" <<'EOF'
import math, sys
runs = [[float(line.split()[1]) for line in open(f"{path}/losses.txt")] for path in sys.argv[1:3]]
assert [len(run) for run in runs] == [int(sys.argv[3])] * 2, runs
assert all(math.isfinite(loss) and loss > 0 for run in runs for loss in run), runs
print(max(abs(a - b) / abs(a) for a, b in zip(*runs)))
EOF
}

# Succeeds if the number `$1` is $2 (-lt or -gt) `$3`.
expect_number() {
  python3 -c 'import sys; a, op, b = sys.argv[1:]
sys.exit(not (float(a) < float(b) if op == "-lt" else float(a) > float(b)))' "$@" ||
    { echo "$1 is not $2 $3" && return 1; }
}

@test "4 GPUs with 32/16 and 2 GPUs with 64/8 have the same losses to 1e-9" {
  mapfile -t profile < <(profile_env demo-ddp h200)
  expect_equal "${profile[*]}" "BATCH_SIZE=64 GRAD_ACCUM=8"
  train_into base "$(gpus_of demo-ddp)" UNRELATED=1
  train_into profile "$(gpus_of demo-ddp h200)" "${profile[@]}"
  expect_number "$(largest_difference base profile)" -lt 1e-9
  expect_equal "$(head -1 "$BATS_TEST_TMPDIR/base.out")" \
    "demo-ddp: 4 GPUs, BATCH_SIZE 32, GRAD_ACCUM 16 (4 per GPU), macro-batch 512, SEED 42"
  expect_equal "$(head -1 "$BATS_TEST_TMPDIR/profile.out")" \
    "demo-ddp: 2 GPUs, BATCH_SIZE 64, GRAD_ACCUM 8 (4 per GPU), macro-batch 512, SEED 42"
}

@test "the GPU count cut alone, with nothing to make up for it, has other losses" {
  train_into base 4 ACCUM_PER_GPU=4
  train_into cut 2 ACCUM_PER_GPU=4
  expect_number "$(largest_difference base cut)" -gt 1e-6
  expect_equal "$(head -1 "$BATS_TEST_TMPDIR/cut.out")" \
    "demo-ddp: 2 GPUs, BATCH_SIZE 32, GRAD_ACCUM 8 (4 per GPU), macro-batch 256, SEED 42"
}

@test "ACCUM_PER_GPU at the base is the base" {
  train_into base 4 UNRELATED=1
  train_into fixed 4 ACCUM_PER_GPU=4
  cmp "$BATS_TEST_TMPDIR/base/losses.txt" "$BATS_TEST_TMPDIR/fixed/losses.txt"
}

@test "a run repeats to the bit, another seed does not" {
  train_into first 2 BATCH_SIZE=4 GRAD_ACCUM=2
  train_into second 2 BATCH_SIZE=4 GRAD_ACCUM=2
  train_into other 2 BATCH_SIZE=4 GRAD_ACCUM=2 SEED=43
  cmp "$BATS_TEST_TMPDIR/first/losses.txt" "$BATS_TEST_TMPDIR/second/losses.txt"
  run ! cmp -s "$BATS_TEST_TMPDIR/first/losses.txt" "$BATS_TEST_TMPDIR/other/losses.txt"
}

@test "it learns: the loss of the default run halves" {
  MAX_ITERS=16 train_into base 1 UNRELATED=1
  read -r _ first < <(head -1 "$BATS_TEST_TMPDIR/base/losses.txt")
  read -r _ last < <(tail -1 "$BATS_TEST_TMPDIR/base/losses.txt")
  expect_number "$last" -lt "$(python3 -c "print($first / 2)")"
}

@test "one process per GPU does the work" {
  cat >"$BATS_TEST_TMPDIR/count.py" <<'EOF'
import os, sys
sys.path.insert(0, sys.argv[1])
import train_ddp
micro_batch = train_ddp.micro_batch
def noted(settings, parameters, first_index):
    with open(sys.argv[2], "a") as file:
        file.write(f"{os.getpid()} {first_index}\n")
    return micro_batch(settings, parameters, first_index)
train_ddp.micro_batch = noted
assert train_ddp.wait_for(train_ddp.start_ranks(train_ddp.Settings(4, 8, 2, 3, 0.1, 42)))
EOF
  python3 "$BATS_TEST_TMPDIR/count.py" "$SCRIPTS" "$BATS_TEST_TMPDIR/work" >/dev/null
  expect_equal "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/work" | sort | uniq -c | awk '{print $1}')" \
    $'6\n6\n6\n6' "micro-batches per process"
  expect_equal "$(cut -d' ' -f2 "$BATS_TEST_TMPDIR/work" | sort -n | xargs)" \
    "$(seq 0 8 184 | xargs)" "every sample of the stream once"
}

@test "losses are printed and written with 17 digits, result.json says how they came about" {
  train_into base 2 BATCH_SIZE=4 GRAD_ACCUM=2
  expect_equal "$(sed -n 's/^iteration \([0-9]*\) loss /\1 /p' "$BATS_TEST_TMPDIR/base.out")" \
    "$(cat "$BATS_TEST_TMPDIR/base/losses.txt")"
  python3 - "$BATS_TEST_TMPDIR/base" <<'EOF'
import json, sys
result = json.load(open(sys.argv[1] + "/result.json"))
losses = [float(line.split()[1]) for line in open(sys.argv[1] + "/losses.txt")]
assert result.pop("seconds") > 0
assert result == {"gpus": 2, "batch_size": 4, "grad_accum": 2, "macro_batch": 8, "seed": 42,
                  "losses": losses, "final_loss": losses[-1]}, result
EOF
}

@test "eval.sh prints the final loss of the same OUTPUT_DIR" {
  train_into base 1 BATCH_SIZE=4 GRAD_ACCUM=1
  OUTPUT_DIR="$BATS_TEST_TMPDIR/base" run bash "$SCRIPTS/eval.sh"
  expect_equal "$status" 0
  read -r iteration loss < <(tail -1 "$BATS_TEST_TMPDIR/base/losses.txt")
  expect_equal "$output" "demo-ddp: final loss $loss after $iteration iterations"
}

@test "refused: an evaluation without results" {
  run env -u OUTPUT_DIR bash "$SCRIPTS/eval.sh"
  expect_refusal "eval.sh: OUTPUT_DIR is not set: it is the folder with losses.txt"
  OUTPUT_DIR="$BATS_TEST_TMPDIR" run bash "$SCRIPTS/eval.sh"
  expect_refusal "eval.sh: $BATS_TEST_TMPDIR/losses.txt is missing or empty:\
 train has not finished for this seed"
}

@test "refused: settings that the trainer cannot keep" {
  while IFS='|' read -r setting expected; do
    CUDA_VISIBLE_DEVICES=0,1,2 run env "$setting" bash "$SCRIPTS/train.sh"
    expect_refusal "$expected"
  done <<'EOF'
GRAD_ACCUM=16|train_ddp.py: GRAD_ACCUM=16 is not a multiple of the 3 GPUs that share it equally
GRAD_ACCUM=0|train_ddp.py: GRAD_ACCUM=0: must be a whole number from 1 up
ACCUM_PER_GPU=x|train_ddp.py: ACCUM_PER_GPU=x: must be a whole number from 1 up
CUDA_VISIBLE_DEVICES=|train.sh: CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU
EOF
  GRAD_ACCUM=3 CUDA_VISIBLE_DEVICES=0 LEARNING_RATE=nan run bash "$SCRIPTS/train.sh"
  expect_refusal "train_ddp.py: LEARNING_RATE=nan: must be a number above 0"
}

@test "a process that fails ends the run, with a message and no results" {
  cat >"$BATS_TEST_TMPDIR/fail.py" <<'EOF'
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import train_ddp
accumulate = train_ddp.accumulate
def failing(settings, parameters, rank, iteration):
    if rank == 2:
        os._exit(9)
    return accumulate(settings, parameters, rank, iteration)
train_ddp.accumulate = failing
train_ddp.main()
EOF
  BATCH_SIZE=4 GRAD_ACCUM=4 LEARNING_RATE=0.1 SEED=1 OUTPUT_DIR="$BATS_TEST_TMPDIR/out" \
    run timeout 60 python3 "$BATS_TEST_TMPDIR/fail.py" "$SCRIPTS" --nproc-per-node=4
  expect_equal "$status" 1
  expect_equal "${lines[-1]}" "train_ddp.py: a process failed, the training is not complete"
  [[ ! -e "$BATS_TEST_TMPDIR/out" ]]
}

@test "processes that have only just begun end as well when another one fails" {
  cat >"$BATS_TEST_TMPDIR/begin.py" <<'EOT'
import os, sys, time
sys.path.insert(0, sys.argv.pop(1))
import train_ddp
begun = 0
def count():
    global begun
    begun += 1
def begin():
    if begun == 3:
        os._exit(9)
    time.sleep(1)
os.register_at_fork(before=count, after_in_child=begin)
train_ddp.main()
EOT
  BATCH_SIZE=4 GRAD_ACCUM=4 LEARNING_RATE=0.1 SEED=1 MAX_ITERS=100000 \
    run timeout 20 python3 "$BATS_TEST_TMPDIR/begin.py" "$SCRIPTS" --nproc-per-node=4
  expect_equal "$status" 1
  expect_equal "${lines[-1]}" "train_ddp.py: a process failed, the training is not complete"
}

@test "SIGTERM ends every process" {
  local status=0
  export CUDA_VISIBLE_DEVICES=0,1,2,3 MAX_ITERS=100000
  bash "$SCRIPTS/train.sh" >"$BATS_TEST_TMPDIR/out" &
  local pid=$!
  until grep -q iteration "$BATS_TEST_TMPDIR/out"; do kill -0 "$pid"; done
  local ranks
  ranks="$(cat "/proc/$pid/task/$pid/children")"
  expect_equal "$(wc -w <<<"$ranks")" 4
  kill "$pid"
  wait "$pid" || status=$?
  expect_equal "$status" 143
  for rank in $ranks; do
    run ! kill -0 "$rank"
  done
}
