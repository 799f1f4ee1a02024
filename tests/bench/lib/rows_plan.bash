# shellcheck shell=bash
# Rows about plans: how long making one takes, and how good its packing is. They need no cluster.
# Part of tests/bench/bench.

# Variables of tests/bench/bench and lib/clusters.bash, and one that it reads.
# shellcheck disable=SC2154,SC2034
readonly PLAN_ROWS=(plan-start plan-large pack makespan)

# plan_suite NAME [ARGUMENT]...: a generated suite; sets `plan` to the command that plans it.
plan_suite() {
  local folder=$work/plan-$1
  [[ -d $folder ]] || python3 "$root/tests/data/generate_tasks.py" "$folder/tasks" \
    --packages "$folder/packages" "${@:2}"
  plan=("$build/sbatch-tasks" plan -q --all --compute-scale=0.5 --tasks-dir "$folder/tasks"
    --packages-dir "$folder/packages")
}

row_plan-start() {
  local ratio a b low high
  plan_suite 43
  read -r ratio a b low high < <(paired -- "${plan[@]}" -- python3 -c 'import json')
  row plan-start 'plan --all, 43 tasks, start included' "python3 -c 'import json'" 1 "$ratio" \
    "$(details "$a" "$b" "$low" "$high")"
}

# best_of COMMAND...: the least wall seconds of five runs and the most memory of them in MiB.
best_of() {
  python3 - "$@" <<'END'
import resource, subprocess, sys, time
walls = []
for _ in range(5):
    start = time.perf_counter()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    walls.append(time.perf_counter() - start)
print(f"{min(walls):.4f} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f}")
END
}

row_plan-large() {
  local large small memory ratio
  plan_suite small --tasks 10 --entries 100
  read -r small _ < <(best_of "${plan[@]}")
  plan_suite large --tasks 1000 --entries 100
  read -r large memory < <(best_of "${plan[@]}")
  ratio=$(awk -v l="$large" -v s="$small" 'BEGIN { printf "%.3f", l / 100 / s }')
  row plan-large 'plan --all, 1,000 tasks x 100 entries' 'per entry of 1,000' 1.3 "$ratio" \
    "$large and $small s"
  row plan-large 'the same' 'seconds' 1 "$large" ''
  row plan-large 'the same' 'MiB' 200 "$memory" ''
}

# What is requested over what is used, with --pack=all.
row_pack() {
  local ratio large small ratio_large
  plan_suite 43
  ratio=$("${plan[@]}" --seeds 42 --pack=all --json | python3 -c '
import json, sys
hours = json.load(sys.stdin)["gpu_hours"]
print("%.4f" % (hours["requested"] / hours["lower_bound"]))')
  row pack 'GPU-hours requested, 43 tasks at 0.5' 'lower bound' 1.03 "$ratio" '--pack=all, one seed'
  read -r ratio small < <("$build/pack-bench" 1000)
  read -r ratio_large large < <("$build/pack-bench" 100000)
  row pack 'the same, 1,000 random entries' 'lower bound' 1.02 "$ratio" ''
  row pack 'the same, 100,000 random entries' 'lower bound' 1.02 "$ratio_large" ''
  ratio=$(awk -v l="$large" -v s="$small" 'BEGIN { printf "%.3f", l / s }')
  row pack 'time of packing 100,000 entries' 'per entry of 1,000' 1.3 "$ratio" \
    "$large and $small us per entry"
}

# A simulated run in which every job takes its whole limit.
row_makespan() {
  local ratio minutes
  plan_suite 43
  "${plan[@]}" --pack=all --gantt "$work/plan.svg" --devices 16 --json >"$work/plan.json"
  minutes=$(sed -n 's/.* devices, \([0-9]*\):\([0-9]*\) hours .*/\1 * 60 + \2/p' "$work/plan.svg")
  ratio=$(python3 - "$work/plan.json" "$((minutes))" <<'END'
import collections, json, sys
plan = json.load(open(sys.argv[1], encoding="utf-8"))
stages = collections.defaultdict(dict)
for e in plan["entries"]:
    task = stages[e["task"]]
    task[e["stage"]] = max(task.get(e["stage"], 0), e["time_minutes"])
chain = max(sum(task.values()) for task in stages.values())
print("%.3f" % (int(sys.argv[2]) / max(plan["gpu_hours"]["lower_bound"] * 60 / 16, chain)))
END
)
  row makespan '43 tasks at 0.5 on 16 devices, simulated' 'work and longest chain' 1.10 "$ratio" \
    "$((minutes)) minutes"
}
