# compute-scale-plugin, which enables and disables the plugin, as installed below a folder.

load helpers

setup_file() {
  export INSTALLED=$BATS_FILE_TMPDIR/installed
  install_below "$INSTALLED"
}

# Each test has Slurm's folder for itself.
setup() {
  slurm=$INSTALLED/slurm
  rm -rf "$slurm" "$INSTALLED/etc/compute-scale/compute-scale.conf.saved"
  mkdir -p "$slurm"
  unset SLURM_CONF
  command=$INSTALLED/sbin/compute-scale-plugin
  enabled=$slurm/plugstack.conf.d/compute-scale.conf
  snippet=$INSTALLED/share/compute-scale/compute-scale.conf
}

# expect_refused TEXT ARGUMENT...: exit status 1, a line with this text, and nothing is changed.
expect_refused() {
  local before
  before=$(snapshot "$slurm")
  run "$command" "${@:2}"
  expect_equal "$status" 1
  expect_contains "$output" "$1"
  expect_equal "$(snapshot "$slurm")" "$before"
}

# fake_slurm VERSION: a slurmd that says to be of this version.
fake_slurm() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho slurm %s\n' "$1" > "$BATS_TEST_TMPDIR/bin/slurmd"
  chmod +x "$BATS_TEST_TMPDIR/bin/slurmd"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

@test "enable and disable on a host without any plugstack.conf" {
  before=$(snapshot "$slurm")
  "$command" enable
  cmp "$enabled" "$snippet"
  expect_contains "$(cat "$slurm/plugstack.conf")" "include $slurm/plugstack.conf.d/*.conf"
  "$command" status
  "$command" disable
  expect_equal "$(snapshot "$slurm")" "$before"
  run "$command" status
  expect_equal "$status" 1
}

@test "the enabled line is optional and names files that are there" {
  "$command" enable
  read -r policy plugin config library < <(grep -v '^#' "$enabled")
  expect_equal "$policy" optional
  [ -r "$plugin" ]
  [ -r "${config#config=}" ]
  [ -r "${library#library=}" ]
  expect_equal "$(grep -cv '^#' "$enabled")" 1
  # Every argument of the line is explained above it.
  for word in optional config= library=; do
    grep -q "^# $word" "$enabled"
  done
}

@test "enabling twice changes nothing, and disabling twice neither" {
  "$command" enable
  once=$(snapshot "$slurm")
  "$command" enable
  expect_equal "$(snapshot "$slurm")" "$once"
  "$command" disable
  once=$(snapshot "$slurm")
  "$command" disable
  expect_equal "$(snapshot "$slurm")" "$once"
}

@test "a plugstack.conf that includes the folder already is left alone" {
  mkdir "$slurm/plugstack.conf.d"
  for line in "include $slurm/plugstack.conf.d/*.conf" 'include plugstack.conf.d/*' \
    "	include   $slurm/plugstack.conf.d/compute-scale.conf # ours"; do
    echo "$line" > "$slurm/plugstack.conf"
    "$command" enable
    expect_equal "$(cat "$slurm/plugstack.conf")" "$line"
    "$command" status
    "$command" disable
    expect_equal "$(cat "$slurm/plugstack.conf")" "$line"
    [ -d "$slurm/plugstack.conf.d" ]
    [ ! -e "$enabled" ]
  done
}

@test "an include that is commented out or of other files does not count" {
  printf '#include %s/*.conf\ninclude %s/*.cfg\n' "$slurm/plugstack.conf.d" \
    "$slurm/plugstack.conf.d" > "$slurm/plugstack.conf"
  "$command" enable
  grep -qx "include $slurm/plugstack.conf.d/\*.conf" "$slurm/plugstack.conf"
}

@test "what else is in plugstack.conf stays, byte for byte" {
  printf '# site\noptional /x/other.so a=b\n\nrequired /y/more.so' > "$slurm/plugstack.conf"
  chmod 640 "$slurm/plugstack.conf"
  before=$(cat "$slurm/plugstack.conf")
  "$command" enable
  expect_equal "$(head -n 4 "$slurm/plugstack.conf")" "$before"
  "$command" disable
  expect_equal "$(cat "$slurm/plugstack.conf")" "$before"
}

@test "an include that other files have come to need stays" {
  "$command" enable
  echo '# nothing' > "$slurm/plugstack.conf.d/other.conf"
  run "$command" disable
  expect_equal "$status" 0
  expect_contains "$output" 'other files need it'
  grep -q '^include' "$slurm/plugstack.conf"
  [ ! -e "$enabled" ]
}

@test "slurm.conf says where plugstack.conf is" {
  mkdir "$slurm/elsewhere"
  echo "PlugStackConfig=$slurm/elsewhere/stack.conf" > "$slurm/slurm.conf"
  "$command" enable
  [ -e "$slurm/elsewhere/plugstack.conf.d/compute-scale.conf" ]
  [ -e "$slurm/elsewhere/stack.conf" ]
  [ ! -e "$slurm/plugstack.conf" ]
  "$command" disable
  [ -z "$(ls "$slurm/elsewhere")" ]
  SLURM_CONF=relative.conf expect_refused 'expected an absolute path' enable
}

@test "an edited file is kept, saved when disabled, and used again" {
  "$command" enable
  sed -i 's|config=[^ ]*|config=/site/other.yaml|' "$enabled"
  run "$command" enable
  expect_contains "$output" "kept $enabled"
  grep -q config=/site/other.yaml "$enabled"
  "$command" disable
  [ ! -e "$enabled" ]
  "$command" enable
  grep -q config=/site/other.yaml "$enabled"
}

@test "a second line that loads the plugin is named, not doubled" {
  mkdir "$slurm/more"
  printf 'include more/*\n' > "$slurm/plugstack.conf"
  printf '# ours\nrequired /old/spank_compute_scale.so\n' > "$slurm/more/site"
  expect_refused "$slurm/more/site:2: another line loads spank_compute_scale.so" enable
  # Files that such a line names must not be removed.
  expect_refused "$slurm/more/site:2" disable
  echo '# required /old/spank_compute_scale.so' > "$slurm/more/site"
  "$command" enable
  echo 'optional spank_compute_scale.so' > "$slurm/more/site"
  expect_refused 'loaded twice' status
}

# expect_same LINE...: doctor and `status` say that exactly these lines (FILE:LINE) load the plugin.
expect_same() {
  local told
  told=$(PATH=$BATS_TEST_TMPDIR/bin:$PATH "$built/sbatch-tasks" doctor --json 2> /dev/null |
    grep -oP '"found": "(enabled by|the plugin is loaded twice: by) \K[^"]*' | sed 's/ and by / /g') || true
  expect_equal "$told" "$*"
  told=$("$command" status | sed -n 's/.*: enabled by //p')
  expect_equal "$told" "$*"
}

@test "doctor reads the same chain" {
  mkdir -p "$BATS_TEST_TMPDIR/bin" "$slurm/d"
  printf '#!/bin/sh\necho PlugStackConfig = %q\n' "$slurm/plugstack.conf" > "$BATS_TEST_TMPDIR/bin/scontrol"
  chmod +x "$BATS_TEST_TMPDIR/bin/scontrol"
  so=spank_compute_scale.so
  stack() { printf '%b' "$1" > "$slurm/plugstack.conf"; }
  stack "optional $so"
  expect_same "$slurm/plugstack.conf:1"
  stack "\n\t required \t/x/$so a=b # c\n#optional /y/$so\noptional /y/$so"
  expect_same "$slurm/plugstack.conf:2" "$slurm/plugstack.conf:4"
  for other in "optional /x/$so.old" "optional /x/other.so file=/x/$so" "Optional /x/$so" "optional #$so" \
    "include /x/$so" "optional /x/my$so"; do
    stack "$other\n"
    expect_same
  done
  printf 'include\t%s/d/b*\n' "$slurm" > "$slurm/d/a"
  printf '\noptional /x/%s#\n' "$so" > "$slurm/d/b"
  for way in 'include d/a' "include $slurm/d/a # b" '\tinclude\td/[a]' 'optional /z.so\ninclude d/?'; do
    # A name is there for one way only, as d/? would include b twice.
    [[ $way != *'?' ]] || rm "$slurm/d/a"
    stack "$way"
    expect_same "$slurm/d/b:2"
  done
}

@test "files that include each other are no endless work" {
  echo 'include plugstack.conf' > "$slurm/plugstack.conf"
  timeout 60 "$command" enable
}

@test "a plugin for another release is not enabled, one for another patch level is" {
  release=$("$repo/configs/packaging/slurm-release" g++)
  fake_slurm 99.11.2
  expect_refused "built for Slurm $release, but Slurm 99.11.2 is installed" enable
  expect_refused "built for Slurm $release, but Slurm 99.11.2 is installed" status
  # 22.05 is no beginning of 22.059.
  fake_slurm "${release}9.1"
  expect_refused "but Slurm ${release}9.1 is installed" enable
  fake_slurm "$release.77"
  "$command" enable
}

@test "a plugin that is not whole is not enabled" {
  mv "$INSTALLED/lib/compute-scale/libcompute-scale.so" "$BATS_TEST_TMPDIR/"
  run "$command" enable
  mv "$BATS_TEST_TMPDIR/libcompute-scale.so" "$INSTALLED/lib/compute-scale/"
  expect_equal "$status" 1
  expect_contains "$output" 'libcompute-scale.so is missing'
  [ -z "$(ls "$slurm")" ]
}

@test "wrong use is told and changes nothing" {
  expect_refused 'usage:'
  expect_refused 'usage:' start
  expect_refused 'usage:' enable now
  "$command" --help
}

@test "Slurm's commands show the options while it is enabled" {
  printf 'ClusterName=x\nSlurmctldHost=localhost\nAuthType=auth/none\n' > "$slurm/slurm.conf"
  export SLURM_CONF=$slurm/slurm.conf
  "$command" enable
  for program in sbatch salloc srun; do
    expect_contains "$("$program" --help)" --compute-scale
  done
  "$command" disable
  for program in sbatch salloc srun; do
    run -0 "$program" --help
    [[ $output != *--compute-scale* ]]
  done
}

@test "make uninstall disables first and leaves the site's config" {
  other=$BATS_TEST_TMPDIR/other
  install_below "$other"
  mkdir -p "$other/slurm"
  echo 'seeds: [7]' > "$other/etc/compute-scale/site.yaml"
  "$other/sbin/compute-scale-plugin" enable
  install_below "$other"
  expect_equal "$(cat "$other/etc/compute-scale/site.yaml")" 'seeds: [7]'
  make_in "$other/objects" uninstall "prefix=$other" "sysconfdir=$other/etc" "slurmconfdir=$other/slurm"
  rm -rf "$other/objects"
  expect_equal "$(find "$other" -type f)" "$other/etc/compute-scale/site.yaml"
}
