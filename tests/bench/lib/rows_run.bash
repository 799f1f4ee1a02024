# shellcheck shell=bash
# What the local executor costs: steps per second beside programs that only start commands. Needs no
# cluster. Part of tests/bench/bench.

# Variables of tests/bench/bench and lib/clusters.bash, and one that it reads.
# shellcheck disable=SC2154,SC2034
readonly RUN_ROWS=(run)
readonly RUN_ROUNDS=${RUN_ROUNDS:-3}

# 100 tasks with 100 entries of one GPU each; all steps run `true`.
true_tasks() {
  python3 - "$1" <<'END'
import json, os, sys
for task in range(100):
    folder = f"{sys.argv[1]}/t{task:02}"
    os.makedirs(folder)
    entries = [{"cmd": "true", "label": f"e{i:02}", "group": 1, "compute": 1} for i in range(100)]
    json.dump({"test_cmds": entries}, open(f"{folder}/config.json", "w"))
END
}

# seconds COMMAND...: how long it took.
seconds() {
  local began=$EPOCHREALTIME
  "$@" > /dev/null || { echo "bench: failed: $*" >&2; exit 1; }
  awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}

# local_run ROUND: in new folders; where many files have just been removed the next ones are slow to make.
local_run() {
  COMPUTE_SCALE_SITE_CONFIG='' "$build/sbatch-tasks" run -q --all --tasks-dir "$work/true" \
    --container-runtime local --save-path "$work/run-results-$1" --run-dir "$work/run-$1" --gpus 8
}
with_xargs() { xargs -P 8 -n 1 true < "$work/numbers"; }
with_parallel() { parallel --will-cite -j 8 true < "$work/numbers"; }

# The three take turns; each figure is the median of the ratios of one turn.
row_run() {
  local round ours xargs parallel turns=
  true_tasks "$work/true"
  seq 10000 > "$work/numbers"
  for ((round = 0; round < RUN_ROUNDS; round++)); do
    ours=$(seconds local_run "$round")
    xargs=$(seconds with_xargs)
    parallel=$(seconds with_parallel)
    turns+="$ours $xargs $parallel"$'\n'
  done
  local -a middle
  read -r -a middle < <(python3 -c 'import statistics, sys
turns = [[float(x) for x in line.split()] for line in sys.stdin if line.strip()]
m = statistics.median
print(*(f"{x:.3f}" for x in (m(a / b for a, b, _ in turns), m(a / c for a, _, c in turns))),
      *(f"{m(column):.2f}" for column in zip(*turns)))' <<< "$turns")
  local detail="10,000 in ${middle[2]} s; xargs ${middle[3]} s, parallel ${middle[4]} s"
  row run 'time of a step of sbatch-tasks run, 8 at once' 'xargs -P8' 1.25 "${middle[0]}" "$detail"
  row run 'the same' 'GNU parallel -j8' 0.2 "${middle[1]}" "$detail"
}
