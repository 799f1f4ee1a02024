# shellcheck shell=bash
# What the tests of the task scripts share: the tree, and programs that record how they were called.

bats_require_minimum_version 1.5.0

ROOT="$(cd "$BATS_TEST_DIRNAME/../.." && pwd)"
TASKS="$ROOT/tasks"

# Puts a `program` on PATH that keeps its arguments (one a line) and its environment in the test's
# folder, as <program>.args and <program>.env, and runs nothing.
record_calls_of() {
  local program="$1" folder="$BATS_TEST_TMPDIR/bin"
  mkdir -p "$folder"
  cat >"$folder/$program" <<EOF
#!/bin/bash
printf '%s\n' "\$@" >"$BATS_TEST_TMPDIR/$program.args"
env >"$BATS_TEST_TMPDIR/$program.env"
EOF
  chmod +x "$folder/$program"
  PATH="$folder:$PATH"
}

# Goes to a package folder that holds these (empty) files.
enter_package_with() {
  mkdir -p "$BATS_TEST_TMPDIR/package"
  cd "$BATS_TEST_TMPDIR/package" || return 1
  touch "$@"
}

# The value that the recorded program saw in its environment.
seen_by() {
  sed -n "s/^$2=//p" "$BATS_TEST_TMPDIR/$1.env"
}

# Succeeds if the recorded program got exactly this argument.
got_argument() {
  grep -Fxq -- "$2" "$BATS_TEST_TMPDIR/$1.args" || {
    echo "$1 did not get $2; it got:"
    cat "$BATS_TEST_TMPDIR/$1.args"
    return 1
  }
}

# Succeeds if the two texts are the same, else shows both.
expect_equal() {
  [[ "$1" == "$2" ]] || {
    echo "is:        $1"
    echo "should be: $2${3:+ ($3)}"
    return 1
  }
}

# After `run`: exit status 1 and this one line.
expect_refusal() {
  # shellcheck disable=SC2154 # bats sets status and output
  expect_equal "$status" 1 "status of: $output" && expect_equal "$output" "$1"
}

# The environment of a task's profile block, as NAME=value lines for `env`.
profile_env() {
  python3 - "$TASKS/$1/config.json" "$2" <<'EOF'
import json, sys
entry = json.load(open(sys.argv[1]))["test_cmds"][0]
for name, value in entry[sys.argv[2]]["env"].items():
    print(f"{name}={value}")
EOF
}

# The GPUs of a task's first entry: its own, or those of the named profile block.
gpus_of() {
  python3 - "$TASKS/$1/config.json" "${2:-}" <<'EOF'
import json, sys
entry = json.load(open(sys.argv[1]))["test_cmds"][0]
print(int((entry[sys.argv[2]] if sys.argv[2] else entry)["compute"]))
EOF
}

# "0,1,...": the device list of so many GPUs.
devices() {
  seq -s, 0 $(($1 - 1))
}
