# The options themselves: where they are known, and which of several values counts.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  double=(--compute-unprofiled=scale)
}

@test "--help lists them in each command" {
  for command in sbatch salloc srun; do
    help=$($command --help)
    for option in --compute-scale= --compute-entry= --compute-unprofiled=; do
      grep -qF -- "      $option" <<< "$help"
    done
    # Slurm breaks lines at 80 columns; a text that it cannot break would be longer.
    expect_none '.{81}' <<< "$(sed -n '/Options provided by plugins/,$p' <<< "$help")"
  done
}

# asks_for EXPECTED SBATCH-ARGUMENT...
asks_for() {
  local id
  id=$(sbatch --parsable --hold "${@:2}" 2> messages)
  expect_equal "$(job_field "$id" TresPerNode)" "$1"
  scancel "$id"
}

@test "command line over environment over directive" {
  printf '#!/bin/bash\n#SBATCH --compute-scale=4 --compute-unprofiled=scale\n#SBATCH --gres=gpu:1\n' \
    > four.sh
  sed 's/gpu:1/gpu:2/' four.sh > two.sh
  asks_for gres:gpu:8 two.sh
  asks_for gres:gpu:4 --compute-scale=2 two.sh
  SBATCH_COMPUTE_SCALE=3 asks_for gres:gpu:6 two.sh
  SBATCH_COMPUTE_SCALE=3 asks_for gres:gpu:4 --compute-scale=2 two.sh
  # One GPU is not multiplied unless a profile says so; 2 would be 4 x 0.5.
  asks_for gres:gpu:2 --gres=gpu:4 --compute-scale=0.5 two.sh
}

@test "the last of several values counts" {
  printf '#!/bin/bash\n' > job.sh
  asks_for gres:gpu:6 --compute-scale=2 --compute-scale=3 "${double[@]}" --gres=gpu:2 job.sh
}

@test "the twins of salloc and srun" {
  export SALLOC_COMPUTE_SCALE=0.5 SLURM_COMPUTE_SCALE=0.25
  export SALLOC_COMPUTE_UNPROFILED=scale SLURM_COMPUTE_UNPROFILED=scale
  expect_equal "$(salloc -Q --gres=gpu:8 bash -c 'scontrol show job $SLURM_JOB_ID' |
    old_gres_words | grep -o 'TresPerNode=.*')" TresPerNode=gres:gpu:4
  expect_equal "$(srun -Q --gres=gpu:8 "$work/report" step)" 'step gpus=2'
  expect_equal "$(srun -Q --gres=gpu:8 --compute-scale=0.5 "$work/report" step)" 'step gpus=4'
}

@test "a hardware name and auto" {
  printf '#!/bin/bash\n' > job.sh
  asks_for gres:gpu:2 --compute-scale=h200 "${double[@]}" --gres=gpu:4 job.sh
  asks_for gres:gpu:h200:2 --compute-scale=auto "${double[@]}" --gres=gpu:h200:4 job.sh
}

@test "-Q silences the message in each command, but no refusal" {
  options=(-Q --compute-scale=0.5 --compute-unprofiled=scale --gres=gpu:4)
  for command in 'sbatch --wrap true' 'salloc true' 'srun true'; do
    # shellcheck disable=SC2086
    set -- $command
    run --separate-stderr "$1" "${options[@]}" "${@:2}"
    expect_equal "$status$stderr" 0
    run --separate-stderr "$1" "${options[@]}" --compute-scale=2x "${@:2}"
    [[ $status == 1 && $stderr == *2x* ]]
  done
}
