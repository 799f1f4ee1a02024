# What is refused: one line, an exit status that is not 0, nothing submitted.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  entry=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m)
}

@test "malformed factors" {
  for factor in nan inf -1 0 '' 0,5 2x 1e400 abc 0x1 ' ' --; do
    expect_refused '--compute-scale: ".*expected|--compute-scale: ".*factor' sbatch "--compute-scale=$factor" --gres=gpu:4 --wrap true
  done
  expect_refused 2x srun --compute-scale=2x --gres=gpu:4 true
  expect_refused 2x salloc --compute-scale=2x --gres=gpu:4 true
  expect_refused 2x as_user sbatch --compute-scale=2x --gres=gpu:4 --wrap true
  printf '#!/bin/bash\n#SBATCH --compute-scale=2x\n' > directive.sh
  expect_refused 2x sbatch directive.sh
  expect_refused 2x env SBATCH_COMPUTE_SCALE=2x sbatch --wrap true
  expect_refused '""' env SBATCH_COMPUTE_SCALE= sbatch --wrap true
}

@test "a malformed factor is refused for one GPU and for none as well" {
  expect_refused 2x sbatch --compute-scale=2x --gres=gpu:1 --wrap true
  expect_refused 2x sbatch --compute-scale=2x --wrap true
}

@test "malformed policies and entries" {
  expect_refused 'sometimes.*keep.*scale.*refuse' \
    sbatch --compute-scale=0.5 --compute-unprofiled=sometimes --gres=gpu:4 --wrap true
  for name in '' / a/ /b ../x . llm-pretrain-loss/; do
    expect_refused '--compute-entry: ' sbatch --compute-scale=0.5 "--compute-entry=$name" --wrap true
  done
}

@test "unknown hardware, with what there is" {
  expect_refused 'h300.*h200' sbatch --compute-scale=h300 --gres=gpu:4 --wrap true
}

@test "unknown entries, with the nearest names" {
  expect_refused 'llm-pretrain-los.*llm-pretrain-loss' \
    sbatch --compute-scale=0.5 --compute-entry=llm-pretrain-los --gres=gpu:4 --wrap true
  expect_refused 'gpt-346m.*gpt-345m' sbatch --compute-scale=0.5 \
    --compute-entry=llm-pretrain-loss/gpt-346m --gres=gpu:4 --wrap true
}

@test "a count that is neither the base nor the profile's" {
  for request in --gres=gpu:3 --gpus=8 --gpus-per-node=1 '--gres=gpu:4 -N2'; do
    # shellcheck disable=SC2086
    expect_refused '4.*2' sbatch "${entry[@]}" $request --wrap true
    # shellcheck disable=SC2086
    expect_refused '4.*2' srun "${entry[@]}" $request true
  done
}

@test "contradicting GPU options" {
  expect_refused 'gres.*gpus' sbatch "${entry[@]}" --gres=gpu:4 --gpus=2 --wrap true
  ! takes_gres_and_per_node || expect_refused 'gres.*gpus-per-node' \
    sbatch "${entry[@]}" --gres=gpu:4 --gpus-per-node=2 --wrap true
}

@test "a count that the nodes cannot carry" {
  expect_refused '2 GPUs.* 4 nodes' sbatch "${entry[@]}" -N4 --gpus-per-node=1 --wrap true
}

@test "an entry for a later component of a het job" {
  expect_refused 'het-group=1' sbatch --gres=gpu:1 : "${entry[@]}" --gres=gpu:4 --wrap true
}

# --- configs ---

# with_config FILE COMMAND...
with_config() {
  local config=$1
  shift
  COMPUTE_SCALE_CONFIG=$config "$@"
}

@test "a broken config or task of the user" {
  printf 'hardware: [\n' > broken.yaml
  expect_refused broken.yaml with_config "$work/broken.yaml" sbatch "${entry[@]}" --wrap true
  expect_refused broken.yaml with_config "$work/broken.yaml" \
    sbatch --compute-scale=0.5 --gres=gpu:4 --wrap true
  expect_refused absent.yaml with_config "$work/absent.yaml" sbatch "${entry[@]}" --wrap true
  echo 'tasks_dir: mine' > own.yaml
  mkdir -p mine/half/scripts
  echo '{"test_cmds": [{"cmd": 3}]}' > mine/half/config.json
  expect_refused 'half.*config.json.*cmd' with_config "$work/own.yaml" \
    sbatch --compute-scale=0.5 --compute-entry=half --wrap true
  rm mine/half/config.json
  expect_refused 'half' with_config "$work/own.yaml" \
    sbatch --compute-scale=0.5 --compute-entry=half --wrap true
}
