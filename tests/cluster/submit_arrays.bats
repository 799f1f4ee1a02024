#!/usr/bin/env bats
# Job arrays of sbatch-tasks on a real Slurm, and runs that are resumed after something went wrong.
bats_require_minimum_version 1.5.0
load helpers
load submit_helpers

setup() {
  enter_work_folder
  use_sbatch_tasks
  mkdir tasks bin
  PATH=$PWD/bin:$PATH
}

# Two tasks of two groups; `first` of task a waits for the file `go`, that of seed 2 fails with a code.
two_tasks() {
  local name
  for name in a b; do
    task $name '[{"cmd": "one.sh", "label": "one", "group": 1}, {"cmd": "two.sh", "label": "two", "group": 2}]'
    echo "[[ \$SEED != 2 || -e $PWD/fixed ]] || exit 5; echo ran" >tasks/$name/one.sh
    echo 'echo ran' >tasks/$name/two.sh
  done
}

# state TASK/LABEL SEED: of the step's record in ./run, "none" without one.
state_of() {
  python3 -c 'import json, os, sys
file = sys.argv[1]
print(json.load(open(file))["state"] if os.path.exists(file) else "none")' "run/results/$1-seed$2.json"
}

# The jobs and elements in the real queue, ended ones too, whose names are this run's: one line each.
jobs_of_run() {
  local hash
  hash=$(sed -n 's/^#SBATCH --job-name=.*\.\([0-9a-f]\{8\}\)$/\1/p' run/scripts/*.sh | head -n 1)
  squeue -h -r --states=all -o '%F %K %T %j' | grep -F ".$hash"
}

# Fails unless each job of ./run was given to Slurm once, and none is waiting or running.
expect_each_job_once() {
  local expected
  expected=$(python3 -c 'import json; print(len(json.load(open("run/plan.json"))["jobs"]))')
  expect_equal "$(jobs_of_run | grep -vc -E ' (CANCELLED|FAILED|TIMEOUT) ')" "$expected"
}

wait_for_run() {
  mapfile -t ids < <(jobs_of_run | cut -d' ' -f1 | sort -u)
  wait_for_all
}

@test "elements follow their own: one failure stops nothing but its own chain" {
  two_tasks
  submit a b --seeds 1,2,3
  expect_equal "$(cut -d_ -f1 submitted | sort -u | wc -l)" 2
  wait_for_run
  local task
  for task in a b; do
    expect_equal "$(for seed in 1 2 3; do state_of $task/one $seed; done | xargs)" 'done failed done'
    expect_equal "$(for seed in 1 2 3; do state_of $task/two $seed; done | xargs)" 'done none done'
  done
  expect_equal "$(jobs_of_run | awk '{print $3}' | sort | uniq -c | xargs)" '2 CANCELLED 8 COMPLETED 2 FAILED'
  # Log and record of each are its own.
  grep -q 'a/one seed 2: exit code 5' run/logs/a-g1-s2.slurm.log
  grep -qx ran run/logs/b/two-seed3.log
  # What failed is run again, and what waited for it; nothing else.
  touch fixed
  sbatch-tasks resume run -q >again
  expect_equal "$(cut -d' ' -f2 again | sort | xargs)" 'a-g1-s2 a-g2-s2 b-g1-s2 b-g2-s2'
  wait_for_run
  for task in a b; do
    expect_equal "$(for seed in 1 2 3; do state_of $task/two $seed; done | xargs)" 'done done done'
  done
  expect_equal "$(grep -l 'attempt 2' run/logs/*/*.log | sort | xargs)" 'run/logs/a/one-seed2.log run/logs/b/one-seed2.log'
  run --separate-stderr sbatch-tasks resume run
  # shellcheck disable=SC2154 # run sets it
  expect_equal "$stderr" 'sbatch-tasks: nothing to submit: 12 done, 0 in the queue'
}

@test "odd values and a surrounding job's variables: arrays get what was written" {
  task a '[{"cmd": "one.sh", "label": "one"}]'
  echo true >tasks/a/one.sh
  sed -i '/^slurm:/d' config.yaml
  cat >>config.yaml <<'END'
slurm:
  cpus_per_gpu: 1
  mem_per_gpu: 1G
  partition: cpu
  extra_directives: ['--comment=a "b" #1 \ $(x)']
END
  SBATCH_PARTITION=gpu SBATCH_COMMENT=no SLURM_NTASKS=4 SBATCH_GRES=gpu:8 \
    sbatch-tasks submit -q a --seeds 1,2 --run-dir "$PWD/50% of it" >submitted
  take_ids submitted
  expect_equal "${ids[1]#*_}" 1
  wait_for_all
  local id
  for id in "${ids[@]}"; do
    expect_equal "$(job_field "$id" JobState)" COMPLETED
    expect_equal "$(job_field "$id" Comment | sed 's/ *$//')" 'a "b" #1 \ $(x)'
    expect_equal "$(job_field "$id" Partition) $(job_field "$id" NumTasks)" 'cpu 1'
    expect_equal "$(job_gpus "$id")" 1
  done
  [[ -e '50% of it/logs/a-g1-s2.slurm.log' ]]
}

@test "no more than max_running at once" {
  task a '[{"cmd": "one.sh", "label": "one", "group": 1}, {"cmd": "two.sh", "label": "two", "group": 2}]'
  # Each says how many there are while it runs.
  cat >tasks/a/one.sh <<END
mkdir $PWD/up-\$SEED-\$ENV
find $PWD -maxdepth 1 -name 'up-*' | wc -l >>$PWD/counts
sleep 0.3
rmdir $PWD/up-\$SEED-\$ENV
END
  cp tasks/a/one.sh tasks/a/two.sh
  submit a --seeds 1,2,3,4,5 --max-running 2
  wait_for_run
  expect_equal "$(wc -l <counts)" 10
  (($(sort -n counts | tail -n 1) <= 2))
}

@test "the whole suite is in the queue by at most 40 calls of sbatch" {
  rmdir tasks
  python3 "$repo/tests/data/generate_tasks.py" tasks --packages packages >/dev/null
  printf '#!/bin/sh\necho call >>%q\nexec %q --hold "$@"\n' "$PWD/calls" "$(type -P sbatch)" >bin/sbatch
  chmod +x bin/sbatch
  submit --all --compute-scale=0.5 --seeds 1,2,3 --packages-dir packages --data-root /d --workspace-root /w
  local calls
  calls=$(wc -l <calls)
  echo "$calls calls"
  ((calls <= 40))
  expect_equal "$(jobs_of_run | wc -l)" "$(wc -l <submitted)"
  expect_each_job_once
  scancel "${ids[@]%%_*}"
}

@test "killed in the middle: before and after a call that Slurm has taken" {
  two_tasks
  touch fixed
  local when
  for when in before after; do
    rm -rf run
    cat >bin/sbatch <<END
#!/bin/bash
echo call >>$PWD/calls-$when
[[ \$(wc -l <$PWD/calls-$when) == 2 ]] || exec /usr/bin/sbatch "\$@"
[[ $when == before ]] || /usr/bin/sbatch "\$@" >/dev/null
kill -9 \$PPID
sleep 5
END
    chmod +x bin/sbatch
    run sbatch-tasks submit -q a b --seeds 1,2 --run-dir "$PWD/run-$when"
    expect_equal "$status" 137
    ln -sfn "run-$when" run
    sbatch-tasks resume -q "run-$when" --settle-seconds 2
    wait_for_run
    expect_each_job_once
    expect_equal "$(state_of a/two 1) $(state_of b/two 2)" 'done done'
  done
}

@test "sbatch says that it timed out though the job was made" {
  two_tasks
  touch fixed
  cat >bin/sbatch <<END
#!/bin/bash
/usr/bin/sbatch "\$@" >/dev/null
echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2
exit 1
END
  chmod +x bin/sbatch
  submit a b --seeds 1,2
  wait_for_run
  expect_each_job_once
  expect_equal "$(state_of a/two 1)" 'done'
}

@test "the controller is away: submit says so, and resume does it all once it is back" {
  two_tasks
  touch fixed
  local own=$PWD/own
  # A cluster of its own, as the others go on in that of the suite.
  "$cluster_command" start "$own" --conf MessageTimeout=2
  eval "$("$cluster_command" env "$own")"
  kill -9 "$(cat "$own/run/slurmctld.pid")"
  run sbatch-tasks submit -q a b --seeds 1,2 --run-dir "$PWD/run" --settle-seconds 1
  local first=$status said=$output
  run sbatch-tasks resume -q run --settle-seconds 0
  local second=$status
  (
    dir=$own CLUSTER_MARK=COMPUTE_SCALE_TEST_CLUSTER
    source "$repo/tests/cluster/lib/daemons.bash"
    detached slurmctld
  )
  wait_until scontrol ping
  sbatch-tasks resume -q run --settle-seconds 1
  wait_for_run
  expect_each_job_once
  "$cluster_command" stop "$own"
  expect_equal "$first $second" '4 4'
  grep -q 'may be submitted or not: sbatch: error: .*Unable to contact slurm controller' <<<"$said"
  expect_equal "$(state_of a/two 1) $(state_of b/two 2)" 'done done'
}
