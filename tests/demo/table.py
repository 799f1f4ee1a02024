"""Prints the runs of the demo side by side.

usage: table.py RUNS.tsv     a line per run: name, result.json of demo-ddp

The first run is the reference. Ends with 1 if the second one is not equal to it: same macro-batch,
losses within 1e-9 (relative).
"""

import json
import math
import sys

AGREE = 1e-9


def read_runs(path):
    runs = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, result = line.rstrip("\n").split("\t")
            with open(result, encoding="utf-8") as result_file:
                run = json.load(result_file)
            run["name"] = name
            run["gpu_hours"] = run["gpus"] * run["seconds"] / 3600
            runs.append(run)
    return runs


def difference(run, reference):
    """The largest relative difference of the losses, over all iterations."""
    pairs = zip(run["losses"], reference["losses"], strict=True)
    return max(abs(a - b) / abs(b) for a, b in pairs)


def agreement(run, reference):
    if run is reference:
        return "reference"
    largest = difference(run, reference)
    if largest == 0:
        return "all digits"
    digits = math.floor(-math.log10(largest))
    return f"{digits} digits" if digits > 0 else "no digit"


def rows(runs):
    reference = runs[0]
    return [
        ("", [run["name"] for run in runs]),
        ("GPUs", [str(run["gpus"]) for run in runs]),
        ("BATCH_SIZE x GRAD_ACCUM", [f"{run['batch_size']} x {run['grad_accum']}" for run in runs]),
        ("macro-batch", [str(run["macro_batch"]) for run in runs]),
        ("loss, first iteration", [f"{run['losses'][0]:.15f}" for run in runs]),
        ("loss, last iteration", [f"{run['losses'][-1]:.15f}" for run in runs]),
        ("losses equal to", [agreement(run, reference) for run in runs]),
        ("GPU-hours", [f"{run['gpu_hours']:.6f}" for run in runs]),
    ]


def print_table(runs):
    for title, cells in rows(runs):
        print(f"  {title:<26}" + "".join(f"{cell:>22}" for cell in cells))


def main():
    runs = read_runs(sys.argv[1])
    print_table(runs)
    reference, scaled = runs[:2]
    same_batch = reference["macro_batch"] == scaled["macro_batch"]
    if not (same_batch and difference(scaled, reference) <= AGREE):
        sys.exit("demo: the scaled run is not equal to the reference")
    print(
        f"\n  GPUs {reference['gpus']} -> {scaled['gpus']}, macro-batch"
        f" {reference['macro_batch']} = {scaled['macro_batch']}, the same losses."
    )


if __name__ == "__main__":
    main()
