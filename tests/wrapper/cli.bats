#!/usr/bin/env bats
# The command line: verbs, options, where values come from, exit status.
load helper

setup() {
  begin_test
  two_group_task demo
}

@test 'help and version go to stdout' {
  run --separate-stderr sbatch-tasks
  expect_equal "$status" 0
  expect_contains "$output" 'submit    write the job scripts and submit them with sbatch'
  run --separate-stderr sbatch-tasks plan --help
  expect_equal "$status" 0
  expect_contains "$output" 'sbatch-tasks plan [OPTIONS] [TASK...]'
  expect_contains "$output" 'SBATCH_COMPUTE_SCALE'
  run --separate-stderr sbatch-tasks --version
  [[ $output =~ ^sbatch-tasks\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test 'a wrong verb or option is one line that names the nearest' {
  run sbatch-tasks submitt demo
  expect_error 1 'no verb "submitt"; did you mean submit?'
  run sbatch-tasks xyz
  expect_error 1 'no verb "xyz"; verbs are list, check, plan, render, submit, resume, run, status, logs, cancel, doctor'
  run sbatch-tasks plan demo --compute-scal=2
  expect_error 1 'no option "--compute-scal"; did you mean --compute-scale?'
  run sbatch-tasks plan demo -- --partition=x
  expect_error 1 'plan: only submit, resume and doctor take arguments behind --'
  run sbatch-tasks plan demo --pack=some
  expect_equal "$status" 1
}

@test 'the scale: option over environment over config over default' {
  expect_scale() {
    expect_equal "$(sbatch-tasks plan demo --json "${@:2}" >plan.json &&
      json plan.json 'd["scale"]["compute_scale"], d["jobs"][0]["devices"]')" "$1"
  }
  expect_scale "('1', 4)"
  echo 'compute_scale: 0.5' >>config.yaml
  expect_scale "('0.5', 2)"
  SBATCH_COMPUTE_SCALE=1 expect_scale "('1', 4)"
  SBATCH_COMPUTE_SCALE=1 expect_scale "('0.5', 2)" --compute-scale=h200
}

@test 'a run config lies over the site config' {
  cat >site.yaml <<<$'compute_scale: 0.5\nseeds: [7]'
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/site.yaml
  sbatch-tasks plan demo --json >plan.json
  expect_equal "$(json plan.json '[s["seed"] for s in d["steps"]], d["scale"]["compute_scale"]')" \
    "([7, 7], '0.5')"
  echo 'seeds: [8]' >>config.yaml
  sbatch-tasks plan demo --json >plan.json
  expect_equal "$(json plan.json '[s["seed"] for s in d["steps"]]')" '[8, 8]'
}

@test 'seeds: option, else task, else config' {
  expect_seeds() {
    sbatch-tasks plan demo --json "${@:2}" >plan.json
    expect_equal "$(json plan.json '[s["seed"] for s in d["steps"] if s["entry"] == 0]')" "$1"
  }
  expect_seeds '[42]'
  echo 'seeds: [1, 2]' >>config.yaml
  expect_seeds '[1, 2]'
  sed -i 's/^{/{"seeds": [3, 4], /' tasks/demo/config.json
  expect_seeds '[3, 4]'
  expect_seeds '[5, 6]' --seeds 5,6
  expect_seeds '[5]' --seeds=5,5
}

@test 'malformed scales are refused in one line' {
  local scale
  for scale in nan inf -1 0 0,5 2x 1e400 h300; do
    run sbatch-tasks plan demo "--compute-scale=$scale"
    expect_equal "$status" 1 "$scale"
    expect_equal "${#lines[@]}" 1 "$scale: $output"
    expect_contains "$output" "sbatch-tasks: error: compute_scale: \"$scale\""
  done
}

@test 'a broken config is an error with its place' {
  echo 'compute_sale: 2' >>config.yaml
  run sbatch-tasks list
  expect_equal "$status" 1
  expect_contains "$output" 'config.yaml:5'
  expect_contains "$output" 'did you mean compute_scale?'
  run sbatch-tasks list --config missing.yaml
  expect_equal "$status" 1
  expect_contains "$output" missing.yaml
}

@test 'without a folder of tasks it says how to name one' {
  unset COMPUTE_SCALE_CONFIG
  run sbatch-tasks list
  expect_error 1 'no folder of tasks: give --tasks-dir, or set tasks_dir in a config'
  run sbatch-tasks list --tasks-dir tasks
  expect_equal "$status" 0
  COMPUTE_SCALE_TASKS_DIR=tasks run sbatch-tasks list
  expect_equal "$status" 0
}

@test 'a full disk or closed pipe is a failure' {
  run bash -c 'sbatch-tasks list >/dev/full'
  expect_equal "$status" 1
}
