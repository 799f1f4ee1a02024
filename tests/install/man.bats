# The man pages: their form, and that they name every key there is.

load helpers

setup() {
  cd "$repo" || return
}

# Prints the keys of one table of the parser: keys_of FILE NAME-OF-THE-TABLE.
keys_of() {
  sed -n "/constexpr DocKey<Draft> $2\[\]/,/^};/p" "$1" | grep -oP '^\s+\{"\K\w+' | sort
}

# Prints the keys that a section of the man page lists.
keys_in_page() {
  awk -v section=".Ss $1" '/^\.S[sh]/ { inside = $0 == section } inside && /^\.It Cm/ { print $3 }' \
    configs/man/compute-scale.yaml.5 | sort
}

# Prints the keys of the table of schema.md that follows the line.
keys_in_schema() {
  awk -v line="$1" 'index($0, line) == 1 { inside = 1; next }
    inside && /^\|/ { seen = 1; if (split($0, cell, "`") > 1) print cell[2]; next }
    inside && seen { exit }' configs/schema.md | sort
}

@test "the pages are without fault" {
  for page in "$built/sbatch-tasks.1" configs/man/*.[1-8]; do
    # Pages of Slurm that are not installed here are no fault of ours.
    faults=$(mandoc -Tlint -W warning "$page" 2>&1) || true
    [ -z "$faults" ] || { echo "$faults"; false; }
    warnings=$(groff -mandoc -ww -Tutf8 -z "$page" 2>&1) || true
    [ -z "$warnings" ] || { echo "$page: $warnings"; false; }
  done
}

@test "the config's page lists the keys that the parser takes, and no others" {
  for table in kConfigKeys:Keys 'kSlurmKeys:Keys of slurm'; do
    keys=$(keys_of lib/run_config_read.cc "${table%%:*}")
    [ "$(wc -w <<< "$keys")" -gt 5 ]
    expect_equal "$(keys_in_page "${table#*:}")" "$keys"
  done
  expect_equal "$(keys_in_page 'A block of hardware')" "$(keys_of lib/hardware_table.cc kHardwareKeys)"
}

@test "schema.md lists the same keys" {
  expect_equal "$(keys_in_schema '## Config')" "$(keys_in_page Keys)"
  expect_equal "$(keys_in_schema '`slurm`:')" "$(keys_in_page 'Keys of slurm')"
  expect_equal "$(keys_in_schema 'A block of `hardware`')" "$(keys_in_page 'A block of hardware')"
}

# Prints the verbs that --help lists.
verbs() {
  "$built/sbatch-tasks" --help | awk '/^Verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

# Prints the long options that a verb takes, by its --help.
options_of() {
  "$built/sbatch-tasks" "$1" --help | grep -E '^  -' | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort
}

# The rendered page, without what makes letters bold.
page_text() {
  mandoc -Tascii "$built/sbatch-tasks.1" | sed 's/.\x08//g'
}

# Prints the options that the rendered page lists for a verb.
options_in_page() {
  page_text | awk -v verb="   $1" '
    /^ ? ? ?[^ ]/ { on = $0 == verb; next } on && /^     -/' | grep -oE -- '^ +(-[a-z], )?--[a-z-]+' |
    grep -oE -- '--[a-z-]+' | sort
}

@test "sbatch-tasks(1) has the verbs and options of --help, and no others" {
  page=$(page_text)
  [ "$(verbs | wc -l)" -ge 11 ]
  expect_equal "$(sed -n '/^VERBS/,/^ENVIRONMENT/s/^   \([a-z]*\)$/\1/p' <<< "$page")" "$(verbs)"
  for verb in $(verbs); do
    [ "$(options_of "$verb" | wc -l)" -ge 4 ]
    expect_equal "$(options_in_page "$verb")" "$(options_of "$verb")"
  done
  # With their values, variables and texts.
  expect_contains "$page" '--pack none | group | all'
  expect_contains "$page" 'run config (YAML); variable COMPUTE_SCALE_CONFIG'
  expect_contains "$page" 'calls of sbatch at the same time; default 12; variable'
}
