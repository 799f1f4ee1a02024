#!/usr/bin/env python3
"""Writes a task tree: the benchmark's 43 tasks, or a synthetic suite of any size.

  generate_tasks.py OUTDIR                        the 43 tasks of suite.json
  generate_tasks.py OUTDIR --tasks N --entries M  N synthetic tasks of M entries instead
  --without-profiles                              no entry keeps a profile block
  --packages DIR                                  the packages that the tasks name, too

Tasks that this repository has are copied from tasks/, so their scripts are the real ones; the
others get scripts that only say their name. The same arguments give the same bytes. What is in
OUTDIR stays there, so a second call adds to the tree of the first.
"""

import argparse
import json
import pathlib
import shutil

DATA = pathlib.Path(__file__).resolve().parent
ROOT = DATA.parent.parent
PROFILES = ("h100", "h200")

# Stands for a cycle of real entries: profiled, one GPU, a fraction.
SYNTHETIC_ENTRIES = (
    {
        "compute": 4.0,
        "package": "nanoGPT",
        "h200": {"compute": 2.0, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}},
    },
    {"compute": 1.0, "package": "lm-evaluation-harness"},
    {"compute": 0.25, "package": "CORL"},
)
SYNTHETIC_SCRIPT = """#!/usr/bin/env bash
set -euo pipefail
BATCH_SIZE="${BATCH_SIZE:-32}"
GRAD_ACCUM="${GRAD_ACCUM:-16}"
echo "$BATCH_SIZE $GRAD_ACCUM"
"""


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def without_profiles(task):
    entries = [
        {key: value for key, value in entry.items() if key not in PROFILES}
        for entry in task["test_cmds"]
    ]
    return {**task, "test_cmds": entries}


def suite_task(out, name, task):
    ours = ROOT / "tasks" / name
    if ours.is_dir():
        shutil.copytree(ours, out / name, dirs_exist_ok=True)
    else:
        for cmd in {entry["cmd"] for entry in task["test_cmds"]}:
            script = f'#!/usr/bin/env bash\nset -euo pipefail\necho "{name}: {cmd}"\n'
            write_script(out / name / cmd, script)
    return task


def synthetic_task(out, name, entries):
    write_script(out / name / "scripts/run.sh", SYNTHETIC_SCRIPT)
    return {
        "test_cmds": [
            {
                "cmd": "scripts/run.sh",
                "label": f"entry-{number}",
                "group": 1 + number % 2,
                "time": f"{1 + number % 12}:00:00",
                **SYNTHETIC_ENTRIES[number % len(SYNTHETIC_ENTRIES)],
            }
            for number in range(entries)
        ],
        "seeds": [42],
    }


def write_package(folder, name):
    ours = ROOT / "configs/packages" / f"{name}.json"
    if ours.is_file():
        shutil.copyfile(ours, folder / ours.name)
        return
    package = {"image": f"{{project_root}}/vendor/images/{name}.sif", "env": {}, "use_cuda": True}
    write_json(folder / f"{name}.json", package)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Writes a task tree for tests and benchmarks.")
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--tasks", type=int, help="this many synthetic tasks instead of the 43")
    parser.add_argument("--entries", type=int, default=3, help="entries of a synthetic task (3)")
    parser.add_argument("--without-profiles", action="store_true")
    parser.add_argument("--packages", type=pathlib.Path, metavar="DIR")
    arguments = parser.parse_args()
    if arguments.entries < 1 or (arguments.tasks is not None and arguments.tasks < 1):
        parser.error("--tasks and --entries must be at least 1")
    return arguments


def make_tasks(arguments):
    """Writes the scripts; yields every task's name and config."""
    if arguments.tasks is not None:
        width = len(str(arguments.tasks))
        for number in range(1, arguments.tasks + 1):
            name = f"synthetic-{number:0{width}}"
            yield name, synthetic_task(arguments.outdir, name, arguments.entries)
        return
    suite = json.loads((DATA / "suite.json").read_text(encoding="utf-8"))
    for name, task in suite.items():
        yield name, suite_task(arguments.outdir, name, task)


def main():
    arguments = parse_arguments()
    packages = set()
    for name, task in make_tasks(arguments):
        packages.update(entry["package"] for entry in task["test_cmds"])
        if arguments.without_profiles:
            task = without_profiles(task)
        write_json(arguments.outdir / name / "config.json", task)
    if arguments.packages:
        arguments.packages.mkdir(parents=True, exist_ok=True)
        for name in sorted(packages):
            write_package(arguments.packages, name)


if __name__ == "__main__":
    main()
