#!/usr/bin/env bats
# What job scripts ask of docker, podman and pyxis. The real runtimes: tests/containers.
load helper

setup() {
  begin_test
  export CUDA_VISIBLE_DEVICES=0,1,2,3
  unset {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY HF_ENDPOINT
  mkdir -p w/t/run/p there
  echo '{"image": "/i/p.sif"}' >packages/p.json
  fake_engine docker
  fake_engine podman
}

# fake_engine NAME: keeps its arguments in NAME.args and runs here what is to run in the container.
fake_engine() {
  cat >"bin/$1" <<END
#!/usr/bin/env bash
printf '%s\n' "\$@" >>'$work/$1.args'
case \$1 in
  version) echo "\${PODMAN_VERSION:-4.3.1}" ;;
  run)
    [[ \$2 != -d ]] || exit 0
    while [[ \$1 != mlsbench/* ]]; do shift; done
    exec "\${@:2}" ;;
  exec)
    while [[ \$1 != compute-scale-* ]]; do shift; done
    # The container's /dev/shm.
    exec "\$2" "\$3" "\${4//\/dev\/shm/$work/there}" "\${@:5}" ;;
esac
END
  chmod +x "bin/$1"
}

fake_srun() {
  cat >bin/srun <<END
#!/usr/bin/env bash
printf '%s\n' "\$@" >>'$work/srun.args'
echo "\${HOME-unset} \${NVIDIA_VISIBLE_DEVICES-unset}" >'$work/srun.env'
while [[ \$1 == --* ]]; do shift; done
exec "\$@"
END
  chmod +x bin/srun
}

# run_with RUNTIME [RENDER-ARGUMENT]...: renders the only job of task t and runs it.
run_with() {
  sbatch-tasks render -q t --run-dir run --container-runtime "$1" --workspace-root w "${@:2}"
  # shellcheck disable=SC2154 # run sets it
  run bash run/scripts/*.sh
}

# entry COMPUTE: a task that shows its devices.
entry() {
  task t <<END
[{"cmd": "echo \"sees [\$CUDA_VISIBLE_DEVICES]\" #", "label": "a", "compute": $1, "package": "p"}]
END
}

sees() { cat run/logs/t/*.log | grep ^sees; }

@test 'docker: one device' {
  entry 1
  run_with docker
  expect_equal "$status" 0 "$output"
  expect_equal "$(grep ^device docker.args)" 'device=0'
  expect_equal "$(sees)" 'sees [0]'
}

@test 'docker: several devices have quotes of their own, and new numbers inside' {
  entry 2
  # Slurm has numbered the devices anew for the job; the daemon knows the machine's numbers.
  CUDA_VISIBLE_DEVICES=0,1 SLURM_JOB_GPUS=0,3 run_with docker
  expect_equal "$(grep device docker.args)" '"device=0,3"'
  expect_equal "$(sees)" 'sees [0,1]'
  expect_equal "$(json run/results/t/a-seed42.json 'd["devices"]')" 0,1
}

@test 'docker: names of devices go as they are' {
  entry 2
  CUDA_VISIBLE_DEVICES=GPU-aa,MIG-bb SLURM_JOB_GPUS=0,3 run_with docker
  expect_equal "$(grep device docker.args)" '"device=GPU-aa,MIG-bb"'
}

@test 'docker and podman: without GPU none is visible' {
  local engine
  entry 0
  for engine in docker podman; do
    run_with $engine
    expect_equal "$status" 0 "$output"
    expect_equal "$(grep -cE '^(--gpus|--device)$' $engine.args)" 0
    grep -qx 'NVIDIA_VISIBLE_DEVICES=void' $engine.args
    expect_equal "$(sees)" 'sees []'
    rm -r run results
  done
}

@test 'podman: one CDI device each; a version that knows none is refused' {
  entry 2
  CUDA_VISIBLE_DEVICES=1,2 run_with podman
  expect_equal "$status" 0 "$output"
  expect_equal "$(grep -A 1 '^--device$' podman.args | grep nvidia)" $'nvidia.com/gpu=1\nnvidia.com/gpu=2'
  expect_equal "$(sees)" 'sees [0,1]'
  rm podman.args
  PODMAN_VERSION=4.0.9 run bash run/scripts/*.sh
  expect_equal "$status" 3
  expect_contains "$output" 'podman 4.0.9 cannot give single GPUs to a container: 4.1 or later is needed'
  expect_equal "$(grep -c '^run$' podman.args)" 0
}

@test 'podman: the submitter keeps his id; for root podman refuses that, and needs it not' {
  need_root
  entry 1
  run_with podman
  expect_equal "$status" 0 "$output"
  expect_equal "$(grep -c '^--userns' podman.args)" 0
  : >podman.args
  chmod -R a+rwX "$work"
  run as_other bash run/scripts/*.sh
  expect_contains "$(cat podman.args)" $'\n--userns=keep-id\n'
}

@test 'docker: proxies and HF_ENDPOINT go through where they are set' {
  entry 1
  http_proxy=http://p:1 HF_ENDPOINT='' run_with docker
  expect_equal "$(grep -A 1 '^-e$' docker.args | grep -v '^-' | tr '\n' ' ')" 'http_proxy HF_ENDPOINT HOME=/tmp '
}

@test 'docker: who runs, names and labels' {
  entry 1
  SLURM_JOB_ID=77 SLURM_RESTART_COUNT=2 run_with docker
  grep -qx -- "$(id -u):$(id -g)" docker.args
  grep -qx 'compute-scale-77-step_1-2' docker.args
  expect_equal "$(grep -A 1 '^--label$' docker.args | grep ^compute)" \
    "compute-scale.run=$PWD/run
compute-scale.step=t/a seed 42
compute-scale.job=77"
  # Outside of Slurm, too, no two runs share a name.
  run bash run/scripts/*.sh
  run bash run/scripts/*.sh
  expect_equal "$(grep -x 'compute-scale-.*-step_1-[0-9]' docker.args | sort -u | wc -l)" 3
  expect_equal "$(grep -cE '^-[it]+$' docker.args)" 0
}

@test 'docker: a failed step leaves no container' {
  task t <<<'[{"cmd": "exit 6 #", "label": "a", "package": "p"}]'
  SLURM_JOB_ID=77 run_with docker
  expect_equal "$status" 6
  expect_equal "$(tail -n 3 docker.args | xargs)" 'rm -f compute-scale-77-step_1-0'
}

@test 'docker-rootless: the steps of a job share a container, each sees its own devices' {
  task t <<'END'
[{"cmd": "echo \"sees $ENV $CUDA_VISIBLE_DEVICES\" #", "label": "a", "group": 1, "compute": 0.6, "package": "p"},
 {"cmd": "echo \"sees $ENV $CUDA_VISIBLE_DEVICES\"; exit 4 #", "label": "b", "group": 1, "compute": 0.6, "package": "p"}]
END
  CUDA_VISIBLE_DEVICES=4,6 SLURM_JOB_ID=5 run_with docker-rootless
  expect_equal "$status" 4
  expect_equal "$(grep -c '^run$' docker.args) $(grep -c '^exec$' docker.args)" '1 3'
  expect_equal "$(grep device docker.args)" '"device=4,6"'
  expect_equal "$(sees | cut -d' ' -f3 | sort | tr '\n' ' ')" '0 1 '
  expect_equal "$(grep -c -- '^--user$' docker.args)" 0
  expect_equal "$(tail -n 3 docker.args | xargs)" 'rm -f compute-scale-5-session_1-0'
  expect_equal "$(json run/results/t/b-seed42.json 'd["exit_code"]')" 4
}

@test 'docker-rootless: a container that does not start fails its steps, with the reason' {
  task t <<'END'
[{"cmd": "true #", "label": "a", "group": 1, "compute": 0.5, "package": "p"},
 {"cmd": "true #", "label": "b", "group": 1, "compute": 0.5, "package": "p"}]
END
  printf '#!/bin/sh\necho "no such image"; exit 125\n' >bin/docker
  run_with docker-rootless
  expect_equal "$status" 3
  expect_contains "$output" 't/a seed 42: its container does not start: no such image'
  expect_equal "$(json run/results/t/b-seed42.json 'd["state"]')" failed
}

@test 'pyxis: no GPU is looked for, HOME is set' {
  fake_srun
  entry 0
  HOME='' run_with pyxis
  expect_equal "$status" 0 "$output"
  expect_equal "$(cat srun.env)" '/tmp void'
  grep -qx -- '--container-env=NVIDIA_VISIBLE_DEVICES' srun.args
  expect_equal "$(sees)" 'sees []'
}

@test 'pyxis: the value of the task beats the one of the image' {
  fake_srun
  task t <<<'[{"cmd": "echo \"sees $NCCL_DEBUG\" #", "label": "a", "package": "p", "env": {"NCCL_DEBUG": "INFO"}}]'
  NCCL_DEBUG=WARN run_with pyxis
  expect_equal "$(sees)" 'sees INFO'
}

@test 'pyxis: steps of one job run side by side' {
  fake_srun
  task t <<'END'
[{"cmd": "true #", "label": "a", "group": 1, "compute": 0.5, "package": "p"},
 {"cmd": "true #", "label": "b", "group": 1, "compute": 0.5, "package": "p"}]
END
  run_with pyxis
  expect_equal "$status" 0 "$output"
  expect_equal "$(grep -cx -- --overlap srun.args)" 2
}

@test 'mounts: missing optional ones are left out, missing required ones are named' {
  local engine
  fake_srun
  cat >packages/p.json <<END
{"image": "/i/p.sif", "data_deps": ["$PWD/there:/a", {"host": "$PWD/gone", "container": "/b", "optional": true}]}
END
  entry 0
  for engine in docker docker-rootless podman pyxis; do
    mkdir -p there
    run_with $engine
    expect_equal "$status" 0 "$output"
    expect_contains "$(cat run/logs/t/a-seed42.log)" "$PWD/gone is not on "
    rmdir there
    run bash run/scripts/*.sh
    expect_equal "$status" 3
    expect_contains "$output" "$PWD/there is not on "
    rm -r run results
  done
  expect_equal "$(cat docker.args podman.args srun.args | grep -c "$PWD/gone")" 0
  expect_equal "$(cat docker.args podman.args srun.args | grep -c "$PWD/there:/a")" 4
}

@test 'options of the site stand in the command; unknown runtimes are refused' {
  echo 'container_flags: {docker: [--platform, linux/amd64]}' >>config.yaml
  entry 1
  run_with docker
  grep -qx linux/amd64 docker.args
  sbatch-tasks render -n -q t --container-runtime podman --workspace-root w >podman.sh
  expect_equal "$(grep -c linux/amd64 podman.sh)" 0
  run sbatch-tasks render -n -q t --container-runtime dokcer
  expect_error 1 'container_runtime: "dokcer": expected apptainer, singularity, docker, docker-rootless, podman, pyxis, local; did you mean docker?'
}
