# The private cluster itself: what the other tests rely on.

load helpers

setup() {
  enter_work_folder
}

@test "two nodes of eight H200 GPUs are idle" {
  [ "$(sinfo -h -N -p gpu -o '%N %t %c %m')" = $'n0 idle 32 500000\nn1 idle 32 500000' ]
  [ "$(scontrol show node n0 | grep -oE 'gpu:[^,]*')" = "gpu:h200:8" ]
  [ "$(scontrol show node n1 | grep -oE 'gpu:[^,]*')" = "gpu:h200:8" ]
}

@test "a job gets its GPUs in CUDA_VISIBLE_DEVICES and hands them to its steps" {
  run_job --gres=gpu:4 << 'END'
#!/bin/sh
echo "batch $CUDA_VISIBLE_DEVICES"
srun sh -c 'echo "step $CUDA_VISIBLE_DEVICES"'
END
  [ "$job_state" = COMPLETED ]
  [ "$job_output" = $'batch 0,1,2,3\nstep 0,1,2,3' ]
  [ "$(job_gpus "$job_id")" = 4 ]
}

@test "a job over both nodes holds GPUs of each" {
  run_job -N2 --gpus-per-node=h200:8 --partition=cpu --wrap 'srun hostname'
  [ "$job_state" = COMPLETED ]
  [ "$(wc -l <<< "$job_output")" = 2 ]
  [ "$(job_gpus "$job_id")" = 16 ]
  [ "$(job_field "$job_id" Partition)" = cpu ]
}

@test "a job without GPUs has none" {
  run_job --wrap 'echo "devices: ${CUDA_VISIBLE_DEVICES-unset}"'
  [ "$job_output" = 'devices: unset' ]
  [ "$(job_gpus "$job_id")" = 0 ]
}

@test "small jobs run side by side on one node" {
  first=$(sbatch --parsable --nodelist=n0 --gres=gpu:1 --wrap 'sleep 60')
  run_job --nodelist=n0 --gres=gpu:1 --wrap 'echo "$CUDA_VISIBLE_DEVICES"'
  [ "$(job_field "$first" JobState)" = RUNNING ]
  [ "$job_output" = 1 ]
  scancel "$first"
  wait_for_job "$first"
  [ "$(job_field "$first" JobState)" = CANCELLED ]
}

@test "a failing job is seen as failed, with its exit code" {
  run_job --wrap 'exit 3'
  [ "$job_state" = FAILED ]
  [ "$(job_field "$job_id" ExitCode)" = 3:0 ]
}

@test "a normal user's job and its step run as that user" {
  run_job_as_user --gres=gpu:1 << 'END'
#!/bin/sh
echo "batch $(id -u) $CUDA_VISIBLE_DEVICES"
srun sh -c 'echo "step $(id -u) $CUDA_VISIBLE_DEVICES"'
END
  [ "$job_state" = COMPLETED ]
  [ "$job_output" = "batch $NORMAL_USER_ID 0"$'\n'"step $NORMAL_USER_ID 0" ]
}

@test "srun and salloc work as a normal user" {
  [ "$(as_user srun --gres=gpu:2 sh -c 'echo "$(id -u) $CUDA_VISIBLE_DEVICES"')" = \
    "$NORMAL_USER_ID 0,1" ]
  [ "$(as_user salloc -Q --gres=gpu:2 srun sh -c 'echo "$CUDA_VISIBLE_DEVICES"')" = 0,1 ]
}

@test "an array and a het job are followed to their end" {
  run_job --array=0-2 --gres=gpu:1 --wrap 'echo "$SLURM_ARRAY_TASK_ID"'
  [ "$(sort <<< "$job_output")" = $'0\n1\n2' ]
  [ "$job_state" = $'COMPLETED\nCOMPLETED\nCOMPLETED' ]
  run_job --gres=gpu:1 : --gres=gpu:3 --wrap 'srun --het-group=0,1 true'
  [ "$(job_gpus "$job_id" | sort)" = $'1\n3' ]
}

@test "a refused submission fails run_job and leaves its message" {
  run run_job --gres=nonsense:1 --wrap true
  [ "$status" -ne 0 ]
  [[ $output == *"Invalid generic resource"* ]]
}

@test "other generic resources can be asked for beside GPUs" {
  run_job --gres=gpu:2,vmem:10g,tmpfs:1000G --wrap true
  [ "$job_state" = COMPLETED ]
  run_job --gres=shard:3 --wrap true
  [ "$job_state" = COMPLETED ]
}

# A plugin that appends the name of each context in which it is loaded to the file in its argument.
build_probe() {
  gcc -shared -fPIC -o "$work/probe.so" -x c - << 'END'
#include <slurm/spank.h>
#include <stdio.h>
SPANK_PLUGIN(probe, 1)
int slurm_spank_init(spank_t spank, int count, char **arguments) {
  static const char *const names[] = {"error", "local", "remote", "allocator", "slurmd", "script"};
  (void)spank;
  FILE *file = count > 0 ? fopen(arguments[0], "a") : NULL;
  if (file) {
    fprintf(file, "%s\n", names[spank_context()]);
    fclose(file);
  }
  return 0;
}
END
}

@test "a new plugstack reaches clients, jobs and node daemons" {
  build_probe
  "$cluster_command" plugstack "$CLUSTER_DIR" - <<< "required $work/probe.so $work/contexts"
  run_job --wrap 'srun true'
  use_no_plugin
  [ "$(sort -u contexts | xargs)" = 'allocator local remote slurmd' ]
  rm contexts
  run_job --wrap 'srun true'
  [ ! -e contexts ]
}

@test "a plugstack that the node daemons refuse is named, and the next one heals it" {
  run "$cluster_command" plugstack "$CLUSTER_DIR" - <<< 'required /nowhere/absent.so'
  [ "$status" -ne 0 ]
  [[ $output == *"/nowhere/absent.so"* ]]
  run use_no_plugin
  [ "$status" -eq 0 ]
  run_job --wrap 'srun echo fine'
  [ "$job_output" = fine ]
}

@test "a job goes on while the plugstack is replaced" {
  id=$(sbatch --parsable --wrap 'touch started; while [ ! -e go ]; do sleep 0.1; done; srun echo end')
  until [ -e started ]; do sleep 0.1; done
  use_no_plugin
  touch go
  wait_for_job "$id"
  [ "$(cat "slurm-$id.out")" = end ]
}
