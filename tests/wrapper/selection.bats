#!/usr/bin/env bats
# Which tasks and entries a command line names.
load helper

setup() {
  begin_test
  two_group_task alpha
  two_group_task alpine
  two_group_task beta
}

# The entries of a plan as task/label.
entries() {
  sbatch-tasks plan --json "$@" >plan.json &&
    json plan.json '" ".join(e["task"] + "/" + e["label"] for e in d["entries"])'
}

@test 'names, globs, labels and --all' {
  expect_equal "$(entries beta)" 'beta/train beta/eval'
  expect_equal "$(entries 'al*' --label eval)" 'alpha/eval alpine/eval'
  expect_equal "$(entries beta alpha/eval)" 'alpha/eval beta/train beta/eval'
  expect_equal "$(entries 'b?ta/t*')" 'beta/train'
  expect_equal "$(entries --all --group 2)" 'alpha/eval alpine/eval beta/eval'
  expect_equal "$(entries --label eval,none --group 1,2 beta)" 'beta/eval'
  expect_equal "$(entries beta beta/train)" 'beta/train beta/eval'
}

@test 'what is not there is named' {
  run sbatch-tasks plan alhpa
  expect_error 1 "no task \"alhpa\" in $PWD/tasks; did you mean alpha?"
  run sbatch-tasks plan 'x*'
  expect_error 1 "no task matches \"x*\" in $PWD/tasks"
  run sbatch-tasks plan beta/tain
  expect_error 1 'beta: no entry "tain"; did you mean train?; it has train, eval'
  run sbatch-tasks plan beta --label none
  expect_error 1 'no entry is left by --label and --group'
  run sbatch-tasks plan
  expect_error 1 "name tasks (globs are allowed), or --all for every task in $PWD/tasks"
  run sbatch-tasks plan --all beta
  expect_error 1 'give tasks or --all, not both'
  run sbatch-tasks plan ../beta
  expect_equal "$status" 1
}

@test 'an invalid task stops a plan with its place, exit 2' {
  echo '{"test_cmds": [{"cmd": "a.sh", "compute": -1}]}' >tasks/beta/config.json
  run sbatch-tasks plan --all
  expect_equal "$status" 2
  expect_contains "$output" 'beta/config.json: /test_cmds/0/compute'
  run sbatch-tasks plan alpha
  expect_equal "$status" 0
}

@test 'a baseline changes commands and the run environment' {
  cat >tasks/beta/config.json <<'END'
{"test_cmds": [{"cmd": "scripts/train.sh", "label": "train"}, {"cmd": "scripts/eval.sh", "label": "eval"}],
 "baselines": {"fast": {"cmd": "scripts/fast.sh", "labels": ["train"], "env": {"MODE": "fast"}}}}
END
  sbatch-tasks plan --json beta --baseline fast >plan.json
  expect_equal "$(json plan.json '[e["cmd"] for e in d["entries"]], d["tasks"][0]["run_env"]')" \
    "(['scripts/fast.sh', 'scripts/eval.sh'], {'MODE': 'fast'})"
  run sbatch-tasks plan beta --baseline fats
  expect_error 1 'beta: no baseline "fats"; did you mean fast?; it has fast'
}

@test 'list shows every entry, as a table and as JSON' {
  run --separate-stderr sbatch-tasks list
  expect_equal "${#lines[@]}" 7
  expect_equal "${lines[1]}" 'alpha/train       1     4  h200: 2   02:00:00  -'
  sbatch-tasks list beta --json >list.json
  expect_equal "$(json list.json '[(e["label"], e["compute"], e["profiles"]) for e in d]')" \
    "[('train', '4', {'h200': '2'}), ('eval', '0.5', {})]"
}
