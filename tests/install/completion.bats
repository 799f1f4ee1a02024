# The completion of sbatch-tasks, in a bash of its own.

load helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  unset "${!COMPUTE_SCALE@}"
  export COMPUTE_SCALE_SITE_CONFIG=$PWD/site.yaml
  mkdir -p tasks/one tasks/two other/three run-dir
  echo '{"test_cmds": [{"cmd": "a.sh", "label": "train"}, {"cmd": "b.sh", "label": "eval"}]}' > tasks/one/config.json
  echo '{"test_cmds": [{"cmd": "a.sh", "label": "train"}]}' | tee tasks/two/config.json > other/three/config.json
  echo 'tasks_dir: tasks' > site.yaml
  PATH=$built:$PATH
}

# complete_line WORD...: what TAB offers behind these words, the last of which is being typed. As bash
# does, it takes = for a word.
complete_line() {
  bash -c 'source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
    _sbatch_tasks sbatch-tasks "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || exit
    ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$repo/configs/completions/sbatch-tasks" "$@" | sort | xargs
}

verbs() {
  sbatch-tasks --help | awk '/^Verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

@test "verbs" {
  expect_equal "$(complete_line sbatch-tasks '')" "$( (verbs && printf '%s\n' --help --version) | sort | xargs)"
  expect_equal "$(complete_line sbatch-tasks su)" submit
}

@test "each verb's options are those of its --help" {
  for verb in $(verbs); do
    expected=$(sbatch-tasks "$verb" --help | grep -oP '^  \K-[^ ]+' | tr , '\n' | sort | xargs)
    expect_contains "$expected" --help
    expect_equal "$(complete_line sbatch-tasks "$verb" -)" "$expected"
  done
  expect_equal "$(complete_line sbatch-tasks plan one --pa)" '--pack --packages-dir'
}

@test "tasks and labels, of the folder that the line names" {
  expect_equal "$(complete_line sbatch-tasks plan '')" 'one one/eval one/train two two/train'
  expect_equal "$(complete_line sbatch-tasks submit --wait one/)" 'one/eval one/train'
  expect_equal "$(complete_line sbatch-tasks plan --tasks-dir other '')" 'three three/train'
  expect_equal "$(complete_line sbatch-tasks plan --tasks-dir = other '')" 'three three/train'
  expect_equal "$(complete_line sbatch-tasks list --label tr)" train
  # Where there are none, it says nothing.
  rm -r tasks
  expect_equal "$(complete_line sbatch-tasks plan '' 2>&1)" ''
}

@test "values of options" {
  expect_equal "$(complete_line sbatch-tasks plan --pack '')" 'all group none'
  expect_equal "$(complete_line sbatch-tasks plan --pack =)" 'all group none'
  expect_equal "$(complete_line sbatch-tasks plan --pack = g)" group
  expect_equal "$(complete_line sbatch-tasks plan --config si)" site.yaml
  expect_equal "$(complete_line sbatch-tasks plan --tasks-dir ta)" tasks
  expect_equal "$(complete_line sbatch-tasks plan --seeds '')" ''
  # An option without a value: what follows is a task.
  expect_equal "$(complete_line sbatch-tasks plan --json tw)" 'two two/train'
  expect_equal "$(complete_line sbatch-tasks plan -q tw)" 'two two/train'
}

@test "run directories where they are asked for" {
  expect_equal "$(complete_line sbatch-tasks status run)" run-dir
  expect_equal "$(complete_line sbatch-tasks resume run)" run-dir
  expect_equal "$(complete_line sbatch-tasks status one)" ''
  expect_equal "$(complete_line sbatch-tasks logs --run-dir run)" run-dir
  expect_equal "$(complete_line sbatch-tasks cancel o)" 'one one/eval one/train other'
}

@test "behind -- nothing is offered" {
  expect_equal "$(complete_line sbatch-tasks submit one -- --par)" ''
}

@test "a real TAB, in an interactive bash" {
  printf 'source %q\n' "$repo/configs/completions/sbatch-tasks" > rc
  # The second TAB lists; with one answer the first fills it in.
  output=$(printf 'echo sbatch-tasks >/dev/null; sbatch-tasks plan --pack=gr\t -h | head -n 1; exit\n' |
    env -i TERM=dumb HOME="$PWD" PATH="$PATH" script -qec "bash --noprofile --rcfile rc -i" /dev/null 2>&1 || true)
  expect_contains "$output" '--pack=group'
}
