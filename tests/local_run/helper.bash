# shellcheck shell=bash
# What the tests of `sbatch-tasks run` share.
load ../wrapper/helper

# No GPUs but those that a test names.
begin_local_test() {
  begin_test
  unset CUDA_VISIBLE_DEVICES
}

# result TASK/LABEL EXPRESSION [SEED]
result() { json "run/results/$1-seed${3:-42}.json" "$2"; }

state_of() { result "$1" '(d["state"], d["exit_code"])' "${2-}"; }

# wait_until COMMAND...: succeeds as soon as it does; fails after 30 s.
wait_until() {
  local _
  for _ in {1..600}; do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  echo "never came true: $*"
  return 1
}

# alive: the processes of the file `pids` that still run (a zombie does not).
alive() {
  local pid state
  while read -r pid; do
    state=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) || continue
    [[ $state == [ZX]* ]] || echo "$pid"
  done <pids
}

# A script NAME whose step sleeps and writes its start, end, devices, SHARE and label into `spans`.
timed_script() {
  script "$1" <<'END'
begin=$(date +%s%N)
sleep "${1:-0.3}"
echo "$begin $(date +%s%N) $CUDA_VISIBLE_DEVICES $SHARE $ENV" >>"$SAVE_PATH/../spans"
END
}

# check_spans: no device of `spans` was ever given out for more than the whole of it. SHARE is the
# step's share of each of its devices in millionths. Prints the most steps that ran at once.
check_spans() {
  python3 - <<'END'
spans = [line.split(" ") for line in open("spans")]
spans = [(int(b), int(e), [x for x in d.split(",") if x], int(s)) for b, e, d, s, _ in spans]
most = 0
for begin, *_ in spans:
    now = [s for s in spans if s[0] <= begin < s[1]]
    most = max(most, len(now))
    used = {}
    for _, _, devices, share in now:
        for device in devices:
            used[device] = used.get(device, 0) + share
    assert all(share <= 1000000 for share in used.values()), used
print(most)
END
}
