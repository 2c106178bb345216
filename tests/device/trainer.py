"""A job on a GPU that saves from the device: killed at any time it goes on to the same bits, and no wait for another rank is without end.

`real/run_on_gpu.sh` runs this; it needs a GPU, libnccl.so.2, and the folder of the programs in $PROGRAMS.

    PROGRAMS=build python3 tests/device/trainer.py
"""
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", "build")).resolve()
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
DEADLINE_S = 90
TIMED_OUT = 134
SMALL = ["--width", "512", "--layers", "2", "--rows", "1024"]
LARGE = ["--width", "8192"]


class Rank:
    def __init__(self, place, number, ranks, port, *arguments, shape=SMALL):
        environment = dict(os.environ, RANK=str(number), WORLD_SIZE=str(ranks), LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                           NCCL_SOCKET_IFNAME="lo")
        self.out = open(place / f"rank-{number}", "w+")
        self.process = subprocess.Popen([PROGRAMS / "gauntlet-device-trainer", "--share-gpu", "--checkpoints", place / "checkpoints", *shape, *arguments],
                                        env=environment, stdout=self.out, stderr=subprocess.STDOUT)

    def text(self):
        return pathlib.Path(self.out.name).read_text()

    def numbers(self, pattern):
        return [int(each) for each in re.findall(pattern, self.text())]

    def wait(self):
        return self.process.wait(DEADLINE_S)

    def wait_for_step(self, step):
        end = time.monotonic() + DEADLINE_S
        while max(self.numbers(r"step (\d+) loss"), default=0) < step:
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(self.text())
            time.sleep(0.01)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.out.close()


class Trainer(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-device-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)

    def start(self, *arguments, ranks=1):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started = [Rank(self.place, number, ranks, port, *arguments) for number in range(ranks)]
        for each in started:
            self.addCleanup(each.end)
        return started

    def final_state(self, *arguments, ranks=1):
        started = self.start(*arguments, ranks=ranks)
        for each in started:
            self.assertEqual(each.wait(), 0, each.text())
        states = {re.search(r"final state (\w+)", each.text())[1] for each in started}
        self.assertEqual(len(states), 1)
        return states.pop(), started

    def test_it_learns(self):
        _, (rank,) = self.final_state("--steps", "100")
        losses = [float(each) for each in re.findall(r"loss ([\d.]+)", rank.text())]
        self.assertLess(losses[-1], losses[0] / 2)

    def test_ranks_save_and_go_on_to_the_same_bits(self):
        for ranks in (1, 2):
            self.final_state("--steps", "20", "--save-every", "6", ranks=ranks)
            continued, (first, *_) = self.final_state("--steps", "30", "--save-every", "6", ranks=ranks)
            self.assertEqual(first.numbers(r"resumed from step (\d+)"), [18])
            (self.place / "checkpoints").rename(self.place / f"done-{ranks}")
            undisturbed, _ = self.final_state("--steps", "30", ranks=ranks)
            self.assertEqual(continued, undisturbed)
            (self.place / "checkpoints").rename(self.place / f"undisturbed-{ranks}")

    def test_a_flipped_bit_stays_in_the_state_of_its_rank(self):
        """The ranks add up gradients, not weights: a wrong weight makes the gradients of all wrong, and its rank differs from the others."""
        ranks = self.start("--steps", "12", ranks=2)
        self.assertEqual([each.wait() for each in ranks], [0, 0])
        right = {re.search(r"final state (\w+)", each.text())[1] for each in ranks}
        self.assertEqual(len(right), 1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        flips = ["--flip-before", "6", "--flipped-bit", "22", "--inject"]
        ranks = [Rank(self.place, number, 2, port, "--steps", "12", *(flips if number == 1 else [])) for number in range(2)]
        for each in ranks:
            self.addCleanup(each.end)
        self.assertEqual([each.wait() for each in ranks], [0, 0])
        self.assertIn("flipped bit 22 of a weight before step 6", ranks[1].text())
        wrong = [re.search(r"final state (\w+)", each.text())[1] for each in ranks]
        self.assertEqual(len({*wrong, *right}), 3, "each rank has another state, and neither has the right one")

    def test_killed_at_any_time_it_goes_on_to_the_same_bits(self):
        draws = random.Random(SEED)
        print(f"SEED={SEED}")
        arguments = ["--steps", "400", "--save-every", "2"]
        undisturbed, _ = self.final_state("--steps", "400")
        (self.place / "checkpoints").rename(self.place / "undisturbed")
        kills, saved = 0, 0
        for _ in range(12):
            (rank,) = self.start(*arguments)
            rank.wait_for_step(saved + 1)
            time.sleep(draws.random() * 0.05)
            kills += rank.process.poll() is None
            rank.process.kill()
            rank.wait()
            self.assertGreaterEqual(rank.numbers(r"resumed from step (\d+)")[0], saved, "what was said to be saved is there")
            saved = max(rank.numbers(r"saved step (\d+)"), default=saved)
        self.assertGreater(kills, 6, "more steps are needed here")
        continued, _ = self.final_state(*arguments)
        self.assertEqual(continued, undisturbed)
        print(f"{kills} kills, the last after step {saved} was saved")

    def test_the_state_does_not_change_while_it_is_copied(self):
        """Two gigabytes take longer to copy than a step takes to compute."""
        shape = ["--width", "8192", "--rows", "8", "--micro-batches", "1"]

        def hash_of(*arguments):
            rank = Rank(self.place, 0, 1, 1, *arguments, shape=shape)
            self.addCleanup(rank.end)
            self.assertEqual(rank.wait(), 0, rank.text())
            return re.search(r"final state (\w+)", rank.text())[1]

        hash_of("--steps", "4", "--save-every", "1")
        continued = hash_of("--steps", "8", "--save-every", "1")
        (self.place / "checkpoints").rename(self.place / "done")
        self.assertEqual(continued, hash_of("--steps", "8"))

    def test_a_lost_peer_ends_the_others(self):
        first, second = self.start("--steps", "1000000", ranks=2)
        first.wait_for_step(5)
        second.process.kill()
        self.assertEqual(first.wait(), TIMED_OUT, first.text())
        self.assertRegex(first.text(), r"collective failed: all_reduce in step \d+: ")

    def test_a_peer_that_stands_still_is_waited_for_until_the_timeout(self):
        first, second = self.start("--steps", "1000000", "--timeout", "4", ranks=2)
        first.wait_for_step(5)
        second.process.send_signal(signal.SIGSTOP)
        self.assertEqual(first.wait(), TIMED_OUT, first.text())
        self.assertRegex(first.text(), r"collective failed: all_reduce in step \d+ took longer than the timeout")

    def test_a_peer_that_never_joins_is_waited_for_until_the_timeout(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        first = Rank(self.place, 0, 2, port, "--timeout", "4")
        self.addCleanup(first.end)
        self.assertEqual(first.wait(), TIMED_OUT, first.text())
        self.assertIn("collective failed: meeting the other ranks took longer than the timeout", first.text())

    def test_a_device_without_memory_is_said(self):
        pressure = subprocess.Popen([PROGRAMS / "gauntlet-cuda-fault", "memory", "--leave", "700", "--gpu", "0", "--seconds", "60", "--inject"],
                                    stdout=subprocess.PIPE, text=True)
        try:
            self.assertLess(json.loads(pressure.stdout.readline())["free_mib"], 1024)
            rank = Rank(self.place, 0, 1, 1, shape=LARGE)
            self.addCleanup(rank.end)
            self.assertEqual(rank.wait(), 1)
            self.assertIn("out of memory", rank.text())
        finally:
            pressure.kill()
            pressure.wait()
            pressure.stdout.close()


if __name__ == "__main__":
    unittest.main()
