# The matrix itself, on a root that is none: the real ones take long and are made by make test-matrix.

setup() {
  unshare --mount --pid --fork true || skip 'may not make namespaces'
  matrix=$BATS_TEST_DIRNAME/matrix
  directory=$BATS_TEST_TMPDIR/matrix
  root=$directory/nodebian
  mkdir -p "$root"/{proc,sys,dev,etc,tmp,usr/bin}
}

# Processes and mounts that the matrix left.
left() {
  find /proc/[0-9]*/root -lname "$root" 2> /dev/null
  grep -F "$directory" /proc/[0-9]*/mounts 2> /dev/null
}

expect_nothing_left() {
  run left
  [ -z "$output" ] || { echo "$output"; false; }
}

# A shell for the root that waits for ever.
make_waiting_shell() {
  gcc -static -o "$root/usr/bin/sh" -x c - << 'END_OF_PROGRAM'
#include <unistd.h>
int main(void) { for (;;) pause(); }
END_OF_PROGRAM
}

@test "what cannot run counts as failed, and the table and the exit status say so" {
  run "$matrix" "$directory" nodebian
  [ "$status" -eq 1 ]
  [[ ${lines[0]} == "== nodebian: test; log: $directory/nodebian-test.log" ]]
  [[ $output == *'failed to run command'* ]]
  [[ ${lines[-1]} =~ ^\?\ +nodebian\ +0\ +1\ +0\ +[0-9]+$ ]]
  expect_nothing_left
}

@test "the root has the checkout without what was built of it elsewhere" {
  run "$matrix" "$directory" nodebian
  [ -e "$root/checkout/Makefile" ]
  [ ! -e "$root/checkout/.git" ]
  mkdir -p "$root/checkout/build"
  echo kept > "$root/checkout/build/here"
  # As a compiler that was killed leaves it.
  touch "$root/checkout/build/empty.o"
  echo gone > "$root/checkout/gone"
  # Built before this copy is made, from another Makefile, and from the same README.
  echo changed >> "$root/checkout/Makefile"
  touch -d '1 hour ago' "$root/checkout/README.md" "$root/checkout/Makefile"
  run "$matrix" "$directory" nodebian
  [ "$root/checkout/Makefile" -nt "$root/checkout/build/here" ]
  [ "$root/checkout/README.md" -ot "$root/checkout/build/here" ]
  [ "$(ls "$root/checkout/build")" = here ]
  [ ! -e "$root/checkout/gone" ]
}

@test "when it is ended, so are all its processes and mounts" {
  make_waiting_shell
  for signal in INT TERM KILL; do
    env --default-signal "$matrix" "$directory" nodebian > "$BATS_TEST_TMPDIR/output" 3>&- &
    pid=$!
    until find /proc/[0-9]*/exe -lname "$root/usr/bin/sh" 2> /dev/null | grep -q .; do sleep 0.1; done
    kill "-$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq $((128 + $(kill -l $signal))) ]
    # After KILL the kernel does it, and nobody waits for it.
    for _ in {1..100}; do
      [[ -n $(left) ]] || break
      sleep 0.05
    done
    expect_nothing_left
  done
}

@test "wrong use is one line and exit status 2" {
  for arguments in '' "$directory" "$directory ../trixie"; do
    # shellcheck disable=SC2086
    run "$matrix" $arguments
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
  done
}
