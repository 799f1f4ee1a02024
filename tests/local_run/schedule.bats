#!/usr/bin/env bats
# What runs when, and on which devices.
load helper

setup() { begin_local_test; }

# same_entries TASK COUNT COMPUTE SHARE SECONDS
same_entries() {
  python3 - "$@" <<'END' >entries.json
import json, sys
_, task, count, compute, share, seconds = sys.argv
print(json.dumps([{"cmd": "a.sh " + seconds, "label": f"e{i}", "group": 1, "compute": float(compute),
                   "env": {"SHARE": share}} for i in range(int(count))]))
END
  task "$1" <entries.json
  timed_script "$1/a.sh"
}

@test 'ten steps of a tenth share one device, and all run at once' {
  same_entries t 10 0.1 100000 2
  run sbatch-tasks run -q t --run-dir run --gpus 8
  expect_equal "$status" 0 "$output"
  expect_equal "$(cut -d' ' -f3 spans | sort -u)" 0
  expect_equal "$(check_spans)" 10
}

@test '54 steps of 0.15 on 8 devices: 48 at once, at most 6 on any' {
  same_entries t 54 0.15 150000 3
  run sbatch-tasks run -q t --run-dir run --gpus 8
  expect_equal "$status" 0 "$output"
  expect_equal "$(check_spans)" 48
  expect_equal "$(wc -l <spans)" 54
}

@test 'a mix of amounts over-commits no device, and each step sees exactly its own' {
  python3 - <<'END' >entries.json
import json
amounts = [0.34, 0.34, 0.34, 1, 2, 0.5, 0.9, 0.1, 3, 1, 0.25, 0.75, 2, 0.15, 4]
print(json.dumps([{"cmd": "a.sh 0.2", "label": f"e{i}", "group": 1, "compute": c,
                   "env": {"SHARE": str(int(min(c, 1) * 1000000))}} for i, c in enumerate(amounts)]))
END
  task t <entries.json
  timed_script t/a.sh
  run sbatch-tasks run -q t --seeds 1,2,3 --run-dir run --gpus 4
  expect_equal "$status" 0 "$output"
  check_spans
  expect_equal "$(wc -l <spans)" 45
  count_of() { awk -v l="$1" '$5 == l {print split($3, a, ",")}' spans | sort -u; }
  expect_equal "$(count_of e0) $(count_of e3) $(count_of e4) $(count_of e8) $(count_of e14)" '1 1 2 3 4'
}

@test 'a step of all devices does not starve behind small ones' {
  same_entries t 24 1 1000000 0.4
  # It becomes ready when the first ones of these have run for a while.
  task u <<'END'
[{"cmd": "first.sh", "label": "first", "group": 1, "compute": 0},
 {"cmd": "a.sh 0.1", "label": "big", "group": 2, "compute": 4, "env": {"SHARE": "1000000"}}]
END
  script u/first.sh <<<'sleep 0.3'
  timed_script u/a.sh
  run sbatch-tasks run t u --run-dir run --gpus 4
  expect_equal "$status" 0 "$output"
  check_spans
  # Of the small ones none starts between, and some are left for later.
  expect_equal "$(sed -n '/done u.first/,/start u.big/p' <<<"$output" | grep -c 'start t')" 0
  (($(sed -n '/done u.big/,$p' <<<"$output" | grep -c 'start t') > 0))
}

@test 'steps without GPU: as many at once as --cpu-jobs says, and they see none' {
  same_entries t 6 0 0 0.5
  run sbatch-tasks run -q t --run-dir run --cpu-jobs 2
  expect_equal "$status" 0 "$output"
  expect_equal "$(check_spans)" 2
  expect_equal "$(cut -d' ' -f3 spans | sort -u)" ''
}

@test 'groups run in order; seeds and tasks side by side' {
  local name file
  for name in t u; do
    task $name <<'END'
[{"cmd": "a.sh", "label": "one", "group": 1, "compute": 1, "env": {"SHARE": "1000000"}},
 {"cmd": "a.sh", "label": "two", "group": 2, "compute": 1, "env": {"SHARE": "1000000"}},
 {"cmd": "a.sh", "label": "last", "compute": 1, "env": {"SHARE": "1000000"}}]
END
    script $name/a.sh <<'END'
begin=$(date +%s%N)
sleep 0.7
echo "$begin $(date +%s%N) $CUDA_VISIBLE_DEVICES $SHARE $ENV" >>"$OUTPUT_DIR/spans"
END
  done
  run sbatch-tasks run -q t u --seeds 1,2 --run-dir run --gpus 8
  expect_equal "$status" 0 "$output"
  for file in results/{t,u}/run/seed_{1,2}/spans; do
    expect_equal "$(cut -d' ' -f5 "$file" | xargs)" 'one two last'
    # Each begins when the one before has ended.
    awk 'NR > 1 && $1 < end {exit 1} {end = $2}' "$file"
  done
  cat results/*/run/seed_*/spans >spans
  expect_equal "$(check_spans)" 4
}

@test 'devices: a list, names passed on unchanged, the variable, nvidia-smi' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 2}]'
  script t/a.sh <<<'echo "sees $CUDA_VISIBLE_DEVICES"'
  sees() {
    sbatch-tasks run -q t --run-dir run "$@" >table
    grep ^sees run/logs/t/a-seed42.log
    rm -r run
  }
  expect_equal "$(sees --gpus 5,GPU-8932f937-d72c)" 'sees 5,GPU-8932f937-d72c'
  expect_equal "$(sees --gpus MIG-41b3,MIG-GPU-8932/1/2,3)" 'sees MIG-41b3,MIG-GPU-8932/1/2'
  expect_equal "$(CUDA_VISIBLE_DEVICES=GPU-a,GPU-b sees)" 'sees GPU-a,GPU-b'
  expect_equal "$(CUDA_VISIBLE_DEVICES=GPU-a,GPU-b sees --gpus 2)" 'sees 0,1'
  cat >bin/nvidia-smi <<'END'
#!/bin/sh
echo "GPU 0: NVIDIA H200 (UUID: GPU-x)"
echo "  MIG 1g.18gb Device  0: (UUID: MIG-y)"
echo "GPU 1: NVIDIA H200 (UUID: GPU-z)"
END
  chmod +x bin/nvidia-smi
  expect_equal "$(sees)" 'sees MIG-y,1'
}

@test 'more devices than there are: refused before anything starts' {
  task t <<'END'
[{"cmd": "a.sh", "label": "small", "compute": 1}, {"cmd": "a.sh", "label": "big", "compute": 4}]
END
  script t/a.sh <<<'echo ran'
  run sbatch-tasks run t --run-dir run --gpus 2
  expect_error 3 't/big: needs 4 GPUs, but there are 2 (--gpus)'
  [[ ! -e run && ! -e results ]]
  CUDA_VISIBLE_DEVICES=7 run sbatch-tasks run t --run-dir run
  expect_error 3 't/big: needs 4 GPUs, but there is 1 (CUDA_VISIBLE_DEVICES)'
}

@test 'no nvidia-smi: no GPUs, and it says so' {
  task t <<<'[{"cmd": "a.sh", "label": "a", "compute": 1}]'
  script t/a.sh <<<'echo ran'
  local program
  program=$(command -v sbatch-tasks)
  PATH=$work/bin run "$program" run t --run-dir run
  expect_equal "$status" 3
  expect_equal "$output" "sbatch-tasks: warning: nvidia-smi: cannot be started: No such file or directory: no GPUs are used (--gpus=N says how many there are)
sbatch-tasks: error: t/a: needs 1 GPU, but there are 0 (nvidia-smi)"
  # Steps without GPU need none to be looked for.
  task u <<<'[{"cmd": "a.sh", "label": "a", "compute": 0}]'
  script u/a.sh <<<'echo ran'
  PATH=$work/bin run "$program" run -q u --run-dir run
  expect_equal "$status" 0 "$output"
}

@test 'refusals of --gpus' {
  task t <<<'[{"cmd": "a.sh", "label": "a"}]'
  script t/a.sh <<<'echo ran'
  run sbatch-tasks run t --run-dir run --gpus a100
  expect_error 1 '--gpus "a100": expected a count (8) or a list of devices (0,2 or GPU-… or MIG-…)'
  run sbatch-tasks run t --run-dir run --gpus 0,0
  expect_error 1 '--gpus "0,0": device "0" comes twice'
}

@test 'the scale decides how many fit' {
  same_entries t 2 1 500000 1
  run sbatch-tasks run -q t --run-dir run --gpus 1 --compute-scale 0.5
  expect_equal "$status" 0 "$output"
  expect_equal "$(check_spans)" 2
  expect_equal "$(result t/e0 '(d["base_compute"], d["compute"], d["compute_scale"], d["devices"])')" \
    "('1', '0.5', '0.5', '0')"
}
