# shellcheck shell=bash
# A Slurm that keeps a queue in files, for the tests of what is submitted and what is found again.
# Loaded behind helper.bash.

# sbatch puts "ID|INDEX|STATE|REASON|TIME|NAME" lines into the file `queue`; squeue shows it, scancel
# ends jobs in it. `at_call N CODE` runs CODE in the N-th call of sbatch instead: it may call
# `submit_it`, and kill the caller ("$caller").
# shellcheck disable=SC2154 # begin_test sets work
fake_slurm() {
  : >queue
  : >calls
  mkdir -p at
  cat >bin/sbatch <<END
#!/usr/bin/env bash
cd '$work'
echo call >>calls
number=\$(wc -l <calls)
caller=\$PPID
submit_it() {
  local name='' array='' argument script id=\$((100 + number)) index
  for argument in "\$@"; do
    case \$argument in
      --job-name=*) name=\${argument#*=} ;;
      --array=*) array=\${argument#*=} ;;
      /*) script=\$argument ;;
    esac
  done
  [[ -n \$name ]] || name=\$(sed -n 's/^#SBATCH --job-name=//p' "\$script")
  for index in \$(python3 -c 'import sys
for part in sys.argv[1].split("%")[0].split(","):
    first, _, last = part.partition("-")
    print(*range(int(first), int(last or first) + 1))' "\${array:-0}"); do
    [[ -n \$array ]] || index=N/A
    echo "\$id|\$index|PENDING|Priority|\$(date +%s)|\$name" >>queue
  done
  echo "\$id"
}
if [[ -e at/\$number ]]; then source "./at/\$number"; else submit_it "\$@"; fi
END
  cat >bin/squeue <<END
#!/usr/bin/env bash
cd '$work'
[[ ! -e no-controller ]] || { echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; }
awk -F'|' -v OFS='|' '{ print \$1, \$2, \$1, \$3, \$4, "0:00", "N/A", 0, "N/A", "N/A", 1, "N/A", 1, "N/A", \$5, \$6, "" }' queue
END
  cat >bin/scancel <<END
#!/usr/bin/env bash
cd '$work'
for id in "\$@"; do
  sed -i "s/^\${id%_*}|\$([[ \$id == *_* ]] && echo "\${id#*_}" || echo '[^|]*')|[A-Z]*/&_/; s/|[A-Z]*_|/|CANCELLED|/" queue
done
END
  printf '#!/bin/sh\necho "Slurm accounting storage is disabled" >&2\nexit 1\n' >bin/sacct
  chmod +x bin/*
  fake_scontrol 1001
}

at_call() { echo "$2" >"at/$1"; }

# state NAME-PATTERN STATE [REASON]: what squeue shows of these jobs.
state() { sed -i -E "/\|$1\.[0-9a-f]{8}(\.[0-9]+)?$/s/^([^|]*\|[^|]*)\|[^|]*\|[^|]*/\1|$2|${3:-None}/" queue; }

# Fails unless each job of the run in ./run is exactly once in the queue, of all calls together.
expect_each_job_once() {
  python3 - <<'END'
import collections, json
plan = json.load(open("run/plan.json"))
held = {}
for line in open("run/journal.jsonl"):
    event = json.loads(line)
    for member in event.get("jobs", []):
        held[(event["name"], str(member.get("index", "N/A")))] = member["job"]
seen = collections.Counter()
for line in open("queue"):
    id, index, state, reason, time, name = line.rstrip("\n").split("|")
    if state not in ("CANCELLED", "FAILED", "TIMEOUT"):
        seen[held[(name, index)]] += 1
expected = {job["name"]: 1 for job in plan["jobs"]}
assert seen == expected, seen
END
}
