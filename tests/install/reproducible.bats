# Two builds of the same sources are the same, wherever they are made.

load helpers

@test "libraries and packages of a build in another folder are the same, byte for byte" {
  copy=$BATS_TEST_TMPDIR/another/folder/of-another-length
  mkdir -p "$copy"
  tar -C "$repo" --exclude=./build --exclude=./.git -c . | tar -C "$copy" -x
  # Files come in another order and with other times, too; the date of the commit is the same.
  find "$copy" -exec touch {} +
  dpkg-deb -x "$(the_deb)" "$BATS_TEST_TMPDIR/files"
  SOURCE_DATE_EPOCH=$(stat -c %Y "$BATS_TEST_TMPDIR/files/etc/compute-scale/site.yaml")
  export SOURCE_DATE_EPOCH
  # What two makes at once compile, one may link half written.
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' "printf '%s\\n' \"\$*\" >> '$BATS_TEST_TMPDIR/compiled'" 'exec /usr/bin/g++ "$@"' \
    > "$BATS_TEST_TMPDIR/bin/g++"
  chmod 755 "$BATS_TEST_TMPDIR/bin/g++"
  # Another umask, time zone and language.
  (umask 077 && env -u MAKEFLAGS -u MAKELEVEL TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" nice \
    make -C "$copy" -j2 all deb rpm > "$BATS_TEST_TMPDIR/log" 2>&1) || { tail "$BATS_TEST_TMPDIR/log"; false; }
  grep -oE -- '-o build/[^ ]*' "$BATS_TEST_TMPDIR/compiled" | sort > "$BATS_TEST_TMPDIR/made"
  grep -qx -- '-o build/release/lib/gres.o' "$BATS_TEST_TMPDIR/made"
  expect_equal "$(uniq -d "$BATS_TEST_TMPDIR/made")" ''
  for file in libcompute-scale.so spank_compute_scale.so sbatch-tasks; do
    cmp "$built/$file" "$copy/build/release/$file"
  done
  cmp "$(the_deb)" "$copy/build/packages/$(basename "$(the_deb)")"
  cmp "$(the_rpm)" "$copy/build/packages/$(basename "$(the_rpm)")"
}
