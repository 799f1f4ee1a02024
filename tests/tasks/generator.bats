#!/usr/bin/env bats
# tests/data/generate_tasks.py: the trees that the tests of the whole suite run on.

load helper

setup() {
  GENERATE="$ROOT/tests/data/generate_tasks.py"
  OUT="$BATS_TEST_TMPDIR/tasks"
}

@test "43 tasks, equal to the facts" {
  "$GENERATE" "$OUT"
  python3 - "$ROOT/tests/data/suite.json" "$OUT" <<'EOF'
import json, pathlib, sys
suite = json.load(open(sys.argv[1]))
out = pathlib.Path(sys.argv[2])
assert len(suite) == 43
assert sorted(path.name for path in out.iterdir()) == sorted(suite)
for name, task in suite.items():
    text = (out / name / "config.json").read_text()
    assert text == json.dumps(task, indent=2, ensure_ascii=False) + "\n", name
EOF
}

@test "every command exists and is valid bash" {
  "$GENERATE" "$OUT"
  local count=0
  while read -r script; do
    [[ -x "$script" ]]
    bash -n "$script"
    count=$((count + 1))
  done < <(python3 - "$OUT" <<'EOF'
import json, pathlib, sys
for config in pathlib.Path(sys.argv[1]).glob("*/config.json"):
    for entry in json.loads(config.read_text())["test_cmds"]:
        print(config.parent / entry["cmd"])
EOF
  )
  expect_equal "$count" 109
}

@test "the tasks of this repository come with their real scripts" {
  "$GENERATE" "$OUT"
  for task in "$TASKS"/*/; do
    task="$(basename "$task")"
    [[ "$task" == demo-ddp ]] || diff -r "$TASKS/$task" "$OUT/$task"
  done
}

@test "without profiles, nothing but the blocks is missing" {
  "$GENERATE" "$OUT" && "$GENERATE" "$OUT-plain" --without-profiles
  run ! grep -rq h200 "$OUT-plain" --include=config.json
  python3 - "$OUT" "$OUT-plain" <<'EOF'
import json, pathlib, sys
stripped = 0
for config in pathlib.Path(sys.argv[1]).glob("*/config.json"):
    task = json.loads(config.read_text())
    for entry in task["test_cmds"]:
        stripped += entry.pop("h200", None) is not None
    plain = pathlib.Path(sys.argv[2]) / config.parent.name / "config.json"
    assert plain.read_text() == json.dumps(task, indent=2, ensure_ascii=False) + "\n", config
assert stripped == 15, stripped
EOF
}

@test "a package file for each of the 26 packages, the site's own where it has one" {
  "$GENERATE" "$OUT" --packages "$BATS_TEST_TMPDIR/packages"
  expect_equal "$(find "$BATS_TEST_TMPDIR/packages" -name '*.json' | wc -l)" 26
  local own
  for own in nanoGPT lm-evaluation-harness verl diffusers-main CORL; do
    cmp "$ROOT/configs/packages/$own.json" "$BATS_TEST_TMPDIR/packages/$own.json"
  done
}

@test "a synthetic suite has the asked size and distinct labels" {
  "$GENERATE" "$OUT" --tasks 12 --entries 7
  python3 - "$OUT" <<'EOF'
import json, pathlib, sys
configs = [json.loads(path.read_text()) for path in pathlib.Path(sys.argv[1]).glob("*/config.json")]
assert [len({entry["label"] for entry in task["test_cmds"]}) for task in configs] == [7] * 12
assert any("h200" in entry for entry in configs[0]["test_cmds"])
EOF
}

@test "the same arguments give the same tree, and a second call adds to it" {
  "$GENERATE" "$OUT" --tasks 3 && "$GENERATE" "$OUT-again" --tasks 3
  diff -r "$OUT" "$OUT-again"
  "$GENERATE" "$OUT"
  expect_equal "$(find "$OUT" -name config.json | wc -l)" 46
}

@test "refused: a suite of no tasks or no entries" {
  run "$GENERATE" "$OUT" --tasks 0
  expect_equal "$status" 2
  run "$GENERATE" "$OUT" --tasks 2 --entries 0
  expect_equal "$status" 2
  [[ ! -e "$OUT" ]]
}
