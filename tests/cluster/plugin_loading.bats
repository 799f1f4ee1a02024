# What the plugin opens, and when.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
}

# opened COMMAND...: the files that the command opens, one per line.
opened() {
  strace -f -e trace=open,openat -o trace "$@" > /dev/null 2>&1 < /dev/null
  grep -oP '(open|openat)\([^"]*"\K[^"]*(?="[^=]*= [0-9])' trace
}

@test "without an option neither library nor configs are opened" {
  for command in 'sbatch --hold --gres=gpu:4 --wrap true' 'salloc --gres=gpu:1 true' \
    'srun --gres=gpu:1 true'; do
    # shellcheck disable=SC2086
    files=$(opened $command)
    grep -q 'spank_compute_scale.so$' <<< "$files"
    expect_none 'libcompute-scale|site\.yaml|yaml-cpp|config\.json|libstdc' <<< "$files"
  done
}

@test "with an option the library and one task are opened" {
  files=$(opened sbatch --hold --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m \
    --gres=gpu:4 --wrap true)
  grep -q 'libcompute-scale.so$' <<< "$files"
  expect_equal "$(grep -c 'config\.json$' <<< "$files")" 1
}

@test "a step of a scaled job does not open the library" {
  cat > job.sh << 'END'
#!/bin/bash
strace -f -e trace=open,openat -o trace srun -n1 true
srun -n1 grep compute-scale /proc/self/maps
END
  run_job --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:4 job.sh
  expect_equal "$job_state" FAILED
  grep -q spank_compute_scale trace
  expect_none 'libcompute-scale|site\.yaml' trace
}

@test "slurmd and slurmstepd map no C++ code of ours" {
  id=$(sbatch --parsable --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m \
    --gres=gpu:4 --wrap 'touch started; sleep 30' 2> messages)
  until [[ -e started ]]; do sleep 0.1; done
  maps=$(grep -lsE "slurmstepd: \[$id\." /proc/[0-9]*/cmdline | cut -d/ -f3 |
    xargs -I PID cat /proc/PID/maps)
  scancel "$id"
  grep -q spank_compute_scale.so <<< "$maps"
  expect_none 'libcompute-scale|yaml|fmt' <<< "$maps"
}

@test "a bad library path of the user does no harm" {
  mkdir bad
  for name in libyaml-cpp.so.0.7 libfmt.so.9 libstdc++.so.6 libgcc_s.so.1; do
    echo nonsense > "bad/$name"
  done
  export LD_LIBRARY_PATH=$work/bad
  sbatch --version
  sbatch --hold --gres=gpu:4 --wrap true
  sbatch --hold --compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:4 \
    --wrap true
}
