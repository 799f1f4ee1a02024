#!/usr/bin/env bats
# Steps in real Docker containers, in jobs of a real Slurm.
load ../cluster/helpers
load ../cluster/submit_helpers
load container_helpers
load lib/docker_daemon

setup() {
  need_a_root_for_containers
  enter_work_folder
  use_runtime docker
  front_docker
}

teardown() {
  root_is_a_mount || return 0
  [[ -z ${local_run-} ]] || kill -KILL "$local_run" 2>/dev/null || :
  run containers
  [[ -z $output ]] || "$REAL_DOCKER" rm -f "${lines[@]}"
}

# A docker in front of the real one that keeps what it is asked: there are no GPUs to give.
front_docker() {
  mkdir bin
  cat >bin/docker <<END
#!/usr/bin/env bash
printf '%s\n' "\$@" >>'$work/docker.args'
args=()
while ((\$# > 0)); do
  if [[ \$1 == --gpus ]]; then shift; else args+=("\$1"); fi
  shift
done
exec $REAL_DOCKER "\${args[@]}"
END
  chmod +x bin/docker
  : >docker.args
  chmod 666 docker.args
  PATH=$work/bin:$PATH
}

# The containers of this test's run.
containers() { "$REAL_DOCKER" ps -aq --filter "label=compute-scale.run=$work/run"; }
is_up() { [[ -e results/t/run/seed_42/$1 ]]; }
none_left() { [[ -z $(containers) ]]; }

submit_as_user() {
  as_user env PATH="$PATH" sbatch-tasks submit -q --run-dir "$PWD/run" "$@" >submitted
  take_ids submitted
}

@test "docker: environment byte for byte, working folder, results that the submitter owns" {
  odd_values
  echo '{"image": "", "env": {"PYTHONPATH": "/workspace/p:${PYTHONPATH}:$(id)", "NCCL_DEBUG": "package"}}' >packages/p.json
  submit_as_user t
  wait_for_all
  expect_completed
  cmp expected results/t/run/seed_42/seen
  expect_equal "$(cat results/t/run/seed_42/folder)" /workspace/p
  grep -zqxF 'PYTHONPATH=/workspace/p:/of/the/image:$(id)' results/t/run/seed_42/env
  expect_equal "$(stat -c %u results/t/run/seed_42/seen)" "$NORMAL_USER_ID"
  none_left
}

@test "docker: binds with blanks, commas and colons; a missing optional one is left out" {
  mkdir 'my dir' 'a,b' 'c:d' && touch 'my dir/1' 'a,b/2' 'c:d/3'
  python3 - <<'END'
import json, os
here = os.getcwd()
binds = [{"host": f"{here}/{h}", "container": c, "optional": h == "gone"}
         for h, c in (("my dir", "/data/one dir"), ("a,b", "/data/two"), ("c:d", "/data/three"), ("gone", "/data/gone"))]
json.dump({"image": "", "data_deps": binds}, open("packages/p.json", "w"))
END
  task t '[{"cmd": "a.sh", "label": "a", "package": "p"}]'
  echo 'ls "/data/one dir" /data/two /data/three >$OUTPUT_DIR/listed; ls /data >$OUTPUT_DIR/data' >tasks/t/a.sh
  submit t
  wait_for_all
  expect_completed
  expect_equal "$(xargs <results/t/run/seed_42/listed)" '/data/one dir: 1 /data/three: 3 /data/two: 2'
  expect_equal "$(xargs <results/t/run/seed_42/data)" 'one dir three two'
  grep -q "$PWD/gone is not on n[01]: left out" run/logs/t/a-seed42.log
}

@test "docker: a missing required bind is named, and nothing is started" {
  echo '{"image": "", "data_deps": ["/no/such/folder:/data/x"]}' >packages/p.json
  task t '[{"cmd": "a.sh", "label": "a", "package": "p"}]'
  echo 'true' >tasks/t/a.sh
  submit t
  wait_for_all
  expect_equal "$(job_field "${ids[0]}" JobState) $(record t/a exit_code)" 'FAILED 3'
  grep -q '/no/such/folder is not on n[01], and its container needs it' run/logs/t-g1-s42.slurm.log
  [[ ! -s docker.args && ! -e /no ]]
}

@test "docker: the devices of the step, numbered anew inside; none without GPU" {
  task t '[{"cmd": "a.sh", "label": "one", "group": 1, "package": "p"},
    {"cmd": "a.sh", "label": "two", "group": 1, "compute": 2, "package": "p"},
    {"cmd": "a.sh", "label": "none", "group": 1, "compute": 0, "package": "p"}]'
  echo 'echo "$CUDA_VISIBLE_DEVICES ${NVIDIA_VISIBLE_DEVICES-unset}" >$OUTPUT_DIR/$ENV' >tasks/t/a.sh
  submit t
  wait_for_all
  expect_completed
  expect_equal "$(cat results/t/run/seed_42/{one,two,none})" $'0 unset\n0,1 unset\n void'
  expect_equal "$(grep -A 1 '^--gpus$' docker.args | grep -c '^device=[0-7]$')" 1
  expect_equal "$(grep -A 1 '^--gpus$' docker.args | grep -c '^"device=[0-7],[0-7]"$')" 1
  expect_equal "$(grep -c '^--gpus$' docker.args)" 2
}

@test "docker: scancel removes the container within the kill wait" {
  task t '[{"cmd": "a.sh", "label": "a", "package": "p"}]'
  # The first process of a container does not die of a SIGTERM that it does not handle.
  echo 'touch $OUTPUT_DIR/up; sleep 1000; sleep 1000' >tasks/t/a.sh
  submit_as_user t
  wait_until is_up up
  expect_equal "$(containers | wc -l)" 1
  scancel "${ids[0]}"
  wait_for_all
  none_left
  expect_equal "$(record t/a state)" cancelled
}

@test "docker: a program that handles SIGTERM has its say" {
  task t '[{"cmd": "a.sh", "label": "a", "package": "p"}]'
  echo 'trap "touch $OUTPUT_DIR/told; exit 9" TERM; touch $OUTPUT_DIR/up; while :; do sleep 0.1; done' >tasks/t/a.sh
  submit t
  wait_until is_up up
  scancel "${ids[0]}"
  wait_for_all
  none_left
  is_up told
  expect_equal "$(record t/a state)" cancelled
}

@test "docker: no container is left behind a failed step, nor behind one whose client was killed" {
  task t '[{"cmd": "bad.sh", "label": "bad", "group": 1, "compute": 0.5, "package": "p"},
    {"cmd": "long.sh", "label": "long", "group": 1, "compute": 0.5, "package": "p"}]'
  echo 'exit 7' >tasks/t/bad.sh
  echo 'touch $OUTPUT_DIR/up; sleep 1000; sleep 1000' >tasks/t/long.sh
  submit t
  wait_until is_up up
  pkill -KILL -f -- "^$REAL_DOCKER run .*--label compute-scale.run=$work/run .*/long.sh"
  wait_for_all
  none_left
  expect_equal "$(job_field "${ids[0]}" JobState)" FAILED
  expect_equal "$(record t/bad exit_code) $(record t/long exit_code)" '7 137'
}

# A run of this machine with two steps side by side, interrupted as both run.
interrupt_run() {
  task t '[{"cmd": "a.sh", "label": "a", "group": 1, "package": "p"}, {"cmd": "a.sh", "label": "b", "group": 1, "package": "p"}]'
  echo 'touch $OUTPUT_DIR/up-$ENV; sleep 1000; sleep 1000' >tasks/t/a.sh
  sbatch-tasks run t --gpus 0,1 --run-dir run >out 2>err 3>&- &
  local code=0
  local_run=$!
  wait_until is_up up-a
  wait_until is_up up-b
  kill -INT "$local_run"
  wait "$local_run" || code=$?
  expect_equal "$code" 130
  none_left
  expect_equal "$(record t/a state) $(record t/b state)" 'cancelled cancelled'
}

@test "docker: Ctrl-C ends the steps and containers of a local run" {
  interrupt_run
}

@test "docker-rootless: Ctrl-C ends the steps and containers of a local run" {
  sed -i 's/^container_runtime:.*/container_runtime: docker-rootless/' config.yaml
  interrupt_run
}

two_steps() {
  sed -i 's/^container_runtime:.*/container_runtime: docker-rootless/' config.yaml
  task t '[{"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.6, "package": "p", "env": {"X": "it'\''s, \"1\""}},
    {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0.6, "package": "p"}]'
}

@test "docker-rootless: the steps of a job share one container, which goes at the end" {
  two_steps
  # Each waits for the other one.
  cat >tasks/t/a.sh <<'END'
touch $OUTPUT_DIR/$ENV
until [[ -e $OUTPUT_DIR/a && -e $OUTPUT_DIR/b ]]; do sleep 0.1; done
echo "$CUDA_VISIBLE_DEVICES ${X-unset} $PWD" >$OUTPUT_DIR/seen-$ENV
ls /proc/1/cwd >/dev/null; read -r -d '' first </proc/1/cmdline; echo "$first" >$OUTPUT_DIR/first-$ENV
[[ $ENV == a ]] || exit 5
END
  cp tasks/t/a.sh tasks/t/b.sh
  submit t
  wait_for_all
  expect_equal "$(record t/a exit_code) $(record t/b exit_code)" '0 5'
  expect_equal "$(cat results/t/run/seed_42/seen-*)" $'0 it\'s, "1" /workspace/p\n1 unset /workspace/p'
  expect_equal "$(cat results/t/run/seed_42/first-*)" $'sleep\nsleep'
  expect_equal "$(grep -c '^run$' docker.args)" 1
  grep -qE '^"device=[0-7],[0-7]"$' docker.args
  none_left
}

@test "docker-rootless: scancel ends the shared container" {
  two_steps
  echo 'touch $OUTPUT_DIR/up-$ENV; sleep 1000; sleep 1000' | tee tasks/t/a.sh >tasks/t/b.sh
  submit t
  wait_until is_up up-a
  wait_until is_up up-b
  expect_equal "$(containers | wc -l)" 1
  scancel "${ids[0]}"
  wait_for_all
  none_left
  expect_equal "$(record t/a state) $(record t/b state)" 'cancelled cancelled'
}

@test "docker-rootless: a step at its time limit is ended inside, the other one goes on" {
  two_steps
  echo 'trap "touch $OUTPUT_DIR/told" TERM; sleep 1000 & wait; sleep 1000' >tasks/t/a.sh
  echo 'until [[ -e $OUTPUT_DIR/go ]]; do sleep 0.1; done; ps >$OUTPUT_DIR/processes' >tasks/t/b.sh
  sbatch-tasks render -q t --run-dir "$PWD/run" >/dev/null
  sed -i '0,/^  record=/s//  limit=1\n&/' run/scripts/*.sh
  submit_scripts run
  wait_until grep -qs timeout run/results/t/a-seed42.json
  touch results/t/run/seed_42/go
  wait_for_all
  expect_equal "$(record t/a state) $(record t/b state)" 'timeout done'
  is_up told
  expect_equal "$(grep -c 'sleep 1000' results/t/run/seed_42/processes)" 0
}
