# shellcheck shell=bash
# What following a run costs. Sourced by `bench`, which sets root, build, work, cluster.
# shellcheck disable=SC2154

readonly STATUS_JOBS=20000
readonly STATUS_ARRAY=1000

# A run directory whose plan.json and journal say that its jobs are elements of the arrays IDS….
# One task of 20,000 entries, one step and one job each.
write_status_run() {
  python3 - "$work/status-run" "$STATUS_JOBS" "$STATUS_ARRAY" "${@}" << 'END'
import json, os, sys
folder, jobs, size, ids = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
os.makedirs(folder + "/results/t")
names = [f"t-g1-s{i}" for i in range(jobs)]
plan = {
    "version": 1,
    "run": {"exp_name": "r", "run_dir": folder, "save_path": folder, "container_runtime": "local",
            "neutral": False, "plugin": False, "config_file": "", "sbatch_args": []},
    "scale": {"compute_scale": "1", "hardware": None},
    "gpu_hours": {"requested": 1, "lower_bound": 1},
    "tasks": [{"name": "t", "dir": folder}],
    "entries": [{"task": "t", "label": "a", "cmd": "a.sh", "group": 1, "stage": 0, "hidden": False, "package": None,
                 "base_compute": "1", "compute": "1", "time_minutes": 60, "env": {}}],
    "steps": [{"entry": 0, "seed": i, "log": f"logs/t/a-seed{i}.log", "result": f"results/t/a-seed{i}.json"}
              for i in range(jobs)],
    "jobs": [{"name": name, "devices": 1, "time_minutes": 60, "mem_mib": 1000, "cpus": 1, "after": [],
              "lanes": [{"devices": [0], "steps": [i]}], "slurm_name": name + ".00000000", "script": f"scripts/{name}.sh",
              "log": f"logs/{name}.slurm.log",
              "directives": [f"--job-name={name}.00000000", f"--output={folder}/logs/{name}.slurm.log", "--nodes=1",
                             "--ntasks=1", "--gres=gpu:1", "--cpus-per-task=12", "--mem=102400M", "--time=01:00:00"]}
             for i, name in enumerate(names)],
}
json.dump(plan, open(folder + "/plan.json", "w"), indent=1)
with open(folder + "/journal.jsonl", "w") as journal:
    for number, id in enumerate(ids):
        members = [{"job": name, "index": index} for index, name in enumerate(names[number * size:(number + 1) * size])]
        name = f"array{number}"
        journal.write(json.dumps({"event": "begin", "name": name, "time": 1, "number": 1, "jobs": members, "argv": []}) + "\n")
        journal.write(json.dumps({"event": "submitted", "name": name, "id": id, "time": 2}) + "\n")
END
}

# The requests of job information that the controller has answered.
status_requests() {
  SLURM_CONF=$(conf_of queue) sdiag | awk '/REQUEST_JOB_/ { split($0, part, "count:"); sum += part[2] } END { print sum + 0 }'
}

# 20,000 jobs that wait, in arrays: seconds against the limit of one second.
row_status() {
  local ids=() start before times
  for ((start = 0; start < STATUS_JOBS; start += STATUS_ARRAY)); do
    ids+=("$(SLURM_CONF=$(conf_of queue) sbatch --parsable --hold --output=/dev/null \
      --array=0-$((STATUS_ARRAY - 1)) "$job")")
  done
  write_status_run "${ids[@]}"
  before=$(status_requests)
  times=$(for _ in 1 2 3 4 5; do
    SLURM_CONF=$(conf_of queue) bash -c 'TIMEFORMAT=%R; time "$@" > /dev/null' _ \
      "$build/sbatch-tasks" status "$work/status-run" 2>&1
  done | sort -n | sed -n 3p)
  row status "status of $STATUS_JOBS waiting jobs, seconds" 'one second' 1 "$times" \
    "median of 5; $((($(status_requests) - before) / 5)) request(s) of the controller each"
}
