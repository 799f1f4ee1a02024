#!/usr/bin/env bats
# How submit calls sbatch, what it records and what it says when sbatch fails.
# Each test has its own variables, and patterns are more than ${x//}.
# shellcheck disable=SC2001,SC2030,SC2031
load helper

setup() {
  begin_test
  fake_sbatch
  fake_scontrol 1001
  two_group_task demo
}

# How often sbatch was called.
calls() { find . -maxdepth 1 -name 'sbatch.*.args' | wc -l; }

# array_of N: the script of the N-th call.
array_of() { tail -n 2 "sbatch.$1.args" | head -n 1; }

journal() {
  python3 -c 'import json, sys
for line in open(sys.argv[1]):
    d = json.loads(line)
    print(d["event"], d["name"].rsplit(".", 1)[0], d.get("id", ""), d.get("cluster", ""))' "$1" | sed 's/ *$//'
}

@test 'one call per group: an array over the seeds, each element after its own of the group before' {
  run --separate-stderr sbatch-tasks submit demo --run-dir run --seeds 1,2
  expect_equal "$status" 0
  expect_equal "$output" $'101_0 demo-g1-s1\n101_1 demo-g1-s2\n102_0 demo-g2-s1\n102_1 demo-g2-s2'
  expect_equal "$stderr" "sbatch-tasks: submitted 4 jobs by 2 calls of sbatch; run directory $PWD/run"
  local name
  name=$(sed -n 's/^#SBATCH --job-name=//p' "$(array_of 1)")
  [[ $name =~ ^run-a1\.[0-9a-f]{8}$ ]]
  expect_equal "$(cat sbatch.1.args)" $'--parsable\n--array=0,1\n'"$PWD/run/arrays/$name.sh"$'\n1'
  expect_equal "$(sed -n 2,4p sbatch.2.args)" \
    $'--array=0,1\n--dependency=aftercorr:101\n--kill-on-invalid-dep=yes'
  expect_equal "$(journal run/journal.jsonl)" "begin run-a1
submitted run-a1 101
begin run-a2
submitted run-a2 102"
}

@test 'an array has the directives of its jobs, and a log of each by the name of the job' {
  sbatch-tasks submit -q demo/train --run-dir '50% run' --seeds 1,2
  local array folder
  array=$(array_of 1)
  folder=${array%.sh}
  diff <(sed -n '/^#SBATCH/p' '50% run/scripts/demo-g1-s1.sh' | grep -vE -e '--(job-name|output)=') \
    <(sed -n '/^#SBATCH/p' "$array" | grep -vE -e '--(job-name|output)=')
  grep -qxF "#SBATCH --output=\"$PWD/50%% run/arrays/$(basename "$folder")/%a.log\"" "$array"
  echo here >"$folder/1.log"
  expect_equal "$(cat '50% run/logs/demo-g1-s2.slurm.log')" here
}

@test 'an element runs the script of its job, as this submission' {
  sbatch-tasks submit -q demo/train --run-dir run --seeds 1,2
  export CUDA_VISIBLE_DEVICES=0,1,2,3 SLURM_ARRAY_JOB_ID=101 SLURM_JOB_ID=102
  SLURM_ARRAY_TASK_ID=1 bash "$(array_of 1)" 1
  expect_equal "$(json run/results/demo/train-seed2.json 'd["state"], d["array_task_id"]')" "('done', '1')"
  [[ ! -e run/results/demo/train-seed1.json ]]
  SLURM_ARRAY_TASK_ID=7 run bash "$(array_of 1)" 1
  expect_equal "$status" 3
  echo 2 >run/submissions/demo-g1-s1
  SLURM_ARRAY_TASK_ID=0 run bash "$(array_of 1)" 1
  expect_equal "$status" 4
}

@test 'jobs that ask for other things are in no array with others' {
  two_group_task other
  sed -i 's/"compute": 4/"compute": 3/' tasks/other/config.json
  sbatch-tasks submit -q --all --run-dir run
  expect_equal "$(calls)" 4
  expect_equal "$(cat sbatch.1.args)" $'--parsable\n'"$PWD/run/scripts/demo-g1-s42.sh"$'\n1'
  expect_equal "$(sed -n 2p sbatch.2.args)" '--dependency=afterok:101'
  expect_equal "$(sed -n 2p sbatch.4.args)" '--dependency=afterok:103'
}

@test 'chains beyond MaxArraySize are in arrays of their own' {
  fake_scontrol 3
  sbatch-tasks submit -q demo --run-dir run --seeds 1,2,3,4,5
  expect_equal "$(grep -h -e --array sbatch.*.args)" $'--array=0-2\n--array=0,1\n--array=0-2\n--array=0,1'
  expect_equal "$(grep -h -e --dependency sbatch.*.args)" \
    $'--dependency=aftercorr:101\n--dependency=aftercorr:102'
  rm -rf run sbatch.*.args
  fake_scontrol 1
  sbatch-tasks submit -q demo --run-dir run --seeds 1,2
  expect_equal "$(cat sbatch.*.args | grep -c -e --array) $(calls)" '0 4'
}

@test 'where MaxArraySize cannot be read, the default is taken and said' {
  printf '#!/bin/sh\necho "scontrol: error: no controller" >&2; exit 1\n' >bin/scontrol
  run --separate-stderr sbatch-tasks submit demo --run-dir run --seeds 1,2
  expect_equal "$status" 0
  expect_equal "${stderr_lines[0]}" \
    'sbatch-tasks: warning: MaxArraySize cannot be read (scontrol: error: no controller): taken as 1001'
}

@test 'max_running is one limit for all calls' {
  sbatch-tasks submit -q demo --run-dir run --seeds 1,2,3,4,5,6 --max-running 5
  expect_equal "$(grep -h -e --array sbatch.*.args)" $'--array=0-5%3\n--array=0-5%2'
  rm -rf sbatch.*.args
  printf 'slurm: {max_running: 1}\n' >>config.yaml
  sbatch-tasks submit -q demo --run-dir run2 --seeds 1,2,3
  expect_equal "$(grep -h -e --array sbatch.*.args)" $'--array=0-2%1\n--array=0-2%1'
  expect_equal "$(grep -h -e --dependency sbatch.2.args)" '--dependency=aftercorr:101,afterany:101'
}

@test 'the whole suite is at most 40 calls, for three seeds as for one' {
  python3 "$ROOT/tests/data/generate_tasks.py" tasks --packages packages >/dev/null
  rm -rf tasks/demo
  local one three
  one=$(sbatch-tasks submit -q --all --compute-scale=0.5 --data-root /d --workspace-root /w --run-dir one | wc -l)
  one+=" $(calls)"
  rm -f sbatch.*
  three=$(sbatch-tasks submit -q --all --compute-scale=0.5 --data-root /d --workspace-root /w --run-dir three \
    --seeds 1,2,3 | wc -l)
  three+=" $(calls)"
  echo "jobs and calls: $one, $three"
  ((${one#* } <= 40 && ${three#* } <= 40 && ${three% *} > 2 * ${one% *}))
  # Every job is in exactly one call.
  python3 - <<'END'
import json
jobs = [j["name"] for j in json.load(open("three/plan.json"))["jobs"]]
called = [m["job"] for line in open("three/journal.jsonl") for m in json.loads(line).get("jobs", [])]
assert sorted(jobs) == sorted(called)
END
}

@test 'arguments behind -- reach sbatch as they are' {
  sbatch-tasks submit -q demo/train --run-dir run -- --comment='a "b" $c' '' '--x=*' -- y
  expect_equal "$(cat sbatch.1.args)" \
    $'--parsable\n--comment=a "b" $c\n\n--x=*\n--\ny\n'"$PWD/run/scripts/demo-g1-s42.sh"$'\n1'
}

@test 'what would hide the jobs of a run is refused' {
  local argument
  for argument in --job-name=x -Jx --job-n=x --array=1 --arr=1 --wrap=id; do
    run sbatch-tasks submit demo --run-dir run -- $argument
    expect_error 1 "behind --: \"$argument\": a run names its jobs and arrays itself"
  done
  printf 'slurm: {extra_directives: [--job-name=x]}\n' >>config.yaml
  run sbatch-tasks submit demo --run-dir run
  expect_error 1 'slurm.extra_directives: "--job-name=x": a run names its jobs and arrays itself'
  [[ ! -e sbatch.1.args && ! -e run ]]
}

@test 'nothing of a surrounding job is passed on but SLURM_CONF' {
  SLURM_JOB_ID=7 SLURM_COMPUTE_SCALE_PAYLOAD=x SBATCH_PARTITION=p SALLOC_QOS=q SLURM_CONF=/etc/x MINE=1 \
    sbatch-tasks submit -q demo/train --run-dir run
  expect_equal "$(grep -E '^(SLURM|SBATCH|SALLOC)' sbatch.1.env)" 'SLURM_CONF=/etc/x'
  grep -qx MINE=1 sbatch.1.env
}

@test 'variables that the plugin set for a surrounding job do not reach new jobs' {
  SLURM_COMPUTE_SCALE_PAYLOAD='1;scale=0.5;entry=a/b;env.TP_SIZE=1;env.MINE=2' \
    SLURM_COMPUTE_SCALE_DISPLACED='1;MINE=before' TP_SIZE=1 APPTAINERENV_TP_SIZE=1 MINE=2 OWN=3 \
    sbatch-tasks submit -q demo/train --run-dir run
  expect_equal "$(grep -E '^(.*TP_SIZE|MINE|OWN)=' sbatch.1.env | sort)" $'MINE=before\nOWN=3'
}

@test 'the job id is found among banners, and a cluster is kept' {
  local answers=('echo "Welcome, 12 users"; echo; echo "$id;alpha"; echo "bye 7 8"' 'printf "%s" "$id"' 'echo " $id"')
  local expected=('101;alpha demo-g1-s42' '101 demo-g1-s42' '101 demo-g1-s42')
  local number
  for number in "${!answers[@]}"; do
    rm -rf sbatch.*.args run
    echo "${answers[number]}" >sbatch.behaviour
    run --separate-stderr sbatch-tasks submit -q demo/train --run-dir run
    expect_equal "$output" "${expected[number]}"
  done
  sbatch-tasks submit -q demo/train --run-dir run2
}

@test 'a dependency takes the id without the cluster' {
  echo 'echo "$id;alpha"' >sbatch.behaviour
  sbatch-tasks submit -q demo --run-dir run
  expect_equal "$(sed -n 2p sbatch.2.args)" '--dependency=afterok:101'
  expect_contains "$(journal run/journal.jsonl)" 'submitted demo-g1-s42 101 alpha'
}

@test 'sbatch refuses: what was submitted and what was not, exit 4; what waits for it is not submitted' {
  two_group_task other
  sed -i 's/"compute": 4/"compute": 3/' tasks/other/config.json
  echo 'if ((number == 1)); then echo "sbatch: error: no such thing" >&2; exit 1; fi; echo $id' \
    >sbatch.behaviour
  run --separate-stderr sbatch-tasks submit --all --run-dir run
  expect_equal "$status" 4
  expect_equal "$output" $'102 other-g1-s42\n103 other-g2-s42'
  expect_equal "$(sed 's/\.[0-9a-f]\{8\}//g' <<<"$stderr")" \
    "sbatch-tasks: error: demo-g1-s42: not submitted: sbatch: error: no such thing
sbatch-tasks: error: demo-g2-s42: not submitted: it waits for demo-g1-s42, which is not submitted
sbatch-tasks: error: 2 of 4 jobs are submitted; these are not: demo-g1-s42 demo-g2-s42
sbatch-tasks: error: when the cause is gone: sbatch-tasks resume $PWD/run"
  expect_equal "$(journal run/journal.jsonl)" "begin demo-g1-s42
failed demo-g1-s42
begin other-g1-s42
submitted other-g1-s42 102
begin other-g2-s42
submitted other-g2-s42 103"
}

@test 'no sbatch on this machine' {
  rm bin/sbatch
  run --separate-stderr env PATH="$PWD/bin" "$(type -P sbatch-tasks)" submit demo/train --run-dir run
  expect_equal "$status" 4
  expect_contains "$stderr" 'sbatch: cannot be started: No such file or directory'
}

@test 'what sbatch says although it takes the job is shown' {
  echo 'echo "sbatch: compute-scale: gpu 4 -> 2" >&2; echo $id' >sbatch.behaviour
  run --separate-stderr sbatch-tasks submit demo/train --run-dir run
  expect_equal "${stderr_lines[0]}" 'sbatch-tasks: sbatch: compute-scale: gpu 4 -> 2'
}

@test 'dry run prints the calls, calls nothing and writes nothing' {
  run --separate-stderr sbatch-tasks submit demo -n --run-dir run -- '--comment=a b'
  expect_equal "$status" 0
  expect_equal "$(sed 's/\.[0-9a-f]\{8\}//g' <<<"$output")" \
    "sbatch --parsable '--comment=a b' $PWD/run/scripts/demo-g1-s42.sh 1
sbatch --parsable '--comment=a b' --dependency=afterok:ID-OF-demo-g1-s42 --kill-on-invalid-dep=yes $PWD/run/scripts/demo-g2-s42.sh 1"
  run --separate-stderr sbatch-tasks submit demo -n --run-dir run --seeds 1,2
  expect_equal "$(sed 's/\.[0-9a-f]\{8\}//g' <<<"$output")" \
    "sbatch --parsable --array=0,1 $PWD/run/arrays/run-a1.sh 1
sbatch --parsable --array=0,1 --dependency=aftercorr:ID-OF-run-a1 --kill-on-invalid-dep=yes $PWD/run/arrays/run-a2.sh 1"
  [[ ! -e run && ! -e sbatch.1.args && ! -e results ]]
}

@test 'an existing run directory is refused before sbatch is called' {
  mkdir run && touch run/x
  run sbatch-tasks submit demo --run-dir run
  expect_error 1 "$PWD/run: exists and is not empty: name another --run-dir or --exp-name"
  [[ ! -e sbatch.1.args ]]
}

@test 'job names tell runs apart' {
  sbatch-tasks submit -q demo/train --run-dir one
  sbatch-tasks submit -q demo/train --run-dir two
  local first second
  first=$(grep -h -e --job-name one/scripts/*)
  second=$(grep -h -e --job-name two/scripts/*)
  [[ $first =~ ^'#SBATCH --job-name=demo-g1-s42.'[0-9a-f]{8}$ ]]
  [[ $first != "$second" ]]
}

@test 'with the plugin, sbatch sees the same run config' {
  printf 'slurm:\n  plugin: true\n' >>config.yaml
  cp config.yaml other.yaml
  sbatch-tasks submit -q demo/train --run-dir run --config other.yaml
  grep -qx "COMPUTE_SCALE_CONFIG=$PWD/other.yaml" sbatch.1.env
}

@test 'a site that promises the plugin and lacks it: nothing is submitted' {
  printf 'slurm:\n  plugin: true\n' >>config.yaml
  echo '      --comment=name' >sbatch.help
  local refusal='slurm.plugin of the config promises the plugin, but sbatch has no --compute-entry here: '
  refusal+='sbatch-tasks doctor says why; nothing was submitted'
  run sbatch-tasks submit demo --run-dir run
  expect_error 3 "$refusal"
  [[ ! -e run ]]
  run sbatch-tasks submit demo --run-dir run -n
  expect_error 3 "$refusal"
  # A run that was made elsewhere, too; with nothing to submit the plugin is not missed.
  printf '#!/bin/sh\n' >bin/squeue
  chmod +x bin/squeue
  sbatch-tasks render -q demo --run-dir run
  run sbatch-tasks resume -q run
  expect_error 3 "$refusal"
  expect_equal "$(calls)" 0
  mkdir -p run/results/demo
  for label in train eval; do echo '{"state":"done"}' >"run/results/demo/$label-seed42.json"; done
  sbatch-tasks resume -q run
  # The tasks that an option names are not the plugin's: their scripts do without it.
  sbatch-tasks submit -q demo --tasks-dir tasks --run-dir other
  expect_equal "$(calls)" 2
}

@test 'with the plugin, an array names no entry: the steps of its jobs do' {
  printf 'slurm:\n  plugin: true\n' >>config.yaml
  sbatch-tasks submit -q demo/train --run-dir run --seeds 1,2
  run grep -e --compute- "$(array_of 1)"
  expect_equal "$output" ''
  grep -q -e '--compute-entry=demo/train' run/scripts/demo-g1-s1.sh
}

@test 'a slow call of sbatch holds up no other one, and no more than --parallel are under way' {
  local i
  for i in 1 2 3 4; do task "t$i" <<<'[{"cmd": "a.sh", "label": "a", "time": "'$i':00:00"}]'; done
  # The call for t1 ends when those for all others have begun.
  cat >bin/sbatch <<END
#!/usr/bin/env bash
cd '$work' && script=\${@: -2:1} && script=\${script##*/}
touch begun-\$script
ls begun-* | wc -l >count-\$script
ls ended-* 2>/dev/null | wc -l >>count-\$script
if [[ \$script == t1* ]]; then
  for try in {1..200}; do ! ls begun-t4* &>/dev/null || break; sleep 0.05; done
  ls begun-t4* >/dev/null || exit 1
fi
touch ended-\$script
echo 1\${script:1:1}
END
  chmod +x bin/sbatch
  run --separate-stderr sbatch-tasks submit 't?' --parallel 2 --run-dir run
  expect_equal "$status" 0 "$stderr"
  expect_equal "$(sort <<<"$output")" $'11 t1-g1-s42\n12 t2-g1-s42\n13 t3-g1-s42\n14 t4-g1-s42'
  expect_equal "$(journal run/journal.jsonl | sort)" "$(for i in 1 2 3 4; do
    printf 'begin t%s-g1-s42\nsubmitted t%s-g1-s42 1%s\n' "$i" "$i" "$i"; done | sort)"
  # Begun less ended when it began: itself and at most one other.
  for i in 2 3 4; do (($(paste -sd- "count-t$i-g1-s42.sh") <= 2)); done
}

@test 'folders of another checkout' {
  mkdir -p elsewhere/w/demo/run/p
  mv tasks packages elsewhere
  sed -i '/_dir:/d' config.yaml
  sed -i 's/"cmd"/"package": "p", "cmd"/g' elsewhere/tasks/demo/config.json
  echo '{"image": ""}' >elsewhere/packages/p.json
  cd elsewhere
  sbatch-tasks submit -q demo --tasks-dir tasks --packages-dir packages --workspace-root w \
    --save-path results --run-dir run
  export CUDA_VISIBLE_DEVICES=0,1,2,3
  bash run/scripts/demo-g1-s42.sh 1
  expect_equal "$(tail -n 1 run/logs/demo/train-seed42.log)" '32 16'
}
