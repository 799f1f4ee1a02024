# shellcheck shell=bash
# A private Docker daemon in a folder of its own: no network, no image from elsewhere.
# Needs root; sourced by setup_suite.bash and the tests.

# The distribution's client; there may be others in front of it.
readonly REAL_DOCKER=/usr/bin/docker

# start_docker DIR: exports DOCKER_HOST. Members of nogroup, as the tests' normal user, may use it.
start_docker() {
  local dir=$1 fd
  mkdir -p "$dir"
  export DOCKER_HOST=unix://$dir/docker.socket
  (
    # A daemon that keeps the pipe of bats open would keep it waiting for ever.
    for fd in {3..99}; do eval "exec $fd>&-"; done
    # No pivot_root: the tests may run in a chroot, whose root is no mount point.
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$dir" DOCKER_RAMDISK=true \
      dockerd --iptables=false --ip6tables=false --bridge=none --storage-driver=vfs \
      --exec-opt native.cgroupdriver=cgroupfs --data-root="$dir/data" --exec-root="$dir/exec" \
      --pidfile="$dir/dockerd.pid" --host="$DOCKER_HOST" --group=nogroup
  ) </dev/null >"$dir/dockerd.log" 2>&1 &
  local tries=0
  until "$REAL_DOCKER" version >/dev/null 2>&1; do
    if ((++tries > 300)) || ! kill -0 "$!" 2>/dev/null; then
      echo 'dockerd does not start here:' >&2
      tail -n 20 "$dir/dockerd.log" >&2
      return 1
    fi
    sleep 0.1
  done
}

stop_docker() {
  local dir=$1 pid tries=0
  "$REAL_DOCKER" ps -aq 2>/dev/null | xargs -r "$REAL_DOCKER" rm -f >/dev/null 2>&1
  pid=$(cat "$dir/dockerd.pid" 2>/dev/null) || return 0
  kill -TERM "$pid"
  while [[ -e /proc/$pid ]] && ((++tries < 200)); do sleep 0.1; done
  kill -KILL "$pid" 2>/dev/null
  grep -oE " $dir/[^ ]+" /proc/self/mounts | sort -r | xargs -r umount -l
  return 0
}

# make_image_root DIR: the smallest root that a step can run in: bash, and busybox for the rest.
make_image_root() {
  local root=$1 file program
  mkdir -p "$root"/{bin,dev,etc,proc,sys,tmp,usr/bin,workspace,data,results}
  chmod 1777 "$root/tmp"
  cp /bin/bash /bin/busybox "$root/bin"
  ldd /bin/bash | grep -o '/lib[^ ]*' | while read -r file; do
    mkdir -p "$root/${file%/*}"
    cp -L "$file" "$root$file"
  done
  for program in cat env id kill ls mkdir ps sh sleep tail touch; do
    ln -sf busybox "$root/bin/$program"
  done
}

# make_image NAME: with variables of its own that tasks replace or extend.
make_image() {
  local root
  root=$(mktemp -d)
  chmod 755 "$root"
  make_image_root "$root"
  tar -C "$root" -c . |
    "$REAL_DOCKER" import -c 'ENV NCCL_DEBUG=WARN' -c 'ENV PYTHONPATH=/of/the/image' - "$1" >/dev/null
  rm -rf "$root"
}
