# shellcheck shell=bash
# bats runs this once around all files of this folder.
# shellcheck source=helpers.bash
source "${BASH_SOURCE[0]%/*}/helpers.bash"

setup_suite() {
  # shellcheck disable=SC2119
  start_suite_cluster
  if [[ -e $built/spank_compute_scale.so ]]; then
    copy_product
  fi
}

teardown_suite() {
  stop_suite_cluster
}
