# shellcheck shell=bash
# What the tests of real containers share. Loaded behind the cluster's helpers.

# In a chroot whose root is no mount point, runtimes cannot make a root for their containers.
root_is_a_mount() { awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo; }

# In setup: skips the test there.
need_a_root_for_containers() {
  root_is_a_mount || skip 'the root of this chroot is no mount point: no container can be made here'
}

# use_runtime NAME: tasks of the present folder run in containers of package p.
use_runtime() {
  use_sbatch_tasks
  sed -i "s/^container_runtime:.*/container_runtime: $1/" config.yaml
  printf '%s\n' 'packages_dir: packages' 'workspace_root: w' >>config.yaml
  mkdir -p tasks packages w/t/run/p
  echo '{"image": "'"${IMAGE_ROOT-}"'"}' >packages/p.json
}

# Values as NAME and a Python literal, into tasks/t and expected; env.sh prints what arrived.
odd_values() {
  mkdir -p tasks/t
  python3 - <<'END'
import json
env = {"COMMA": "0,1", "QUOTES": "a\"b=c'", "LINES2": "1\n2\r\n", "CODE": "$(id)`id`$HOME", "EMPTY": "",
       "UTF8": "\u00e9", "BLANKS": " a  b ", "BACK": "a\\nb\\", "GLOB": "*", "DASH": "-n", "NCCL_DEBUG": "INFO"}
entry = {"cmd": "env.sh", "label": "a", "package": "p", "env": env}
json.dump({"test_cmds": [entry]}, open("tasks/t/config.json", "w"))
open("expected", "wb").write(b"".join(f"{k}={v}\0".encode() for k, v in sorted(env.items())))
END
  cat >tasks/t/env.sh <<'END'
for name in BACK BLANKS CODE COMMA DASH EMPTY GLOB LINES2 NCCL_DEBUG QUOTES UTF8; do
  printf '%s=%s\0' "$name" "${!name-unset}"
done >"$OUTPUT_DIR/seen"
env -0 >"$OUTPUT_DIR/env" || tr '\n' '\0' </proc/self/environ >"$OUTPUT_DIR/env"
pwd >"$OUTPUT_DIR/folder"
END
}

# shellcheck disable=SC2154 # ids is set by what submits
# Fails with the logs of the run when a job did not do well.
expect_completed() {
  local id
  for id in "${ids[@]}"; do
    [[ $(job_field "$id" JobState) == COMPLETED ]] && continue
    tail -n 20 run/logs/*.log run/logs/*/*.log
    return 1
  done
}
