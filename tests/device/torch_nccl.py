"""The profiler plugin in a real NCCL: which collectives ranks entered and left, and which rank is missing. `real/run_on_gpu.sh` runs this;
it needs PyTorch and a GPU.

Ranks may share a GPU: each has a NCCL_HOSTID of its own, as NCCL refuses two ranks of one host on one GPU.

    NCCL_PROFILER_PLUGIN=build-cuda/libnccl-profiler-gauntlet.so python3 tests/device/torch_nccl.py
"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "real/rank"))
import gauntlet_rank  # noqa: E402

RANKS = 2
STEPS = 20
SKIPPED = 12  # by the last rank
DEADLINE_S = 90


def job():
    """A rank: an all-reduce for each step. With SKIP the last rank leaves one out, and all others wait for it."""
    import torch
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS, device_id=torch.device("cuda:0"))
    tensor = torch.ones(1 << 20, device="cuda")
    for step in range(1, STEPS + 1):
        if step == SKIPPED and rank == RANKS - 1 and os.environ.get("SKIP"):
            print("skips", flush=True)
            time.sleep(DEADLINE_S)
        dist.all_reduce(tensor)
        tensor.mul_(1 / RANKS)
    torch.cuda.synchronize()
    print(f"sum {tensor.sum().item()}", flush=True)
    dist.destroy_process_group()


def marks_of(path):
    """(entered or left, number, name, group) in their order."""
    data = path.read_bytes()
    assert data.startswith(gauntlet_rank.MAGIC), data[:8]
    found = []
    for at in range(gauntlet_rank.HEADER.size, len(data), gauntlet_rank.MARK.size):
        number, _, what, _, value, name, group = gauntlet_rank.MARK.unpack_from(data, at)
        if number > 0:
            found.append((number, what, value, name.rstrip(b"\0").decode(), group.rstrip(b"\0").decode()))
    return [mark[1:] for mark in sorted(found)]


class TorchNccl(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-device-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)

    def start(self, **more):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        ranks = []
        for rank in range(RANKS):
            environment = dict(os.environ, RANK=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), NCCL_HOSTID=f"host-{rank}",
                               NCCL_SOCKET_IFNAME="lo", NCCL_DEBUG="WARN", GAUNTLET_NCCL_MARKS=str(self.place / "nccl-"), **more)
            log = open(self.place / f"log-{rank}", "w+")
            self.addCleanup(log.close)
            ranks.append(subprocess.Popen([sys.executable, __file__, "job"], env=environment, stdout=log, stderr=subprocess.STDOUT))
        return ranks

    def log(self, rank):
        return (self.place / f"log-{rank}").read_text()

    def marks(self, rank):
        path = self.place / f"nccl-{rank}"
        self.assertTrue(path.exists(), self.log(rank))
        return marks_of(path)

    def test_all_collectives_are_entered_and_left(self):
        ranks = self.start()
        for number, rank in enumerate(ranks):
            self.assertEqual(rank.wait(DEADLINE_S), 0, self.log(number))
        of_ranks = [self.marks(rank) for rank in range(RANKS)]
        print(self.log(0), of_ranks[0][:6], of_ranks[0][-4:])
        for marks in of_ranks:
            reduces = [(what, value) for what, value, name, _ in marks if name.startswith("AllReduce")]
            entered = [value for what, value in reduces if what == gauntlet_rank.ENTERED]
            left = [value for what, value in reduces if what == gauntlet_rank.LEFT]
            self.assertEqual(len(entered), STEPS, self.log(0))
            self.assertEqual(entered, left)
            self.assertEqual(entered, sorted(set(entered)))
        groups = [{group for *_, group in marks} for marks in of_ranks]
        self.assertEqual(groups[0], groups[1])

    def test_the_rank_that_is_missing_has_not_entered(self):
        ranks = self.start(SKIP="1")
        try:
            def reached():
                if not all((self.place / f"nccl-{rank}").exists() for rank in range(RANKS)):
                    return False
                return all(max((value for what, value, *_ in marks if what == gauntlet_rank.LEFT), default=0) >= SKIPPED - 1
                           and max((value for what, value, *_ in marks if what == gauntlet_rank.ENTERED), default=0)
                           >= (SKIPPED if rank < RANKS - 1 else SKIPPED - 1)
                           for rank, marks in ((rank, self.marks(rank)) for rank in range(RANKS)))

            end = time.monotonic() + DEADLINE_S
            while not reached():
                self.assertLess(time.monotonic(), end, [self.log(rank) for rank in range(RANKS)])
                for number, rank in enumerate(ranks):
                    self.assertIsNone(rank.poll(), self.log(number))
                time.sleep(0.05)
            waiting, missing = self.marks(0), self.marks(RANKS - 1)
            print("waits:", waiting[-2:], "missing:", missing[-2:])
            self.assertEqual(waiting[-1][:2], (gauntlet_rank.ENTERED, SKIPPED))
            self.assertEqual(missing[-1][:2], (gauntlet_rank.LEFT, SKIPPED - 1))
        finally:
            for rank in ranks:
                rank.send_signal(signal.SIGKILL)
                rank.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["job"]:
        job()
    else:
        unittest.main()
