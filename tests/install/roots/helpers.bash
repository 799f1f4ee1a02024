# shellcheck shell=bash
# For the tests in a bare Debian: a copy of it, and commands in that copy.

# shellcheck source=../helpers.bash
source "${BASH_SOURCE[0]%/*}/../helpers.bash"

# In setup_file: exports ROOT, a copy of the bare root with the means to run a private Slurm in it.
copy_root() {
  export ROOT=$BATS_FILE_TMPDIR/root
  cp -a "${BARE_ROOT:?make test-install sets it}" "$ROOT"
  cp -r "$repo/tests/cluster" "$ROOT/opt/cluster"
  printf '127.0.0.1 localhost %s\n' "$HOSTNAME" > "$ROOT/etc/hosts"
  mkdir -m 1777 "$ROOT/work"
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$ROOT"
}

# Runs a command in the root, in a mount name space of its own: no mount outlives it. As in a
# login, nothing of the caller's environment is in it.
# shellcheck disable=SC2016 # for the inner shell
in_root() {
  unshare --mount --propagation private bash -c '
    set -e
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    mount --rbind /sys "$ROOT/sys"
    exec chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive HOSTNAME="$HOSTNAME" SLURM_CONF=/cluster/etc/slurm.conf \
      /bin/bash -c "cd /work; $1"' bash "$1" 3>&-
}

# The cluster reads the plugstack.conf of the root, as a real one would.
start_cluster() {
  mkdir -p "$ROOT/cluster"
  echo 'include /etc/slurm/plugstack.conf' > "$ROOT/opt/plugstack.conf"
  in_root 'unset SLURM_CONF; /opt/cluster/cluster start /cluster --plugstack /opt/plugstack.conf'
}

stop_cluster() {
  [[ ! -e ${ROOT-}/cluster ]] ||
    in_root '/opt/cluster/cluster stop /cluster'
}

# plugin_command WORDS: compute-scale-plugin for the Slurm that is installed in the root.
plugin_command() {
  in_root "unset SLURM_CONF; compute-scale-plugin $1"
}

# Runs a command in the root as a user without rights.
as_user() {
  in_root "exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/work bash -c '$1'"
}

# Everything that a package may put somewhere, without what dpkg, rpm and the tests themselves write.
files_of_root() {
  (cd "$ROOT" && find . -xdev \( -path ./var -o -path ./work -o -path ./cluster -o -path ./opt -o \
    -path ./tmp -o -path ./run -o -path ./dev -o -path ./proc -o -path ./sys -o -path ./root \) -prune -o -print |
    grep -vxE './etc/ld.so.cache' | sort)
}
