#!/usr/bin/env bats
# Plans of whole suites: the benchmark's 43 tasks, and this repository's.
load helper

setup() { begin_test; }

# suite FOLDER [--without-profiles]: the 43 tasks with their packages.
suite() {
  python3 "$ROOT/tests/data/generate_tasks.py" "$1/tasks" --packages "$1/packages" "${@:2}"
}

@test 'the table of 43 tasks fits 100 columns and says both counts' {
  suite all
  run --separate-stderr sbatch-tasks plan --all --tasks-dir all/tasks --packages-dir all/packages \
    --compute-scale=0.5
  expect_equal "$status" 0
  expect_equal "$(awk 'length > 100' <<<"$output")" ''
  expect_equal "$(sed '1d; /^---/,$d' <<<"$output" | wc -l)" 43
  grep -qE '^llm-pretrain-loss +2 +4 -> 2 +512 +2 +49 -> 25$' <<<"$output"
  grep -qE '^llm-rl-advantage +1 +2 -> 1 +- +1 +24 -> 12$' <<<"$output"
  grep -qE '^cv-vae-loss +3 +8 +- +3 +56$' <<<"$output"
  grep -qE '^at 0.5 \(h200\): .* x the lower bound of 568.1$' <<<"$output"
  grep -qx 'at 1, unpacked: 133 jobs, 1317.3 GPU-hours requested, 1.22 x the lower bound of 1080.2' \
    <<<"$output"
  grep -qx 'at 0.5 (h200), unpacked: 133 jobs, 1011.3 GPU-hours requested, 1.78 x the lower bound of 568.1' \
    <<<"$output"
  sbatch-tasks plan -q --all --tasks-dir all/tasks --packages-dir all/packages --compute-scale=0.5 \
    --pack=all --json >plan.json
  expect_equal "$(json plan.json '[d["pack"], d["gpu_hours"]["requested"] <= 1.03 * d["gpu_hours"]["lower_bound"]]')" \
    "['all', True]"
  expect_equal "$(json plan.json '[round(d[k][v], 1) for k in ("gpu_hours", "base_gpu_hours") for v in ("lower_bound", "one_job_per_step")]')" \
    '[568.1, 1011.3, 1080.2, 1317.3]'
}

@test 'a picture of the plan is well-formed and names every step' {
  suite all
  sbatch-tasks plan -q --all --tasks-dir all/tasks --packages-dir all/packages --compute-scale=0.5 \
    --pack=all --gantt plan.svg --devices 16 >/dev/null
  expect_equal "$(python3 -c 'import xml.etree.ElementTree as e
titles = {t.text.split(",")[0] for t in e.parse("plan.svg").iter("{http://www.w3.org/2000/svg}title")}
print(len(titles))')" 133
  run sbatch-tasks plan -q --all --tasks-dir all/tasks --gantt none/plan.svg
  expect_error 1 'none/plan.svg: cannot be written: No such file or directory'
  run --separate-stderr sbatch-tasks plan --all --tasks-dir all/tasks --gantt plan.svg --devices 0
  expect_equal "$status" 1
}

@test 'one warning for each entry that has no block, none at 1.0' {
  suite all
  run --separate-stderr sbatch-tasks plan --all --tasks-dir all/tasks --packages-dir all/packages \
    --compute-scale=0.5
  expect_equal "${#stderr_lines[@]}" 3 "$stderr"
  expect_contains "${stderr_lines[0]}" 'sbatch-tasks: warning: cv-vae-loss/train_small: compute 8'
  run --separate-stderr sbatch-tasks plan --all --tasks-dir all/tasks --packages-dir all/packages
  expect_equal "$stderr" ''
}

@test 'at 1.0 profile blocks leave no trace in plans, scripts and submissions' {
  local blocks args
  for blocks in with without; do
    rm -rf suite run
    # shellcheck disable=SC2046 # one word or none
    suite suite $([[ $blocks == with ]] || echo --without-profiles)
    for args in 'plan --json' 'render --run-dir run' 'submit -n --run-dir other'; do
      # shellcheck disable=SC2086 # words of the command
      sbatch-tasks $args --all --tasks-dir suite/tasks --packages-dir suite/packages \
        --workspace-root w --data-root d >>"$blocks.out" 2>&1
    done
    mv run "$blocks"
    if [[ $blocks == with ]]; then grep -q '"h200"' suite/tasks/*/config.json; fi
  done
  cmp with.out without.out
  diff -r with without
  expect_equal "$(find with/scripts -name '*.sh' | wc -l)" 87
}

@test 'every script of the suite is valid bash, at both scales' {
  local scale file
  suite suite
  for scale in 1 0.5; do
    sbatch-tasks render -q --all --tasks-dir suite/tasks --packages-dir suite/packages \
      --workspace-root w --data-root d --run-dir "run$scale" --compute-scale=$scale
    for file in "run$scale"/scripts/*.sh; do bash -n "$file"; done
  done
}

@test 'worked values of the adapted tasks at 0.5' {
  sbatch-tasks plan -q --all --json --config "$ROOT/configs/react.yaml" --compute-scale=0.5 >plan.json
  cat >check.py <<'END'
import json
plan = json.load(open("plan.json"))
entries = {(e["task"], e["label"]): e for e in plan["entries"]}
batch = {"32/16": ("64", "8"), "48/12": ("96", "6"), "16/32": ("32", "16")}
base = {t: "32/16" for t in ("attention", "bitlinear", "kernel", "loss")}
base |= {t: "48/12" for t in ("embedding", "lr-schedule", "mlp", "normalization", "optimizer")}
base |= {t: "16/32" for t in ("linear-attention", "residual")}
for task, values in base.items():
    e = entries["llm-pretrain-" + task, "gpt-345m"]
    assert (e["base_compute"], e["compute"]) == ("4", "2"), e
    assert (e["env"]["BATCH_SIZE"], e["env"]["GRAD_ACCUM"]) == batch[values], e
rl = [e for e in plan["entries"] if e["task"].startswith("llm-rl-")]
assert len(base) == 11 and len(rl) == 4
for e in rl:
    assert (e["base_compute"], e["compute"]) == ("2", "1"), e
    assert e["env"] == {"TP_SIZE": "1", "MAX_TOKEN_LEN_PER_GPU": "20480", "GPU_MEM_UTIL": "0.5"}, e
for e in plan["entries"]:
    if e["task"] == "cv-vae-loss":
        assert (e["base_compute"], e["compute"], e["env"]) == ("8", "8", {}), e
END
  python3 check.py
}

@test 'steps that use no CUDA need no GPU' {
  task t <<'END'
[{"cmd": "a.sh", "label": "a", "package": "cpu"}, {"cmd": "a.sh", "label": "b", "package": "cpu", "use_cuda": true},
 {"cmd": "a.sh", "label": "c", "use_cuda": false}]
END
  echo '{"image": "", "use_cuda": false}' >packages/cpu.json
  sbatch-tasks plan t --json >plan.json
  expect_equal "$(json plan.json '[(j["devices"], j["cpus"], j["mem_mib"]) for j in d["jobs"]]')" \
    '[(0, 8, 32768), (1, 12, 102400), (0, 8, 32768)]'
}

@test 'packages that cannot be read count as CUDA, with one warning' {
  task t <<<'[{"cmd": "a.sh", "package": "none"}]'
  run --separate-stderr sbatch-tasks plan t
  expect_equal "$status" 0
  expect_equal "$stderr" "sbatch-tasks: warning: packages that cannot be read from $PWD/packages count as ones that use CUDA: none"
}
