# shellcheck shell=bash
# For the tests of installing: `load helpers`.

bats_require_minimum_version 1.5.0
# A whole build on a busy machine takes its time.
export BATS_TEST_TIMEOUT=1800

repo=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
built=${BUILT:-$repo/build/release}
packages=${built%/*}/packages

# A make of its own, not a part of the one that may have started the tests. It takes the built objects;
# what differs by the paths of the install goes to folder $1.
make_in() {
  env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory -C "$repo" "B=${built%/*}" "W=$1" "${@:2}"
}

# Installs below $1, as a site without packages would; $1/slurm is for Slurm's configuration.
install_below() {
  make_in "$1/objects" install "prefix=$1" "sysconfdir=$1/etc" "slurmconfdir=$1/slurm" > /dev/null
}

the_deb() {
  ls "$packages"/compute-scale_*.deb
}

the_rpm() {
  ls "$packages"/compute-scale-*.rpm
}

expect_equal() {
  [[ $1 == "$2" ]] && return
  printf 'expected: %s\nis:       %s\n' "$2" "$1"
  return 1
}

expect_contains() {
  [[ $1 == *"$2"* ]] && return
  printf 'expected: %s\nin:       %s\n' "$2" "$1"
  return 1
}

# snapshot FOLDER: its files with their content, to compare.
snapshot() {
  (cd "$1" && find . -printf '%P %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}
