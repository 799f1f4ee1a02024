#!/usr/bin/env bats
# What render writes, and where.
load helper

setup() {
  begin_test
  two_group_task demo
}

@test 'a run directory holds the plan, the scripts and folders for what they write' {
  run --separate-stderr sbatch-tasks render demo --exp-name e1 --compute-scale=0.5
  expect_equal "$status" 0
  expect_equal "$output" "$PWD/results/runs/e1"
  expect_equal "$stderr" 'sbatch-tasks: wrote 2 job scripts'
  cd results/runs/e1
  expect_equal "$(find . | sort | tr '\n' ' ')" ". ./logs ./logs/demo ./plan.json ./results ./results/demo \
./scripts ./scripts/demo-g1-s42.sh ./scripts/demo-g2-s42.sh ./submissions "
  expect_equal "$(json plan.json '[(j["script"], j["devices"], j["after"]) for j in d["jobs"]]')" \
    "[('scripts/demo-g1-s42.sh', 2, []), ('scripts/demo-g2-s42.sh', 1, [0])]"
  expect_equal "$(json plan.json '[(e["base_compute"], e["compute"]) for e in d["entries"]]')" \
    "[('4', '2'), ('0.5', '0.25')]"
  expect_equal "$(json plan.json '[s["log"] for s in d["steps"]]')" \
    "['logs/demo/train-seed42.log', 'logs/demo/eval-seed42.log']"
}

@test 'the run directory: option, else logs_dir, else below the results, else runs here' {
  expect_dir() {
    run --separate-stderr sbatch-tasks render demo -q "${@:2}"
    expect_equal "$output" "$PWD/$1"
  }
  expect_dir results/runs/a --exp-name a
  expect_dir here/x --run-dir here/x
  expect_equal "$(json here/x/plan.json 'd["run"]["exp_name"]')" x
  printf 'slurm:\n  logs_dir: logs\n' >>config.yaml
  expect_dir logs/b --exp-name b
  printf 'tasks_dir: tasks\ncontainer_runtime: local\n' >config.yaml
  expect_dir runs/c --exp-name c
  run --separate-stderr sbatch-tasks render demo -q
  [[ $output =~ /runs/[0-9]{8}-[0-9]{6}$ ]]
}

@test 'what is there is never overwritten' {
  mkdir -p there && touch there/x
  run sbatch-tasks render demo --run-dir there
  expect_error 1 "$PWD/there: exists and is not empty: name another --run-dir or --exp-name"
  touch file
  run sbatch-tasks render demo --run-dir file
  expect_error 1 "$PWD/file: is not a folder"
  run sbatch-tasks render demo --exp-name a/b
  expect_error 1 '--exp-name "a/b": a name, not a path (see --run-dir)'
  run sbatch-tasks render demo --run-dir 'back\slash'
  expect_equal "$status" 1
  expect_equal "$(find . -name 'back*')" ''
}

@test 'dry run prints the scripts and writes nothing' {
  local before
  before=$(find . | sort)
  run --separate-stderr sbatch-tasks render demo -n
  expect_equal "$status" 0
  expect_equal "$(grep -c '^#!/usr/bin/env bash$' <<<"$output")" 2
  expect_equal "$(find . | sort)" "$before"
}

@test 'nothing is written when a later job cannot be made' {
  task zeta <<<'[{"cmd": "a.sh", "package": "none"}]'
  run sbatch-tasks render --all --run-dir r
  expect_equal "$status" 1
  expect_contains "$output" 'no package "none"'
  [[ ! -e r ]]
}

@test 'labels that need it get file names of their own' {
  task odd <<'END'
[{"cmd": "a.sh", "label": "a/b", "group": 1}, {"cmd": "a.sh", "label": "..", "group": 1},
 {"cmd": "a.sh", "label": "a b", "group": 1}, {"cmd": "a.sh", "label": "a%b|", "group": 1}]
END
  sbatch-tasks render -q odd --run-dir r
  expect_equal "$(json r/plan.json '[s["log"] for s in d["steps"]]')" \
    "['logs/odd/a=2Fb-seed42.log', 'logs/odd/=2E.-seed42.log', 'logs/odd/a=20b-seed42.log', 'logs/odd/a=25b=7C-seed42.log']"
  expect_equal "$(json r/plan.json '[e["label"] for e in d["entries"]]')" "['a/b', '..', 'a b', 'a%b|']"
}

@test 'neutral scripts are at base counts and name their entry, not a scale' {
  echo 'compute_scale: 0.5' >>config.yaml
  sbatch-tasks render -q demo --neutral --run-dir r
  grep -qx '#SBATCH --gres=gpu:4' r/scripts/demo-g1-s42.sh
  grep -qx '#SBATCH --compute-entry=demo/train' r/scripts/demo-g1-s42.sh
  run grep -e '#SBATCH --compute-scale' -r r/scripts
  expect_equal "$status" 1
  run sbatch-tasks render demo --neutral --compute-scale=0.5 --run-dir r2
  expect_error 1 'render: --neutral scripts take their scale at submission: leave --compute-scale out'
}

@test 'the plugin is named only where it knows the tasks' {
  printf 'slurm:\n  plugin: true\n' >>config.yaml
  sbatch-tasks render -q demo --run-dir r1 --compute-scale=0.5
  grep -qx '#SBATCH --compute-scale=0.5' r1/scripts/demo-g1-s42.sh
  sbatch-tasks render -q demo --run-dir r2 --compute-scale=0.5 --tasks-dir tasks
  run grep -e 'compute-entry' -r r2/scripts
  expect_equal "$status" 1
}
