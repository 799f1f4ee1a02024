# What the built plugin is made of. It is loaded into slurmd, slurmstepd and every command of every
# user, so it may bring nothing along but itself.

setup() {
  built=${BUILT:-$BATS_TEST_DIRNAME/../../build/release}
  plugin=$built/spank_compute_scale.so
}

@test "it needs libc only" {
  run ldd "$plugin"
  [ "$status" -eq 0 ]
  others=$(grep -vE 'linux-vdso|libc\.so\.6|ld-linux' <<< "$output") || true
  [ -z "$others" ] || { echo "$others"; false; }
}

@test "it shows Slurm's symbols and nothing else" {
  expected=$(printf '%s\n' plugin_name plugin_type plugin_version slurm_spank_init \
    slurm_spank_init_post_opt slurm_spank_task_init spank_plugin_version)
  [ "$(nm -D --defined-only "$plugin" | awk '{print $3}' | sort)" = "$expected" ]
}

@test "what it leaves undefined is Slurm's or libc's" {
  others=$(nm -D --undefined-only "$plugin" | grep ' U ' | grep -v '@GLIBC_' |
    grep -vE ' (slurm_(error|info|verbose)|spank_[a-z_]+)$') || true
  [ -z "$others" ] || { echo "$others"; false; }
}

@test "no C++ run-time is in it" {
  runtime='std::|__cxa_(throw|allocate)|operator (new|delete)|__gxx_personality'
  found=$(nm -C "$plugin" | grep -E "$runtime") || true
  [ -z "$found" ] || { echo "$found"; false; }
}

@test "it is built for the Slurm that is installed" {
  release=$(PATH=$PATH:/usr/sbin slurmctld -V | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
  major=${release%.*}
  minor=${release#*.}
  offset=$((0x$(nm -D "$plugin" | awk '$3 == "plugin_version" {print $1}')))
  # .rodata is mapped where it lies in the file.
  version=$(od -An -tu4 -j "$offset" -N 4 "$plugin" | tr -d ' ')
  [ "$((version >> 16))" -eq "$((10#$major))" ]
  [ "$((version >> 8 & 255))" -eq "$((10#$minor))" ]
}

@test "it is small" {
  # What it can add to a slurmstepd at most: all its pages.
  pages=0
  while read -r address size; do
    pages=$((pages + (address + size - 1) / 4096 - address / 4096 + 1))
  done < <(readelf -lW "$plugin" | awk '$1 == "LOAD" {print $3, $6}')
  [ "$pages" -le 14 ] || { echo "$pages pages"; false; }
}
