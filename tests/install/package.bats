# The built packages: what is in them, and that both have what `make install` installs.
# `make test` builds them before.

load helpers

setup_file() {
  export UNPACKED=$BATS_FILE_TMPDIR/deb UNPACKED_RPM=$BATS_FILE_TMPDIR/rpm
  dpkg-deb -R "$(the_deb)" "$UNPACKED"
  mkdir "$UNPACKED_RPM"
  rpm2cpio "$(the_rpm)" | (cd "$UNPACKED_RPM" && cpio -idm --quiet)
}

setup() {
  version=$(sed -n 's/^VERSION := //p' "$repo/Makefile")
  release=$("$repo/configs/packaging/slurm-release" g++)
  multiarch=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
}

field() {
  dpkg-deb -f "$(the_deb)" "$1"
}

# files_of ROOT LIBDIR PLUGINDIR: the files, under names that all ways of installing share.
files_of() {
  (cd "$1" && find . -path ./DEBIAN -prune -o \( -type f -o -type l \) -printf '/%P\n') |
    grep -v '/changelog.Debian.gz$' | sed -e "s|^$3/|PLUGINDIR/|" -e "s|^$2/|LIBDIR/|" -e 's|^\(/usr/share/man/.*\)\.gz$|\1|' \
      -e 's|/doc/compute-scale/changelog.gz$|/doc/compute-scale/CHANGELOG.md|' \
      -e 's|/doc/compute-scale/copyright$|/doc/compute-scale/LICENSE|' | sort
}

@test "both packages have the files of make install, and no others" {
  root=$BATS_TEST_TMPDIR/root
  make_in "$BATS_TEST_TMPDIR/objects" install "DESTDIR=$root" prefix=/usr > /dev/null
  expected=$(files_of "$root" /usr/lib /usr/lib/slurm)
  expect_contains "$expected" PLUGINDIR/spank_compute_scale.so
  for file in man/man1/sbatch-tasks.1 man/man5/compute-scale.yaml.5 bash-completion/completions/sbatch-tasks; do
    expect_contains "$expected" "/usr/share/$file"
  done
  expect_equal "$(files_of "$UNPACKED" "/usr/lib/$multiarch" "/usr/lib/$multiarch/slurm-wlm")" "$expected"
  expect_equal "$(files_of "$UNPACKED_RPM" /usr/lib64 /usr/lib64/slurm)" "$expected"
}

@test "an install that fails halfway leaves the old files whole" {
  root=$BATS_TEST_TMPDIR/root
  make_in "$BATS_TEST_TMPDIR/objects" install "DESTDIR=$root" prefix=/usr > /dev/null
  (cd "$root" && find . -type f -exec cksum {} + | sort -k3) > "$BATS_TEST_TMPDIR/before"
  for file in sbatch-tasks libcompute-scale.so spank_compute_scale.so; do
    # A disk that is full after a page of this file.
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    cat > "$BATS_TEST_TMPDIR/bin/install" << END
#!/bin/bash
[[ \${@: -2:1} == */$file ]] || exec /usr/bin/install "\$@"
rm -f "\${@: -1}"
head -c 4096 "\${@: -2:1}" > "\${@: -1}"
echo "install: no space left for $file"
exit 1
END
    chmod +x "$BATS_TEST_TMPDIR/bin/install"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run make_in "$BATS_TEST_TMPDIR/objects" install "DESTDIR=$root" prefix=/usr
    [ "$status" -ne 0 ]
    expect_contains "$output" "no space left for $file"
    find "$root" -name '*.new' -delete
    (cd "$root" && find . -type f -exec cksum {} + | sort -k3) | diff "$BATS_TEST_TMPDIR/before" -
  done
}

@test "what is compiled in and filled in are the packages' own paths" {
  for layout in "$UNPACKED /usr/lib/$multiarch /usr/lib/$multiarch/slurm-wlm" \
    "$UNPACKED_RPM /usr/lib64 /usr/lib64/slurm"; do
    read -r root libdir plugindir <<< "$layout"
    plugin=$root$plugindir/spank_compute_scale.so
    grep -qaF "$libdir/compute-scale/libcompute-scale.so" "$plugin"
    grep -qaF /etc/compute-scale/site.yaml "$plugin"
    env -u COMPUTE_SCALE_SITE_CONFIG strace -e trace=%file "$root/usr/bin/sbatch-tasks" list 2>&1 |
      grep -F '"/etc/compute-scale/site.yaml"' > /dev/null
    grep -qx "optional $plugindir/spank_compute_scale.so config=/etc/compute-scale/site.yaml\
 library=$libdir/compute-scale/libcompute-scale.so" "$root/usr/share/compute-scale/compute-scale.conf"
    grep -qx 'tasks_dir: /usr/share/compute-scale/tasks' "$root/etc/compute-scale/site.yaml"
    unfilled=$(grep -rlE '@[a-z]+@' "$root/usr/sbin" "$root/usr/share/compute-scale" "$root/etc") || true
    expect_equal "$unfilled" ''
  done
}

@test "no file names the folder in which it was built" {
  found=$(grep -rlaF -e "$repo" -e "$(realpath "$repo")" "$UNPACKED" "$UNPACKED_RPM") || true
  expect_equal "$found" ''
}

@test "files belong to root, may be read by all and written by root only" {
  bad=$(dpkg-deb -c "$(the_deb)" | grep -vE '^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) root/root ') || true
  expect_equal "$bad" ''
  bad=$(rpm -qp --qf '[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]' "$(the_rpm)" |
    grep -vE '^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) root root ') || true
  expect_equal "$bad" ''
}

@test "the version is the Makefile's, with the Slurm release that it is built for" {
  expect_equal "$(field Version)" "$version-1+slurm$release"
  expect_equal "$(rpm -qp --qf '%{VERSION}-%{RELEASE}' "$(the_rpm)")" "$version-1.slurm$release"
  expect_equal "$("$UNPACKED/usr/bin/sbatch-tasks" --version)" "sbatch-tasks $version"
  # The newest heading of the change log may carry a word behind it.
  grep -m 1 '^## ' "$repo/CHANGELOG.md" | grep -q "^## $version\>"
  # A package for the next Slurm is an upgrade.
  dpkg --compare-versions "$version-1+slurm99.02" gt "$(field Version)"
}

@test "the packages need the Slurm release that the plugin is built for" {
  next=$("$repo/configs/packaging/next-slurm-release" "$release")
  depends=$(field Depends)
  expect_contains "$depends" "slurm-wlm-basic-plugins (>= $release~), slurm-wlm-basic-plugins (<< $next~)"
  expect_contains "$depends" 'libc6 (>='
  requires=$(rpm -qp --requires "$(the_rpm)")
  expect_contains "$requires" "slurm >= $release"
  expect_contains "$requires" "slurm < $next"
  # Every patch level of the release is taken, and none of another one.
  dpkg --compare-versions "$release.99-1" lt "$next~"
  dpkg --compare-versions "$release.0~rc1-1" ge "$release~"
  expect_equal "$("$repo/configs/packaging/next-slurm-release" 24.08)" 24.09
}

@test "the site's files are configuration, which an upgrade keeps" {
  expected=$(cd "$UNPACKED" && find etc -type f -printf '/%p\n' | sort)
  expect_contains "$expected" /etc/compute-scale/site.yaml
  expect_equal "$(sort "$UNPACKED/DEBIAN/conffiles")" "$expected"
  expect_equal "$(rpm -qp --configfiles "$(the_rpm)" | sort)" "$expected"
  # 17: configuration (1) that is not replaced (16).
  expect_equal "$(rpm -qp --qf '[%{FILEFLAGS} %{FILENAMES}\n]' "$(the_rpm)" |
    awk '$2 ~ "^/etc/.*[.]" && $1 == 17' | wc -l)" "$(wc -l <<< "$expected")"
}

@test "the plugstack line goes before the files, and stays in an upgrade" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  cat > "$BATS_TEST_TMPDIR/bin/compute-scale-plugin" << END
#!/bin/sh
echo "\$@ \${SLURM_CONF-default}" >>$BATS_TEST_TMPDIR/calls
END
  chmod +x "$BATS_TEST_TMPDIR/bin/compute-scale-plugin"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  unset SLURM_CONF
  script=$(rpm -qp --qf '%{PREUN}' "$(the_rpm)")
  "$UNPACKED/DEBIAN/prerm" upgrade 9.9
  sh -c "$script" preun 1
  [ ! -e "$BATS_TEST_TMPDIR/calls" ]
  "$UNPACKED/DEBIAN/prerm" remove
  sh -c "$script" preun 0
  # The host's own Slurm is never forgotten.
  SLURM_CONF=/other/slurm.conf "$UNPACKED/DEBIAN/prerm" remove
  SLURM_CONF=/other/slurm.conf sh -c "$script" preun 0
  expect_equal "$(cat "$BATS_TEST_TMPDIR/calls")" "$(printf 'disable %s\n' default default \
    default /other/slurm.conf default /other/slurm.conf)"
  # A line that is still there keeps the files.
  printf '#!/bin/sh\nexit 1\n' > "$BATS_TEST_TMPDIR/bin/compute-scale-plugin"
  run ! "$UNPACKED/DEBIAN/prerm" remove
  run ! sh -c "$script" preun 0
}

@test "the checksums are right, and the programs are stripped" {
  (cd "$UNPACKED" && md5sum --quiet -c DEBIAN/md5sums)
  for file in "$UNPACKED/usr/bin/sbatch-tasks" "$UNPACKED"/usr/lib/*/*/*.so \
    "$UNPACKED_RPM/usr/bin/sbatch-tasks" "$UNPACKED_RPM"/usr/lib64/*/*.so; do
    expect_equal "$(readelf -SW "$file" | grep -c '\.debug_')" 0
  done
}
