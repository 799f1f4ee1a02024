"""Data-parallel training in plain Python, with the batch arithmetic of the real tasks.

Every process ("GPU") has a copy of the model. In one iteration each of them takes its share of the
micro-batches of BATCH_SIZE samples, adds up their gradients, and the average over all processes
moves every copy alike. The samples are one stream that depends on SEED only: iteration i takes the
next macro-batch from it. So whoever keeps the macro-batch sees the same samples in the same
iteration, on any number of GPUs, and gets the same losses but for the order of the additions.

Environment (train.sh sets the defaults):
  BATCH_SIZE     samples per micro-batch of one GPU
  GRAD_ACCUM     micro-batches per iteration, shared equally by the GPUs, so a multiple of their
                 number; macro-batch = BATCH_SIZE x GRAD_ACCUM
  MAX_ITERS, LEARNING_RATE, SEED
  OUTPUT_DIR     where set, losses.txt and result.json are written there
  ACCUM_PER_GPU  where set, every GPU takes this many micro-batches whatever the number of GPUs,
                 and GRAD_ACCUM is not looked at. This is a recipe stated per GPU, with nothing to
                 make up for fewer of them: the macro-batch shrinks with the GPUs and the losses
                 become others. It is here to show what a task's profile prevents.
"""

import argparse
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import random
import signal
import sys
import time
from typing import NamedTuple

INPUTS = 6
HIDDEN = 8
PARAMETERS = HIDDEN * INPUTS + HIDDEN + HIDDEN + 1


class Settings(NamedTuple):
    gpus: int
    batch_size: int
    micro_steps: int  # per GPU and iteration
    iterations: int
    learning_rate: float
    seed: int

    @property
    def grad_accum(self):
        return self.micro_steps * self.gpus

    @property
    def macro_batch(self):
        return self.batch_size * self.grad_accum


def fail(message):
    sys.exit(f"train_ddp.py: {message}")


def whole_number(name, least=1):
    text = os.environ.get(name, "")
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        fail(f"{name}={text}: must be a whole number from {least} up")
    return int(text)


def positive_number(name):
    try:
        value = float(os.environ.get(name, ""))
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        fail(f"{name}={os.environ.get(name, '')}: must be a number above 0")
    return value


def micro_steps_per_gpu(gpus):
    if os.environ.get("ACCUM_PER_GPU"):
        return whole_number("ACCUM_PER_GPU")
    grad_accum = whole_number("GRAD_ACCUM")
    if grad_accum % gpus:
        fail(f"GRAD_ACCUM={grad_accum} is not a multiple of the {gpus} GPUs that share it equally")
    return grad_accum // gpus


def read_settings(gpus):
    return Settings(
        gpus=gpus,
        batch_size=whole_number("BATCH_SIZE"),
        micro_steps=micro_steps_per_gpu(gpus),
        iterations=whole_number("MAX_ITERS"),
        learning_rate=positive_number("LEARNING_RATE"),
        seed=whole_number("SEED", least=0),
    )


def sample(seed, index):
    """The index-th sample of the stream: its inputs and its target."""
    rng = random.Random((seed << 40) + index)
    inputs = [rng.uniform(-1.0, 1.0) for _ in range(INPUTS)]
    target = math.sin(3.0 * inputs[0]) + inputs[1] * inputs[2] + 0.1 * rng.uniform(-1.0, 1.0)
    return inputs, target


def initial_parameters(seed):
    rng = random.Random(f"parameters of {seed}")
    return [rng.uniform(-0.5, 0.5) for _ in range(PARAMETERS)]


def add_sample(parameters, inputs, target, gradient):
    """Adds one sample's gradient of (output - target)^2 / 2 to `gradient`; returns that loss."""
    biases = HIDDEN * INPUTS
    outputs = biases + HIDDEN
    activations = []
    output = parameters[-1]
    for unit in range(HIDDEN):
        weights = parameters[unit * INPUTS : (unit + 1) * INPUTS]
        pre = parameters[biases + unit] + sum(map(float.__mul__, weights, inputs))
        activations.append(math.tanh(pre))
        output += parameters[outputs + unit] * activations[unit]
    error = output - target
    for unit, activation in enumerate(activations):
        slope = error * parameters[outputs + unit] * (1.0 - activation * activation)
        gradient[outputs + unit] += error * activation
        gradient[biases + unit] += slope
        for position, value in enumerate(inputs, unit * INPUTS):
            gradient[position] += slope * value
    gradient[-1] += error
    return 0.5 * error * error


def micro_batch(settings, parameters, first_index):
    """The gradient averaged over BATCH_SIZE samples from `first_index` on, then their mean loss."""
    gradient = [0.0] * PARAMETERS
    loss = 0.0
    for index in range(first_index, first_index + settings.batch_size):
        loss += add_sample(parameters, *sample(settings.seed, index), gradient)
    return [value / settings.batch_size for value in gradient + [loss]]


def accumulate(settings, parameters, rank, iteration):
    """The average of this rank's micro-batches of one iteration, dealt out in turn to the ranks."""
    start = iteration * settings.macro_batch
    total = [0.0] * (PARAMETERS + 1)
    for step in range(settings.micro_steps):
        first_index = start + (step * settings.gpus + rank) * settings.batch_size
        total = list(map(float.__add__, total, micro_batch(settings, parameters, first_index)))
    return [value / settings.micro_steps for value in total]


def all_reduce(values, rank, peers):
    """The average of every rank's `values`: rank 0 collects, adds up and hands out."""
    if rank != 0:
        peers[0].send(values)
        return peers[0].recv()
    total = values
    for peer in peers:
        total = list(map(float.__add__, total, peer.recv()))
    average = [value / (len(peers) + 1) for value in total]
    for peer in peers:
        peer.send(average)
    return average


def train(settings, rank, peers):
    """Runs one rank. `peers`: for rank 0 its pipes to all others, for another the one to rank 0."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    start = time.monotonic()
    parameters = initial_parameters(settings.seed)
    losses = []
    for iteration in range(settings.iterations):
        *gradient, loss = all_reduce(
            accumulate(settings, parameters, rank, iteration), rank, peers
        )
        parameters = [
            value - settings.learning_rate * slope for value, slope in zip(parameters, gradient)
        ]
        losses.append(loss)
        if rank == 0:
            print(f"iteration {iteration + 1} loss {loss:.17g}", flush=True)
    if rank == 0:
        write_results(settings, losses, time.monotonic() - start)


def write_results(settings, losses, seconds):
    folder = os.environ.get("OUTPUT_DIR")
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "losses.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{number} {loss:.17g}\n" for number, loss in enumerate(losses, 1))
    result = {
        "gpus": settings.gpus,
        "batch_size": settings.batch_size,
        "grad_accum": settings.grad_accum,
        "macro_batch": settings.macro_batch,
        "seed": settings.seed,
        "seconds": seconds,
        "losses": losses,
        "final_loss": losses[-1],
    }
    with open(os.path.join(folder, "result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")


def start_ranks(settings):
    """Starts one process per GPU. They end with this one at the latest, also on SIGTERM."""
    # It waits until all are there. None may inherit the handler: in a process that has just begun,
    # Python ignores the exception of one, where a callback of its own runs.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    context = multiprocessing.get_context("fork")
    pipes = [context.Pipe() for _ in range(settings.gpus - 1)]
    peers_of = [[ours for ours, _ in pipes]] + [[theirs] for _, theirs in pipes]
    ranks = [
        context.Process(target=train, args=(settings, rank, peers), daemon=True)
        for rank, peers in enumerate(peers_of)
    ]
    for process in ranks:
        process.start()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    return ranks


def wait_for(ranks):
    """True if all ranks end well; False as soon as one fails, since the others wait for it."""
    running = {process.sentinel: process for process in ranks}
    while running:
        for sentinel in multiprocessing.connection.wait(running):
            process = running.pop(sentinel)
            process.join()
            if process.exitcode != 0:
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description="Data-parallel training of a small network.")
    parser.add_argument("--nproc-per-node", type=int, required=True, help="number of processes")
    gpus = parser.parse_args().nproc_per_node
    if gpus < 1:
        fail(f"--nproc-per-node={gpus}: must be at least 1")
    settings = read_settings(gpus)
    print(
        f"demo-ddp: {settings.gpus} GPUs, BATCH_SIZE {settings.batch_size},"
        f" GRAD_ACCUM {settings.grad_accum} ({settings.micro_steps} per GPU),"
        f" macro-batch {settings.macro_batch}, SEED {settings.seed}",
        flush=True,
    )
    if not wait_for(start_ranks(settings)):
        fail("a process failed, the training is not complete")


if __name__ == "__main__":
    main()
