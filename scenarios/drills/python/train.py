#!/usr/bin/env python3
"""A small data-parallel training job. Standard library only; the marks of gauntlet_rank do nothing outside a drill.

Ranks meet at MASTER_ADDR:MASTER_PORT, sum their gradients over rank 0, and rank 0 saves checkpoints to files. The parameters
after a step depend on the seed, the number of ranks and the step alone, whatever happened before.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import signal
import socket
import struct
import sys
import time

import gauntlet_rank

INPUTS = 8
SAMPLES = 16  # of a rank's step
RATE = 0.05


class TimedOut(Exception):
    """Another rank was waited for in vain."""


class Group:
    """All ranks: the others are connected to rank 0."""

    def __init__(self, rank, size, address, port, timeout):
        self.rank, self.size, self.peers = rank, size, []
        try:
            if rank == 0:
                self.meet_all(address, port, timeout)
            else:
                self.peers = [self.connect(address, port, timeout)]
                self.peers[0].sendall(struct.pack("!I", rank))
        except OSError as error:
            raise TimedOut(f"the ranks have not met: {error}") from error

    def meet_all(self, address, port, timeout):
        with socket.create_server((address, port)) as listener:
            listener.settimeout(timeout)
            by_rank = {}
            while len(by_rank) < self.size - 1:
                peer, _ = listener.accept()
                peer.settimeout(timeout)
                by_rank[struct.unpack("!I", receive(peer, 4))[0]] = peer
        self.peers = [by_rank[rank] for rank in sorted(by_rank)]

    @staticmethod
    def connect(address, port, timeout):
        until = time.monotonic() + timeout
        while True:
            try:
                peer = socket.create_connection((address, port), timeout=timeout)
                peer.settimeout(timeout)
                return peer
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def sum(self, values):
        """Over the ranks, in the order of their numbers: all get the same bits."""
        shape = f"!{len(values)}d"
        size = struct.calcsize(shape)
        try:
            if self.rank == 0:
                total = list(values)
                for peer in self.peers:
                    total = [a + b for a, b in zip(total, struct.unpack(shape, receive(peer, size)))]
                for peer in self.peers:
                    peer.sendall(struct.pack(shape, *total))
                return total
            self.peers[0].sendall(struct.pack(shape, *values))
            return list(struct.unpack(shape, receive(self.peers[0], size)))
        except OSError as error:
            raise TimedOut(str(error)) from error

    def from_rank_0(self, values):
        return self.sum(values if self.rank == 0 else [0.0] * len(values))


def receive(peer, size):
    parts = []
    while size > 0:
        part = peer.recv(size)
        if not part:
            raise OSError("another rank is gone")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def save(directory, step, parameters):
    """Durable under its name, or not there."""
    path = directory / f"step-{step}.json"
    part = path.with_suffix(".part")
    with open(part, "w", encoding="ascii") as file:
        json.dump({"step": step, "parameters": [value.hex() for value in parameters]}, file)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
    folder = os.open(directory, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load_newest(directory):
    """Step and parameters; step 0 where nothing was saved."""
    steps = sorted(int(path.stem.split("-")[1]) for path in directory.glob("step-*.json"))
    if not steps:
        return 0, [0.0] * INPUTS
    saved = json.loads((directory / f"step-{steps[-1]}.json").read_text(encoding="ascii"))
    return saved["step"], [float.fromhex(value) for value in saved["parameters"]]


def gradient(seed, rank, step, parameters):
    """Of half the squared error of a linear model, and the error's mean square."""
    draws = random.Random(f"{seed} {rank} {step}")
    slopes, loss = [0.0] * INPUTS, 0.0
    for _ in range(SAMPLES):
        inputs = [draws.uniform(-1, 1) for _ in range(INPUTS)]
        target = sum((i + 1) * x for i, x in enumerate(inputs))
        error = sum(w * x for w, x in zip(parameters, inputs)) - target
        loss += error * error / SAMPLES
        slopes = [s + error * x / SAMPLES for s, x in zip(slopes, inputs)]
    return slopes, loss


def train(options, rank, size):
    directory = pathlib.Path(options.checkpoints)
    timeout = float(os.environ.get("GAUNTLET_COLLECTIVE_TIMEOUT", "30"))
    group = Group(rank, size, os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), timeout)
    step, parameters = load_newest(directory) if rank == 0 else (0, [0.0] * INPUTS)
    state = group.from_rank_0([float(step), *parameters])
    step, parameters = int(state[0]), state[1:]
    marks = gauntlet_rank.Rank(rank)
    marks.resumed(step)
    print(f"resumed from step {step}", flush=True)
    stop = False
    while step < options.steps and not stop:
        began = time.monotonic()
        with marks.step(step + 1):
            with marks.segment("gradient"):
                slopes, loss = gradient(options.seed, rank, step, parameters)
            with marks.collective("all_reduce", "dp"):
                *slopes, stops = group.sum([*slopes, float(marks.stop_wanted())])
            parameters = [w - RATE * slope / size for w, slope in zip(parameters, slopes)]
            time.sleep(max(0.0, began + options.step_time - time.monotonic()))  # what a GPU would take
        step += 1
        stop = stops > 0  # all ranks end at the same step
        marks.loss(step, loss)
        print(f"step {step} loss {loss:.6f}", flush=True)
        if rank == 0 and (stop or checkpoint_wanted(options, marks, step)):
            with marks.stall(step):
                save(directory, step, parameters)
            marks.saved(step)
            print(f"saved step {step}", flush=True)
    if stop:
        return None
    marks.finished(step, struct.pack(f"!{INPUTS}d", *parameters))
    return parameters


def checkpoint_wanted(options, marks, step):
    if marks.connected:
        return marks.checkpoint_wanted(step)
    return options.save_every > 0 and step % options.save_every == 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=int(os.environ.get("GAUNTLET_STEPS", "100")))
    options.add_argument("--seed", type=int, default=int(os.environ.get("GAUNTLET_SEED", "1")))
    options.add_argument("--save-every", type=int, default=int(os.environ.get("GAUNTLET_CHECKPOINT_EVERY", "10")), metavar="STEPS")
    options.add_argument("--step-time", type=float, default=0.03, metavar="SECONDS")
    options.add_argument("--checkpoints", default=os.environ.get("GAUNTLET_CHECKPOINT_DIRECTORY", "."), metavar="DIR")
    options.add_argument("--result", metavar="FILE", help="where rank 0 writes a digest of the final parameters")
    options = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    try:
        parameters = train(options, rank, size)
    except TimedOut as error:
        print(f"collective timed out: {error}", file=sys.stderr, flush=True)
        return 134  # as NCCL's watchdog ends a process: 128 + SIGABRT
    if parameters is None:
        return 0
    digest = hashlib.sha256(struct.pack(f"!{INPUTS}d", *parameters)).hexdigest()[:16]
    if rank == 0 and options.result:
        pathlib.Path(options.result).write_text(digest + "\n", encoding="ascii")
    print(f"final parameters {digest}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
