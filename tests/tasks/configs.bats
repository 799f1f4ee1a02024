#!/usr/bin/env bats
# configs/: every key is documented, and the packages hold the benchmark's values.

load helper

# The keys of a YAML file of ours, whatever their depth.
keys_of() {
  sed -nE 's/^ *(# )?([a-z_0-9]+):( .*)?$/\2/p' "$1"
}

@test "site.yaml has every key that schema.md describes, and no other" {
  local described
  # shellcheck disable=SC2016 # the backticks are Markdown
  described="$(sed -n '/^## Config/,/^A block of/p; /^`slurm`:/,/^## Task/p' \
    "$ROOT/configs/schema.md" | sed -nE 's/^\| `([a-z_]+)` \|.*/\1/p' | sort)"
  [[ "$(wc -l <<<"$described")" -gt 25 ]]
  expect_equal "$(keys_of "$ROOT/configs/site.yaml" | grep -vE '^h[12]00$' | sort)" "$described"
}

@test "every key of site.yaml has a sentence above it" {
  awk '
    /^$/ { said = 0; next }
    /^ *#/ { said = 1; next }
    /^slurm:$/ { next }
    /^  h[12]00:/ { next }
    !said { print FILENAME ": " FNR ": no comment above: " $0; failed = 1 }
    { said = 0 }
    END { exit failed }' "$ROOT/configs/site.yaml"
}

@test "react.yaml documents the knob and uses no key that site.yaml lacks" {
  grep -qx 'compute_scale: 1.0' "$ROOT/configs/react.yaml"
  grep -q 'H200 it is 0.5' "$ROOT/configs/react.yaml"
  expect_equal "$(comm -23 <(keys_of "$ROOT/configs/react.yaml" | sort -u) \
    <(keys_of "$ROOT/configs/site.yaml" | sort -u))" ""
}

@test "every package that a task names has a file with every key" {
  python3 - "$ROOT" <<'EOF'
import json, pathlib, sys
root = pathlib.Path(sys.argv[1])
keys = ["base_image", "image", "env", "use_cuda", "workdir", "data_deps", "data_bind",
        "apptainer_flags", "fakeroot", "writable_tmpfs", "no_home"]
files = {path.stem: json.loads(path.read_text()) for path in (root / "configs/packages").iterdir()}
for config in (root / "tasks").glob("*/config.json"):
    for entry in json.loads(config.read_text())["test_cmds"]:
        assert entry["package"] in files, (config, entry["package"])
for name, package in files.items():
    assert list(package) == keys, (name, list(package))
    for bind in package["data_deps"] + package["data_bind"]:
        assert list(bind) == ["host", "container", "optional"], (name, bind)
EOF
}

# One line per value: package, what, value.
# shellcheck disable=SC2016 # ${PYTHONPATH} is meant for the image, not for this shell
PACKAGE_VALUES='
nanoGPT base_image pytorch/pytorch:2.5.1-cuda12.1-cudnn9-devel
nanoGPT switches use_cuda writable_tmpfs no_home
nanoGPT env DATA_DIR=/data/climbmix
nanoGPT env EVAL_DIR=/data/eval
nanoGPT env PYTHONPATH=/workspace/nanoGPT:${PYTHONPATH}
nanoGPT env TRITON_CACHE_DIR=/tmp/triton_cache
nanoGPT bind {data_root}/climbmix:/data/climbmix
nanoGPT bind {data_root}/eval:/data/eval
nanoGPT bind {data_root}/lm-eval-datasets:/data/lm-eval-datasets
lm-evaluation-harness base_image pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel
lm-evaluation-harness switches use_cuda writable_tmpfs no_home
lm-evaluation-harness env TIKTOKEN_CACHE_DIR=/opt/tiktoken_cache
lm-evaluation-harness env HF_DATASETS_OFFLINE=1
lm-evaluation-harness env HF_HUB_OFFLINE=1
lm-evaluation-harness bind {data_root}/lm-eval-datasets:/data/lm-eval-datasets
verl base_image verlai/verl:vllm017.latest
verl switches use_cuda no_home --contain
verl env VLLM_USE_V1=1
verl env FLASHINFER_WORKSPACE_BASE=/tmp
verl env XDG_CONFIG_HOME=/tmp/config
verl bind {data_root}/verl-data:/root/data
verl bind {data_root}/models/Qwen2.5-0.5B:/models/Qwen2.5-0.5B
diffusers-main base_image pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel
diffusers-main switches use_cuda writable_tmpfs no_home
diffusers-main env DATA_DIR=/data/cifar10
diffusers-main env OUTPUT_DIR=/tmp/output
diffusers-main env TORCH_HOME=/data/pretrained
diffusers-main bind {data_root}/diffusers_data:/data/pretrained
CORL base_image nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu20.04
CORL switches use_cuda fakeroot writable_tmpfs no_home
CORL env LD_LIBRARY_PATH=/root/.mujoco/mujoco210/bin:${LD_LIBRARY_PATH}
CORL env MUJOCO_GL=osmesa
CORL env HOME=/root'

@test "the packages hold the benchmark's values, and nothing besides" {
  local values
  values="$(python3 - "$ROOT/configs/packages" <<'EOF'
import json, sys
for name in ["nanoGPT", "lm-evaluation-harness", "verl", "diffusers-main", "CORL"]:
    package = json.load(open(f"{sys.argv[1]}/{name}.json"))
    assert package["workdir"] == "/workspace" and package["data_bind"] == [], name
    assert package["image"] == "{project_root}/vendor/images/" + name + ".sif", name
    on = [key for key in ("use_cuda", "fakeroot", "writable_tmpfs", "no_home") if package[key]]
    print(name, "base_image", package["base_image"])
    print(name, "switches", *on, *package["apptainer_flags"])
    for key, value in package["env"].items():
        print(name, "env", f"{key}={value}")
    for bind in package["data_deps"]:
        print(name, "bind", f"{bind['host']}:{bind['container']}")
EOF
)"
  expect_equal $'\n'"$values" "$PACKAGE_VALUES"
}
