# shellcheck shell=bash
# bats runs this once around all files of this folder: a private Slurm and a private Docker.
# shellcheck source=../cluster/helpers.bash
source "${BASH_SOURCE[0]%/*}/../cluster/helpers.bash"
# shellcheck source=lib/docker_daemon.bash
source "${BASH_SOURCE[0]%/*}/lib/docker_daemon.bash"
# shellcheck source=container_helpers.bash
source "${BASH_SOURCE[0]%/*}/container_helpers.bash"

setup_suite() {
  # shellcheck disable=SC2119
  start_suite_cluster
  copy_product
  root_is_a_mount || return 0
  start_docker "$CLUSTER_DIR/docker"
  make_image mlsbench/p:latest
}

teardown_suite() {
  ! root_is_a_mount || stop_docker "$CLUSTER_DIR/docker"
  stop_suite_cluster
}
