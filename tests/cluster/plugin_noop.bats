# Without our options, and at scale 1, a job is what it is without the plugin: what is submitted, what
# it asks for and what it sees.

load helpers
load plugin_helpers

setup() {
  enter_plugin_test
  one=(--compute-scale=1.0)
}

# Submits one held job, always from the same folder and environment, and writes to FOLDER what the
# controller got: the job's record, script and environment. SubmitLine (26.05) is the command as typed.
record_submission() {
  local folder=$work/$1 id file
  shift
  mkdir -p "$folder"
  id=$(cd "$same" && env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" HOME=/root VALUE='a b' \
    sbatch --parsable --hold "$@" see.sh 2> "$folder/messages")
  file=$(compgen -G "$CLUSTER_DIR/state/hash.*/job.$id")
  cp "$file/script" "$folder/script"
  tail -c +5 "$file/environment" | tr '\0' '\n' | grep -av '^PATH=' | sort > "$folder/environment"
  scontrol show job "$id" |
    grep -vE '(JobId|HetJobIdSet|[A-Za-z]Time|LastSchedEval|Priority|Std(Out|Err)|SubmitLine)=' \
      > "$folder/record"
  scancel "$id"
}

# submissions FOLDER OPTION...
submissions() {
  record_submission "$1/plain" --gres=gpu:4,vmem:1G --ntasks-per-node=2 "${@:2}"
  record_submission "$1/export" --gpus=4 --export=NONE "${@:2}"
  record_submission "$1/het" --gres=gpu:4 "${@:2}" : --gres=gpu:2
}

# Runs a job and writes to FOLDER what its script and its step see.
record_environment() {
  local folder=$work/$1
  shift
  mkdir -p "$folder"
  printf '#!/bin/bash\n%s > %s\n' "$(show_environment)" "$folder/batch" > seen.sh
  printf 'srun -n1 bash -c %q > %s\n' "$(show_environment)" "$folder/step" >> seen.sh
  run_job "$@" -w n0 --gres=gpu:4 seen.sh
}

# What every test compares with is recorded first, in one go.
setup_file() {
  set_plugstack < /dev/null
  export same=$CLUSTER_DIR/work/same
  mkdir -m 1777 "$same"
  printf '#!/bin/bash\ntrue\n' > "$same/see.sh"
  export BATS_SUITE_TEST_NUMBER=without
  enter_plugin_test
  submissions submitted
  record_environment seen
  salloc -Q -w n0 --gres=gpu:4 bash -c "$(show_environment)" > from-salloc
  srun -w n0 --gres=gpu:4 bash -c "$(show_environment)" > from-srun
  export without=$work
  load_plugin
}

@test "the submission" {
  submissions unused
  diff -r "$without/submitted" unused
  submissions one "${one[@]}"
  diff -r "$without/submitted" one
  record_submission entry --gres=gpu:4,vmem:1G --ntasks-per-node=2 "${one[@]}" \
    --compute-entry=llm-pretrain-loss/gpt-345m
  diff -r "$without/submitted/plain" entry
}

@test "the environment of a job" {
  record_environment unused
  diff -r "$without/seen" unused
  record_environment one "${one[@]}" --compute-entry=llm-pretrain-loss/gpt-345m
  diff -r "$without/seen" one
  SBATCH_COMPUTE_SCALE=1.0 record_environment twin
  # The variable is the user's own, as any other of his shell.
  for place in batch step; do
    diff "$without/seen/$place" <(grep -v '^SBATCH_COMPUTE_SCALE=1.0$' twin/$place)
  done
}

@test "the environment of salloc and srun" {
  see=$(show_environment)
  salloc -Q -w n0 --gres=gpu:4 bash -c "$see" | diff "$without/from-salloc" -
  srun -w n0 --gres=gpu:4 bash -c "$see" | diff "$without/from-srun" -
  entry=("${one[@]}" --compute-entry=llm-pretrain-loss/gpt-345m -w n0 --gres=gpu:4)
  salloc "${entry[@]}" bash -c "$see" 2> messages | diff "$without/from-salloc" -
  srun "${entry[@]}" bash -c "$see" 2>> messages | diff "$without/from-srun" -
  expect_none compute-scale messages
  SALLOC_COMPUTE_SCALE=1 salloc -Q -w n0 --gres=gpu:4 bash -c "$see" |
    diff "$without/from-salloc" <(grep -v '^SALLOC_COMPUTE_SCALE=1$' -)
}

@test "at scale 1 an entry has to exist and the count has to be its own" {
  expect_refused 'llm-pretrain-los.*llm-pretrain-loss' \
    sbatch --compute-scale=1 --compute-entry=llm-pretrain-los --gres=gpu:4 --wrap true
  expect_refused '3.*4' sbatch --compute-scale=1 \
    --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:3 --wrap true
}
