# shellcheck shell=bash
# Debian sid in a folder, with the Apptainer and the Slurm that it has: bookworm has no Apptainer.
# Needs root and Debian's archive; sourced by the tests.

# make_sid_root DIR: about a minute and 500 MB. With SID_ROOT set, that one is used and kept.
make_sid_root() {
  if ! debootstrap --variant=minbase --include=slurm-wlm,munge,procps,iproute2,apptainer \
    sid "$1" >"$1.log" 2>&1; then
    echo 'a sid root with apptainer cannot be made here:' >&2
    tail -n 20 "$1.log" >&2
    return 1
  fi
}

# enter_sid_root ROOT FOLDER...: keeps a mount namespace in which ROOT is the root and the folders
# are where they are outside; sets sid_holder, the process that keeps it. Apptainer needs a real root
# (pivot_root, not chroot) for the namespaces of normal users. From within a chroot, the first process
# lends its root for that; paths then begin with the chroot's own.
enter_sid_root() {
  local root=$1 folder fd tries=0 enter=()
  # shellcheck disable=SC2016 # for the shell inside
  mountpoint -q / || enter=(chroot /proc/1/root bash -c '
    SID_PREFIX=$(readlink /proc/self/fd/9) exec "$@"' enter)
  printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts"
  for folder in "${@:2}"; do mkdir -p "$root$folder"; done
  (
    for fd in {3..99}; do eval "exec $fd>&-"; done
    exec 9</
    # shellcheck disable=SC2016 # for the shell inside
    exec "${enter[@]}" unshare --mount --propagation private bash -c '
      set -e
      exec 9<&-
      prefix=${SID_PREFIX-}
      root=$prefix$1
      mount --bind "$root" "$root"
      mkdir -p "$root/outside"
      mount -t proc proc "$root/proc"
      mount --rbind /sys "$root/sys"
      mount --rbind /dev "$root/dev"
      for folder in "${@:2}"; do mount --bind "$prefix$folder" "$root$folder"; done
      cd "$root"
      pivot_root . outside
      umount -l /outside
      touch /entered
      exec sleep infinity' enter "$@"
  ) </dev/null >"$root/enter.log" 2>&1 &
  sid_holder=$!
  until [[ -e $root/entered ]]; do
    if ((++tries > 100)) || ! kill -0 "$sid_holder" 2>/dev/null; then
      echo 'the sid root cannot be entered here:' >&2
      cat "$root/enter.log" >&2
      return 1
    fi
    sleep 0.1
  done
  rm "$root/entered"
}

# Runs a command in there, in the present folder as it is in there.
inside() {
  # shellcheck disable=SC2016 # for the shell inside
  nsenter --target "$sid_holder" --mount --root --wd -- \
    bash -c 'cd "$1" && exec "${@:2}"' enter "$PWD" "$@"
}

leave_sid_root() { kill -KILL "$sid_holder"; }
