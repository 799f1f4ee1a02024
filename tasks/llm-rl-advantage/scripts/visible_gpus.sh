# shellcheck shell=bash
# Sourced by the scripts beside it. A task folder is bound alone into its container, so every task
# that counts GPUs has its own copy; a test holds the copies equal.

# Ends the script with one line.
die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# Prints how many GPUs this process sees: what CUDA_VISIBLE_DEVICES lists, or all of the node's
# where it is not set. Indices, GPU-... and MIG-... names count; anything else is refused, because
# CUDA takes it as the end of the list.
count_visible_gpus() {
  if [[ -z "${CUDA_VISIBLE_DEVICES+set}" ]]; then
    count_node_gpus
    return
  fi
  local devices="${CUDA_VISIBLE_DEVICES//[[:space:]]/}" names name
  [[ -n "$devices" ]] || die "CUDA_VISIBLE_DEVICES is empty: ask for at least one GPU"
  IFS=, read -ra names <<<"$devices"
  for name in "${names[@]}"; do
    [[ "$name" =~ ^([0-9]+|GPU-.+|MIG-.+)$ ]] ||
      die "CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES: '$name' names no GPU" \
        "(an index, GPU-... or MIG-... does)"
  done
  echo "${#names[@]}"
}

count_node_gpus() {
  local listed
  listed="$(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null | grep -c '^[0-9]')" ||
    die "CUDA_VISIBLE_DEVICES is not set and nvidia-smi lists no GPU: ask for at least one"
  echo "$listed"
}

# Refuses each named variable that is not a whole number from 1 up.
require_counts() {
  local name
  for name in "$@"; do
    [[ "${!name}" =~ ^[1-9][0-9]*$ ]] ||
      die "$name=${!name}: must be a whole number from 1 up"
  done
}

# Refuses to go on outside the package folder that holds the file.
require_in_package() {
  [[ -f "$1" ]] || die "$1 is not in $PWD: start the script in the folder of the package $2"
}
