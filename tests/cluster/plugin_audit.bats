# What an administrator sees of scaled jobs, and what the site limits.

load helpers
load plugin_helpers

setup_file() {
  load_plugin
  # The nodes log what a busy site would still keep.
  sed -i '$aSlurmdDebug=verbose' "$CLUSTER_DIR/etc/slurm.conf"
  scontrol reconfigure
}

teardown_file() {
  sed -i '/^SlurmdDebug=verbose$/d' "$CLUSTER_DIR/etc/slurm.conf"
  scontrol reconfigure
}

setup() {
  enter_plugin_test
}

readonly RECORD='compute-scale:scale=0.5,hardware=h200,entry=llm-pretrain-loss/gpt-345m,base=4,gpus=2,env.BATCH_SIZE=64,env.GRAD_ACCUM=8'
scaled=(--compute-scale=0.5 --compute-entry=llm-pretrain-loss/gpt-345m --gres=gpu:4)

# Lines of the nodes' logs with the record, from Slurm's [job.step] on.
node_lines() {
  grep -hoP "\[$1[.\]].*compute-scale:.*" "$CLUSTER_DIR"/log/slurmd-*.log | sort
}

# site KEYS-AND-VALUES: the product's config with these lines, as site.yaml in the work folder.
site() {
  grep -vE "^(hardware|unprofiled_allowed|unprofiled):|^  h[12]00:|^  default_partition:" \
    "$PRODUCT_DIR/configs/site.yaml" | sed "s|tasks_dir: .*|tasks_dir: $PRODUCT_DIR/tasks|" > site.yaml
  printf '%s\n' "$1" >> site.yaml
}

@test "comment, client and node tell the same word" {
  run_job -v -n2 "${scaled[@]}" --wrap "srun -n2 true"
  expect_equal "$job_state" COMPLETED
  expect_equal "$(job_field "$job_id" Comment | xargs)" "$RECORD"
  expect_equal "$(scontrol -o show job "$job_id" | grep -oP ' Comment=\K\S*')" "$RECORD"
  expect_equal "$(squeue -h --states=all -j "$job_id" -o %k)" "$RECORD"
  expect_line "$job_messages" "sbatch: $RECORD"
  # The batch step and the step of two tasks.
  expect_equal "$(node_lines "$job_id")" "$(printf '%s\n' "[$job_id.0] $RECORD" "[$job_id.batch] $RECORD" |
    sort)"
  # Nothing of it is for the user's eyes.
  expect_equal "$job_output" ''
}

@test "without -v the commands do not print it, and an unscaled job leaves no trace" {
  run_job "${scaled[@]}" --comment=mine --wrap true
  expect_none "$RECORD" <<< "$job_messages"
  expect_equal "$(job_field "$job_id" Comment | xargs)" mine
  expect_equal "$(node_lines "$job_id")" "[$job_id.batch] $RECORD"
  run_job -v --gres=gpu:1 --wrap true
  expect_none compute-scale <<< "$job_messages"
  expect_equal "$(node_lines "$job_id")" ''
}

@test "a forged payload makes no line of its own in the log" {
  payload='1;scale=0.5;entry=a%0A[2026-01-01T00:00:00.000] error: forged%7C'
  run_job --gres=gpu:1 --export="ALL,SLURM_COMPUTE_SCALE_PAYLOAD=${payload//[ \[\]]/-}" --wrap true
  expect_equal "$(node_lines "$job_id" | cut -d' ' -f1)" "[$job_id.batch]"
  expect_none '^\[2026-01-01|^error: forged' "$CLUSTER_DIR"/log/slurmd-*.log
}

@test "a scale is refused in a partition of other hardware, by plugin and wrapper" {
  site 'hardware: {h100: {compute_scale: 1, partitions: [cpu]}, h200: {compute_scale: 0.5, partitions: [gpu]}}'
  echo 'hardware: {h200: {compute_scale: 0.5, partitions: [cpu, gpu]}}' > user.yaml
  plugin_line optional "config=$work/site.yaml" | set_plugstack
  why="h200 \(0.5\): the partition \"cpu\" has h100 \(1\) \(hardware in $work/site.yaml\)"
  expect_refused "--compute-scale: $why" sbatch -p cpu "${scaled[@]}" --wrap true
  COMPUTE_SCALE_CONFIG=$work/user.yaml \
    expect_refused "--compute-scale: $why" sbatch -p cpu "${scaled[@]}" --wrap true
  SBATCH_PARTITION=cpu expect_refused "$why" sbatch "${scaled[@]}" --wrap true
  run --separate-stderr held_job -p gpu "${scaled[@]}"
  [[ $output == *TresPerNode=gres:gpu:2* ]]
  # A step of a job that is there already.
  run_job -p cpu --gres=gpu:4 --wrap "srun ${scaled[*]} true || echo refused"
  [[ $job_output == *"h200 (0.5): the partition \"cpu\""*refused* ]]
  echo 'slurm: {partition: cpu}' >> user.yaml
  COMPUTE_SCALE_SITE_CONFIG=$work/site.yaml \
    run -3 "$PRODUCT_DIR/build/release/sbatch-tasks" plan llm-pretrain-loss --compute-scale=0.5 --config user.yaml
  [[ $output =~ compute_scale:\ $why ]]
  load_plugin
}

@test "the site permits values of --compute-unprofiled, and a user's config does not add one" {
  site 'unprofiled_allowed: [refuse, keep]'
  echo 'unprofiled: scale' > user.yaml
  plugin_line optional "config=$work/site.yaml" | set_plugstack
  several=(--compute-scale=0.5 --gres=gpu:4)
  why='"scale": this site allows refuse, keep'
  expect_refused "--compute-unprofiled: $why" sbatch "${several[@]}" --compute-unprofiled=scale --wrap true
  COMPUTE_SCALE_CONFIG=$work/user.yaml \
    expect_refused "unprofiled of the config: $why" sbatch "${several[@]}" --wrap true
  # The first is the default.
  expect_refused 'refused by --compute-unprofiled=refuse' sbatch "${several[@]}" --wrap true
  run --separate-stderr held_job "${several[@]}" --compute-unprofiled=keep
  [[ $output == *TresPerNode=gres:gpu:4* ]]
  COMPUTE_SCALE_SITE_CONFIG=$work/site.yaml \
    run -3 "$PRODUCT_DIR/build/release/sbatch-tasks" plan cv-vae-loss --compute-scale=0.5
  [[ $output == *'cv-vae-loss/'*'refused by unprofiled: refuse'* ]]
  load_plugin
}
