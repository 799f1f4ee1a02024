#!/usr/bin/env bats
# What holds for every task folder.

load helper

# The script without the lines that a family's members may differ in.
common_part_of() {
  case "$1" in
  */gpt_345m.sh) grep -vE '^(BATCH_SIZE|GRAD_ACCUM|MAX_ITERS)=' "$1" ;;
  */train.sh) sed '/^# What this task trains on/,/^# From here on/d' "$1" ;;
  */train_*.sh) sed -E 's/the (small|medium|large) auto/the auto/; /^MODEL_SIZE=/d' "$1" ;;
  *) cat "$1" ;;
  esac
}

# Fails unless all the files have one common part that is not empty.
expect_one_family() {
  local file parts
  parts="$(for file in "$@"; do common_part_of "$file" | sha256sum; done | sort -u | wc -l)"
  expect_equal "$parts" 1 "variants of $1" && [[ "$(common_part_of "$1" | wc -l)" -gt 10 ]]
}

@test "every script is valid bash" {
  for script in "$TASKS"/*/scripts/*.sh; do
    bash -n "$script"
  done
}

@test "shellcheck finds nothing" {
  shellcheck "$TASKS"/*/scripts/*.sh
}

@test "every entry's command is an executable script of its own folder" {
  local config cmd count=0
  for config in "$TASKS"/*/config.json; do
    while read -r cmd; do
      [[ -x "${config%/*}/$cmd" ]] || { echo "$config: $cmd" && return 1; }
      count=$((count + 1))
    done < <(python3 -c '
import json, sys
for entry in json.load(open(sys.argv[1]))["test_cmds"]: print(entry["cmd"])' "$config")
  done
  expect_equal "$count" $((11 * 2 + 4 + 3 + 2))
}

@test "no task folder links or reaches outside itself" {
  expect_equal "$(find "$TASKS" -type l)" ""
  run ! grep -rnE '\.\./' "$TASKS"
}

@test "the scripts of a family are equal but for their defaults" {
  expect_one_family "$TASKS"/llm-pretrain-*/scripts/gpt_345m.sh
  expect_one_family "$TASKS"/llm-pretrain-*/scripts/lm_eval_345m.sh
  expect_one_family "$TASKS"/llm-rl-*/scripts/train.sh
  expect_one_family "$TASKS"/cv-vae-loss/scripts/train_{small,medium,large}.sh
  expect_one_family "$TASKS"/*/scripts/visible_gpus.sh
}

@test "no task has a train_1gpu.sh" {
  expect_equal "$(find "$TASKS" -name 'train_1gpu*')" ""
  run ! grep -rn train_1gpu "$TASKS"
}

@test "the configs hold the benchmark's entries, seeds, baselines and hidden metrics, in order" {
  python3 - "$ROOT" <<'EOF'
import json, pathlib, sys
root = pathlib.Path(sys.argv[1])
suite = json.loads((root / "tests/data/suite.json").read_text())
tasks = sorted(path.name for path in (root / "tasks").iterdir())
assert len(tasks) == 17, tasks
for name in tasks:
    if name != "demo-ddp":
        text = (root / "tasks" / name / "config.json").read_text()
        assert text == json.dumps(suite[name], indent=2) + "\n", f"{name} is not as in suite.json"
EOF
}
