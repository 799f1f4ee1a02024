# shellcheck shell=bash
# What it takes to bring the whole suite into the queue. Sourced by `bench`.
# shellcheck disable=SC2154,SC2317

readonly SUBMIT_ROUNDS=${SUBMIT_ROUNDS:-3}

# The 43 tasks at 0.5 with three seeds, written below $work/submit-$1.
submit_verb() {
  env "SLURM_CONF=$(conf_of empty)" COMPUTE_SCALE_SITE_CONFIG="$work/site-few.yaml" \
    "$build/sbatch-tasks" "$1" -q --all --compute-scale=0.5 --seeds 1,2,3 --container-runtime local \
    --packages-dir "$work/submit-packages" --data-root /d --workspace-root /w \
    --save-path "$work/results" --run-dir "$2" "${@:3}" > /dev/null
}

submit_ours() { submit_verb submit "$work/submit-$1" -- --hold; }

# One sbatch per job (a group of a task and seed), as a loop over the scripts of a rendered run.
submit_single() {
  local script
  for script in "$work"/submit-rendered/scripts/*.sh; do
    SLURM_CONF=$(conf_of empty) sbatch --hold --parsable "$script" > /dev/null
  done
}

# One array per task and group, over the seeds.
submit_per_group() {
  local script
  for script in "$work"/submit-rendered/scripts/*-s1.sh "$work"/submit-rendered/scripts/*-s1-*.sh; do
    SLURM_CONF=$(conf_of empty) sbatch --hold --parsable --array=1-3 "$script" > /dev/null
  done
}

# Prints the milliseconds and the requests to the controller of a command.
cost_of() {
  local before after requests
  SLURM_CONF=$(conf_of empty) sdiag --reset > /dev/null
  before=$(date +%s%N)
  "$@"
  after=$(date +%s%N)
  requests=$(SLURM_CONF=$(conf_of empty) sdiag | awk '
    /^Remote Procedure Call statistics by message type/ { on = 1 } /by user/ { on = 0 }
    on && match($0, /count:[0-9]+/) { sum += substr($0, RSTART + 6, RLENGTH - 6) } END { print sum + 0 }')
  echo "$(((after - before) / 1000000)) $requests"
  SLURM_CONF=$(conf_of empty) scancel --user=root
}

least() { sort -n | head -n 1; }

row_submit() {
  local round ours=() single=() group=()
  python3 "$root/tests/data/generate_tasks.py" "$work/submit-tasks" --packages "$work/submit-packages" > /dev/null
  submit_verb render "$work/submit-rendered"
  for ((round = 0; round < SUBMIT_ROUNDS; round++)); do
    ours+=("$(cost_of submit_ours "$round")")
    single+=("$(cost_of submit_single)")
    group+=("$(cost_of submit_per_group)")
  done
  local a b c
  a=$(printf '%s\n' "${ours[@]}" | least)
  b=$(printf '%s\n' "${single[@]}" | least)
  c=$(printf '%s\n' "${group[@]}" | least)
  local detail="least of $SUBMIT_ROUNDS:"
  row submit 'submit --all, 43 tasks x 3 seeds' 'an sbatch per job' 0.2 "$(ratio "$a" "$b")" \
    "$detail ${a% *} and ${b% *} ms; ${a#* } and ${b#* } requests"
  row submit 'the same' 'an array per task and group' 0.333 "$(ratio "$a" "$c")" \
    "$detail ${a% *} and ${c% *} ms; ${a#* } and ${c#* } requests"
}

ratio() { awk -v a="${1% *}" -v b="${2% *}" 'BEGIN { printf "%.3f", a / b }'; }
