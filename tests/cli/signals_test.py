"""The signals that ask a program to end, and limits that do: one is enough, however long a replica takes, nothing half-done is stored,
and --resume goes on to the same bytes."""
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, sweep, wait_until  # noqa: E402

SEED = int(os.environ.get("SEED", "7"))  # of the moments
MEMORY_UNDER_WAY = 64 << 20
MEMORY_MAX = 4 << 30  # of a replica that goes on: then the test ends it
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Ten million faults of NICs: a replica takes many seconds on any machine, and is signalled before it has simulated an hour. They are
# of twenty kinds, since a run may meet five million of one, also on the largest cluster that `scale` tries.
FLICKER = """
[faults.flicker_{number}]
component = "nic"
effect = "none"
mtbf = "20min"
heals_after = "1s"
"""
LONG = """
extends = "{tiny}"
name = "long"
job.window = "100d"
""" + "".join(FLICKER.format(number=number) for number in range(20))


def memory(process):
    """What it holds in memory, in bytes. A limit by the kernel counts addresses, of which a sanitizer reserves terabytes."""
    held = re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text())
    return int(held[1]) << 10 if held else 0


def is_under_way(process):
    """The replica is: what it keeps of its faults outgrows all that was loaded, and will be a gigabyte."""
    return memory(process) > MEMORY_UNDER_WAY


def has_ended(process):
    if memory(process) > MEMORY_MAX:
        process.kill()
    return process.poll() is not None


class LongReplica(StudyTest):
    def setUp(self):
        super().setUp()
        self.scenario = self.place / "long.toml"
        self.scenario.write_text(LONG.format(tiny=os.path.abspath("scenarios/tiny-8.toml")))

    def start(self, *words, **how):
        process = subprocess.Popen([GAUNTLET, *map(str, words), "--threads", "2", "--out", str(self.place / "out")], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        wait_until(lambda: (self.place / "out.part/results.sqlite").exists(), "there is a store", process)
        wait_until(lambda: is_under_way(process), "a replica is under way", process)
        return process

    def ends(self, process, *numbers):
        """By one of these signals."""
        wait_until(lambda: has_ended(process), "it ends")
        out, err = process.communicate(timeout=SECONDS_MAX)
        self.assertIn(process.returncode, [128 + number for number in numbers], err)
        number = process.returncode - 128
        self.assertIn(f"gauntlet: {signal.Signals(number).name}", err)
        self.assertIn("stopping", err)
        self.assertRegex(err, "interrupted: 0 replicas of [1-9][0-9]* points? are done; continue with: gauntlet ")
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["long.toml"], "nothing was worth keeping")
        return out

    def test_each_signal_ends_a_run_within_its_first_replica(self):
        for number in ENDING:
            with self.subTest(signal.Signals(number).name):
                process = self.start("run", self.scenario, "--replicas", "1")
                process.send_signal(number)
                self.assertEqual(self.ends(process, number), "")

    def test_every_study_ends_within_its_first_replica(self):
        for words in (["run", self.scenario, "--replica", "3"],
                      ["run", self.scenario, "--replica", "3", "--record", self.place / "recording"],
                      ["sweep", self.scenario, "--vary", "spares.count=1,2"],
                      ["compare", self.scenario, "--with", "spares.count=2"],
                      ["tune", self.scenario, "--set", 'policies.checkpoint="fixed"', "--over", "checkpoint.interval"],
                      ["plan", self.scenario, "--set", "job.steps=20000000", "--finish-by", "60d"],
                      ["rank", self.scenario],
                      ["scale", self.scenario, "--gpus", "64,128"]):
            with self.subTest(words[0]):
                process = self.start(*words)
                process.send_signal(signal.SIGTERM)
                self.ends(process, signal.SIGTERM)

    def test_the_same_signal_twice_at_once_is_one(self):
        """As of `timeout`, which signals its child and then its group."""
        process = self.start("run", self.scenario, "--replicas", "1")
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
        self.ends(process, signal.SIGTERM)

    def test_two_at_once_are_one_request(self):
        """As of a terminal that goes away while somebody presses Ctrl-C. Both are there when the program runs again."""
        process = self.start("run", self.scenario, "--replicas", "1")
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            process.send_signal(number)
        self.ends(process, signal.SIGTERM, signal.SIGINT)

    def test_a_second_one_later_ends_what_does_not_stop_by_itself(self):
        """Here it cannot write its report: nobody reads the pipe, and the pipe is full."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(writer, True)
        log = self.place / "log"
        with open(log, "w", encoding="utf-8") as err:
            process = subprocess.Popen([GAUNTLET, *sweep(10**6), "--out", str(self.place / "out")], stdout=writer, stderr=err)
        self.addCleanup(process.kill)
        self.addCleanup(os.close, reader)
        os.close(writer)
        wait_until(lambda: stored(self.place / "out") > 0, "something is stored", process)
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: "stopping" in log.read_text(), "it says that it stops", process)
        wait_until(lambda: process.poll() is not None or process.send_signal(signal.SIGTERM), "a later one ends it")
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertGreater(stored(self.place / "out"), 0, "what is stored stays")

    def test_what_nohup_ignores_stays_ignored(self):
        process = self.start("run", self.scenario, "--replicas", "1",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        ignored, caught = (int(re.search(rf"{name}:\t([0-9a-f]+)", status)[1], 16) for name in ("SigIgn", "SigCgt"))
        bit = 1 << (signal.SIGHUP - 1)
        self.assertTrue(ignored & bit and not caught & bit)
        process.send_signal(signal.SIGINT)
        self.ends(process, signal.SIGINT)


class Interrupted(StudyTest):
    REPLICAS = 600

    def test_interrupted_at_any_moment_it_goes_on_to_the_same_bytes(self):
        print(f"repeat with SEED={SEED}", file=sys.stderr)
        moments = random.Random(SEED)
        alone = self.run_alone("alone", self.REPLICAS)
        interrupted = 0
        for number in range(6):
            out = self.place / f"out-{number}"
            words = [GAUNTLET, *sweep(self.REPLICAS), "--threads", str(moments.randint(1, 3)), "--out", str(out)]
            for target in sorted(moments.sample(range(2 * self.REPLICAS), 3)):
                process = subprocess.Popen([*words, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.stderr.close)
                self.addCleanup(process.kill)
                wait_until(lambda: stored(out) >= target or process.poll() is not None, f"{target} replicas are stored")
                process.send_signal(moments.choice(ENDING))
                process.communicate(timeout=SECONDS_MAX)
                self.assertIn(process.returncode, (0, *(128 + each for each in ENDING)), "it ends in an orderly way")
                interrupted += process.returncode > 0
            done = subprocess.run([*words, "--resume"], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(alone, out)
        self.assertGreater(interrupted, 0, "no study was interrupted")


class Limits(StudyTest):
    def test_a_limit_on_the_size_of_files_is_an_error_that_is_said(self):
        """The kernel sends SIGXFSZ, which ends a program that does not expect it."""
        out = self.place / "out"
        words = [GAUNTLET, *sweep(200), "--threads", "1", "--out", str(out)]
        size = 96 << 10
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("continue with --resume", done.stderr)
        done = subprocess.run([*words, "--resume"], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same(self.run_alone("alone", 200), out)

    @unittest.skipIf("SANITIZED" in os.environ, "a sanitizer opens files of its own to look at what it checks")
    def test_few_open_files_are_an_error_that_leaves_nothing_or_says_so(self):
        for most in range(4, 16):
            with self.subTest(most=most):
                out = self.place / "out"
                done = subprocess.run([GAUNTLET, *sweep(20), "--threads", "1", "--out", str(out)], capture_output=True, text=True,
                                      timeout=SECONDS_MAX, check=False,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                part = pathlib.Path(f"{out}.part")
                self.assertIn(done.returncode, (0, 1, 2, 127), done.stderr)  # 127: no library could be opened
                if done.returncode in (1, 2):
                    self.assertIn("Too many open files", done.stderr)
                if part.exists():
                    self.assertIn("continue with --resume", done.stderr)
                for left in (out, part):
                    subprocess.run(["rm", "-rf", str(left)], check=True)

    def test_too_few_threads_are_named_with_what_to_try(self):
        """A stack that no memory holds: pthread_create(3) fails as where there is no process left."""
        def no_stack():
            _, most = resource.getrlimit(resource.RLIMIT_STACK)
            size = 1 << 50
            if most not in (resource.RLIM_INFINITY,) and most < size:
                os._exit(77)
            resource.setrlimit(resource.RLIMIT_STACK, (size, most))

        words = [GAUNTLET, *sweep(40), "--threads", "3"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, preexec_fn=no_stack)
        if done.returncode == 77:
            self.skipTest("stacks are limited here")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--threads: 3 are more than can be started: thread 1 failed: Resource temporarily unavailable; "
                      "write --threads 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
