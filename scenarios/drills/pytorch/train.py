#!/usr/bin/python3
"""Trains a small transformer with DistributedDataParallel over gloo. It runs under torchrun, with or without Gauntlet:

    torchrun --nproc_per_node 2 scenarios/drills/pytorch/train.py --steps 40 --checkpoints checkpoints

Every rank draws its part of the batch from the seed and the number of the step. So the parameters after a step are the same bits
however often the job was started again. The marks of gauntlet_rank do nothing outside a drill.
"""
import argparse
import contextlib
import datetime
import hashlib
import os
import pathlib
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import gauntlet_rank

VOCABULARY = 64
SEQUENCE = 32  # tokens
WIDTH = 64
LAYERS = 2
CHECKPOINTS_KEPT = 2
LOST = (RuntimeError, TimeoutError)  # what gloo and the store raise when another rank is gone or late; PyTorch 2 has subclasses
ABORTED = 134  # the exit code of a process that NCCL's watchdog ends: 128 + SIGABRT


class Model(nn.Module):
    """A causal language model of 0.1 million parameters."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(SEQUENCE, WIDTH)
        self.layers = nn.Sequential(*(
            Causal(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True) for _ in range(LAYERS)))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.layers(self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))))


class Causal(nn.TransformerEncoderLayer):
    """A layer in which a token sees those before it."""

    def forward(self, src):
        return super().forward(src, src_mask=nn.Transformer.generate_square_subsequent_mask(src.shape[1]))


def batch_of(seed, step, rank, size):
    """Sequences that count with a width of their own; the last token of each is a target alone."""
    draws = torch.Generator().manual_seed((seed * 1_000_003 + step) * 1_009 + rank)
    first = torch.randint(VOCABULARY, (size, 1), generator=draws)
    width = torch.randint(1, 8, (size, 1), generator=draws)
    tokens = (first + width * torch.arange(SEQUENCE + 1)) % VOCABULARY
    return tokens[:, :-1], tokens[:, 1:]


class Gang:
    """The collectives of all ranks, with Gauntlet's marks. After an error in one of them `lost` says why: another rank is gone or late."""

    def __init__(self, marks):
        self.marks = marks
        self.lost = None
        self.before_waiting = contextlib.ExitStack()

    @contextlib.contextmanager
    def collective(self, kind):
        with self.marks.collective(kind, "dp"):
            try:
                yield
            except LOST as error:
                self.lost = error
                raise

    def agree(self, number, operation):
        """The same number for all ranks: the largest, or whatever `operation` says."""
        tensor = torch.tensor(number)
        with self.collective("all_reduce"):
            dist.all_reduce(tensor, operation)
        return int(tensor)

    def mean(self, bucket):
        """Called by DistributedDataParallel once the gradients are complete.

        The ranks are added in the order of their numbers. gloo's all_reduce adds in an order that depends on the place in the bucket,
        and a new process lays out its first bucket otherwise: more than two ranks would not repeat the same bits after a restart.
        """
        self.before_waiting.close()
        parts = [torch.empty_like(bucket.buffer()) for _ in range(dist.get_world_size())]
        with self.collective("all_gather"):
            dist.all_gather(parts, bucket.buffer())
        total = parts[0]
        for part in parts[1:]:
            total += part
        done = torch.futures.Future()
        done.set_result(total.div_(len(parts)))
        return done


def save(directory, step, model, optimizer):
    """The checkpoint is durable under its name, or it is not there."""
    part = directory / f"step-{step}.part"
    with open(part, "wb") as file:
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    part.rename(part.with_suffix(".pt"))
    folder = os.open(directory, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    for old in saved_steps(directory)[:-CHECKPOINTS_KEPT]:
        (directory / f"step-{old}.pt").unlink()


def saved_steps(directory):
    return sorted(int(path.stem.removeprefix("step-")) for path in directory.glob("step-*.pt"))


def load(directory, step, model, optimizer):
    state = torch.load(directory / f"step-{step}.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])


def train(options, gang):
    rank, marks = dist.get_rank(), gang.marks
    torch.manual_seed(options.seed)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    step = gang.agree(max(saved_steps(options.checkpoints), default=0), dist.ReduceOp.MIN)
    if step > 0:
        load(options.checkpoints, step, model, optimizer)
    with gang.collective("broadcast"):
        replica = DistributedDataParallel(model)
    replica.register_comm_hook(gang, Gang.mean)
    marks.resumed(step)
    print(f"resumed from step {step}", flush=True)
    stop = False
    while step < options.steps and not stop:
        step += 1
        with marks.step(step):
            loss = train_step(replica, optimizer, gang, batch_of(options.seed, step, rank, options.batch))
            stop = gang.agree(int(marks.stop_wanted()), dist.ReduceOp.MAX) > 0  # all ranks end at the same step
        if rank > 0:
            continue
        marks.loss(step, loss)
        print(f"step {step} loss {loss:.6f}", flush=True)
        if stop or checkpoint_wanted(options, marks, step):
            with marks.stall(step):
                save(options.checkpoints, step, model, optimizer)
            marks.saved(step)
            print(f"saved step {step}", flush=True)
    return None if stop else model


def train_step(replica, optimizer, gang, batch):
    """Returns the loss of this rank."""
    tokens, targets = batch
    with gang.marks.segment("forward"):
        loss = nn.functional.cross_entropy(replica(tokens).flatten(0, 1), targets.flatten())
    with contextlib.ExitStack() as computing:  # ends where the wait for other ranks begins
        computing.enter_context(gang.marks.segment("backward"))
        gang.before_waiting = computing
        loss.backward()
    with gang.marks.segment("optimizer"):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return loss.item()


def checkpoint_wanted(options, marks, step):
    if marks.connected:
        return marks.checkpoint_wanted(step)
    return options.save_every > 0 and step % options.save_every == 0


def parameters_of(model):
    return b"".join(each.detach().numpy().tobytes() for each in model.parameters())


def options_of():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=int(os.environ.get("GAUNTLET_STEPS", "100")))
    options.add_argument("--seed", type=int, default=int(os.environ.get("GAUNTLET_SEED", "1")))
    options.add_argument("--batch", type=int, default=4, metavar="SEQUENCES", help="of each rank")
    options.add_argument("--save-every", type=int, default=10, metavar="STEPS", help="outside a drill; 0 for never")
    options.add_argument("--checkpoints", type=pathlib.Path, metavar="DIR",
                         default=os.environ.get("GAUNTLET_CHECKPOINT_DIRECTORY", "checkpoints"))
    options.add_argument("--timeout", type=float, metavar="SECONDS", help="of a collective",
                         default=float(os.environ.get("GAUNTLET_COLLECTIVE_TIMEOUT", "1800")))
    return options.parse_args()


def main():
    options = options_of()
    options.checkpoints.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # each rank has a processor at most, and sums have one order
    gang = Gang(gauntlet_rank.Rank())
    try:
        with gang.collective("init"):
            dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=options.timeout))
        model = train(options, gang)
    except LOST:
        if gang.lost is None:
            raise
        print(f"collective failed: {str(gang.lost).splitlines()[0]}", file=sys.stderr, flush=True)
        return ABORTED
    if model is not None:
        parameters = parameters_of(model)
        gang.marks.finished(options.steps, parameters)
        if dist.get_rank() == 0:
            print(f"final parameters {hashlib.sha256(parameters).hexdigest()[:16]}", flush=True)
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
