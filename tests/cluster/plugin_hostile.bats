# A user who means harm, or has a broken environment: what the plugin reads of him, and with whose rights.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
}

setup() {
  enter_plugin_test
  entry=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:4)
}

teardown() {
  states=$(node_states)
  expect_none 'drain|down|fail' <<< "$states"
}

# forged TEXT: as a user's own payload.
forged() {
  run as_user timeout 60 srun --export=ALL,SLURM_COMPUTE_SCALE_PAYLOAD="$1" bash -c 'echo ran; env'
}

@test "a forged payload steers neither Slurm nor the linker, and fails the step alone" {
  for name in SLURM_JOB_UID SLURM_CONF SPANK_X SPANK__SLURM_SPANK_OPTION_x SBATCH_X SALLOC_X SRUN_X \
    LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT; do
    forged "1;scale=0.5;env.$name=/x"
    [ "$status" -eq 1 ]
    [[ $output == *'it sets a variable that an entry may not set'* && $output != *ran* ]]
  done
  for name in SLURM_JOB_UID PATH SLURM_CONF; do
    forged "1;scale=0.5;slurm.$name=0"
    [ "$status" -eq 1 ]
    [[ $output == *'it corrects a variable of Slurm that is no count of tasks'* && $output != *ran* ]]
  done
}

@test "a forged payload that is endless, torn or of another version fails the step alone" {
  pairs=$(printf ';k%d=1' {1..5000})
  for payload in '' 2 '1;' '1;=' '1;a' '1;a=1;a=2' '1;env.A=%' '1;env.A=%00' '1;env.A=%zz' "1$pairs" \
    "1;env.$(printf '%0300d' 0 | tr 0 A)=1"; do
    forged "$payload"
    [[ $status != 0 && $output != *ran* ]] || {
      printf '%.100s\n%.300s\n' "$payload" "$output"
      return 1
    }
  done
}

# Whatever a payload sets, the user could have exported.
@test "a forged payload gives a step no more than the user's own rights" {
  forged '1;scale=0.5;env.PATH=/usr/bin%3A/bin;env.HOME=/root;env.USER=root'
  [ "$status" -eq 0 ]
  expect_line "$output" HOME=/root
  run as_user srun --export=ALL,SLURM_COMPUTE_SCALE_PAYLOAD='1;scale=0.5;env.HOME=/root' id -u
  expect_equal "$output" "$NORMAL_USER_ID"
}

# trace_node FILE COMMAND...: the files that slurmd of n0 and its steps open meanwhile.
trace_node() {
  local slurmd tracer
  slurmd=$(< "$CLUSTER_DIR/run/slurmd-n0.pid")
  strace -f -e trace=%file -o "$1" -p "$slurmd" 2> /dev/null &
  tracer=$!
  until grep -qs '^TracerPid:\s*[1-9]' "/proc/$slurmd/status"; do sleep 0.05; done
  "${@:2}"
  kill "$tracer"
  wait "$tracer" || true
  # That the steps were traced at all.
  grep -q 'execve("[a-z/]*/true"' "$1"
}

forged_steps() {
  local payload
  for payload in "1;scale=0.5;entry=$marked;hardware=$marked;env.A=$marked" "1;env.LD_PRELOAD=$marked" \
    "$marked"; do
    as_user COMPUTE_SCALE_CONFIG="$work/secret/config.yaml" COMPUTE_SCALE_SITE_CONFIG="$marked.site" \
      srun -w n0 --export=ALL,SLURM_COMPUTE_SCALE_PAYLOAD="$payload" true || true
  done
}

# Slurm itself opens the job's own files as root or as the user; ours are looked for by their names.
# Slurm 24.11 on Debian loads a C++ library of its own.
@test "slurmd and slurmstepd open nothing that the user names to the plugin" {
  mkdir -m 700 secret
  echo 'compute_scale: 0.5' > secret/config.yaml
  marked=$work/secret/marked
  set_plugstack < /dev/null
  trace_node without srun -w n0 true
  load_plugin
  trace_node trace forged_steps
  grep -q spank_compute_scale.so trace
  files='"\K/[^"]*'
  comm -13 <(grep -oP "$files" without | sort -u) <(grep -oP "$files" trace | sort -u) > opened
  grep -q spank_compute_scale.so opened
  expect_none 'secret|libcompute-scale|site\.yaml|config\.json|libstdc|yaml-cpp' opened
}

@test "a user's config that is no file, too large or no text refuses the request, soon" {
  mkfifo fifo
  mkdir folder
  ln -s /dev/zero device
  ln -s loop loop
  truncate -s 100M large
  printf 'a: 1\0' > nul
  python3 -c 'print("a: " + "[" * 1000000)' > deep
  for kind in 'fifo:is not a regular file' 'folder:is a folder' 'device:is not a regular file' \
    'loop:Too many levels' 'large:is larger than 4194304 bytes' 'nul:holds a NUL byte' \
    'deep:nested too deeply' 'absent:No such file'; do
    config=$work/${kind%%:*}
    expect_refused "$config: .*${kind#*:}" env COMPUTE_SCALE_CONFIG="$config" timeout 10 sbatch "${entry[@]}" --wrap true
  done
  # Nobody else is disturbed.
  run --separate-stderr sbatch --hold --wrap true
  expect_equal "$status$stderr" 0
}

# Real shared objects that say so when they are loaded, in place of what C++ programs need.
@test "other C++ libraries in the user's LD_LIBRARY_PATH are not loaded" {
  mkdir bad
  echo 'void __attribute__((constructor)) f(void) { __builtin_trap(); }' > bad.c
  gcc -shared -fPIC -o bad/libbad.so bad.c
  for name in libyaml-cpp.so.0.7 libyaml-cpp.so.0.8 libfmt.so.9 libstdc++.so.6 libgcc_s.so.1 \
    libcompute-scale.so spank_compute_scale.so; do
    ln -s libbad.so "bad/$name"
  done
  export LD_LIBRARY_PATH=$work/bad
  # It is what it seems to be.
  run python3 -c 'import ctypes; ctypes.CDLL("libyaml-cpp.so.0.7")'
  [ "$status" -ne 0 ]
  sbatch --hold --wrap true
  run --separate-stderr sbatch --hold "${entry[@]}" --wrap true
  [ "$status" -eq 0 ]
  [[ $stderr == *'gpu 4 -> 2'* ]]
  PATH=$PRODUCT_DIR/build/release:$PATH
  run env COMPUTE_SCALE_SITE_CONFIG= sbatch-tasks list --tasks-dir "$PRODUCT_DIR/tasks"
  [[ $status == 0 && $output == *llm-pretrain-loss* ]]
}

@test "without a controller the command fails as Slurm says, and nothing else is said" {
  sed -E 's/^(SlurmctldPort=).*/\11/; /^MessageTimeout/d' "$SLURM_CONF" > slurm.conf
  echo MessageTimeout=1 >> slurm.conf
  unset "${!SLURM_JOB@}"
  SLURM_CONF=$work/slurm.conf run timeout 100 sbatch "${entry[@]}" --wrap true
  [[ $status == 1 && $output == *'compute-scale: llm-pretrain-loss/gpt-345m'* ]]
  [[ ${lines[-1]} == *'Batch job submission failed'* ]]
}
