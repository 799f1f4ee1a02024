# What the site's config permits, whatever a run's config says.

load helper

setup() {
  begin_test
  fake_sbatch
  task llm << 'END'
[{"cmd": "scripts/a.sh", "label": "train", "compute": 4, "h200": {"compute": 2}}]
END
  task vae << 'END'
[{"cmd": "scripts/a.sh", "label": "train", "compute": 4}]
END
  script llm/scripts/a.sh <<< true
  script vae/scripts/a.sh <<< true
  export COMPUTE_SCALE_SITE_CONFIG=$work/site.yaml
}

# expect_refused MESSAGE ARGUMENT...: one line, exit status 3, and nothing was written.
expect_refused() {
  run --separate-stderr sbatch-tasks submit --run-dir run "${@:2}"
  [ "$status" -eq 3 ]
  [ "$stderr" = "sbatch-tasks: error: $1" ] || { echo "$stderr"; false; }
  [ ! -e run ]
  [ ! -e sbatch.1.args ]
}

@test "a scale of hardware that the partition has not is refused" {
  cat > site.yaml << 'END'
hardware:
  h100: {compute_scale: 1, partitions: [old]}
  h200: {compute_scale: 0.5, partitions: [new]}
slurm: {default_partition: old}
END
  cat >> config.yaml << 'END'
hardware: {h200: {compute_scale: 0.5, partitions: [old, new]}}
slurm: {default_partition: new}
END
  why="compute_scale: h200 (0.5): the partition \"old\" has h100 (1) (hardware in $work/site.yaml)"
  expect_refused "$why" llm --compute-scale=0.5
  expect_refused "$why" llm --compute-scale=auto
  sed -i 's/default_partition: new/partition: old/' config.yaml
  expect_refused "$why" llm --compute-scale=h200
  sbatch-tasks plan llm
  sbatch-tasks render llm --neutral --run-dir neutral
  # No partition is concerned.
  sbatch-tasks run llm --gpus=2 --compute-scale=h200
  sed -i 's/partition: old/partition: new/' config.yaml
  sbatch-tasks submit llm --run-dir run --compute-scale=auto
}

@test "an entry without a block runs only where unprofiled is keep" {
  echo 'unprofiled_allowed: [refuse, scale]' > site.yaml
  sbatch-tasks plan llm --compute-scale=0.5
  sbatch-tasks plan vae
  warning='vae/train: compute 4 kept at scale 0.5 (h200): more than one GPU and no "h200" block; add'
  warning+=' "h200": {"compute": 2, "env": {...}} to keep the macro-batch'
  expect_refused "$warning; refused by unprofiled: refuse" vae --compute-scale=0.5
  echo 'unprofiled: scale' >> config.yaml
  expect_refused "$warning; refused by unprofiled: scale" vae --compute-scale=0.5
  sed -i 's/unprofiled: scale/unprofiled: keep/' config.yaml
  expect_refused "unprofiled of the config: \"keep\": this site allows refuse, scale \
(unprofiled_allowed in $work/site.yaml)" vae --compute-scale=0.5
  sed -i 's/unprofiled: keep/unprofiled_allowed: [keep]/' config.yaml
  run -1 sbatch-tasks plan vae --compute-scale=0.5
  [[ $output == *"$work/config.yaml: unprofiled_allowed: only the site's config may have this key"* ]]
}
