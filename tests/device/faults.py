"""Faults of a GPU, each with its proof: what it did to another process, and that nothing stays behind.

`real/run_on_gpu.sh` runs this; it needs a GPU, and the folder of the programs in $PROGRAMS.

    PROGRAMS=build python3 tests/device/faults.py
"""
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", "build")).resolve()
DEADLINE_S = 90


def fault(name, *arguments):
    return [PROGRAMS / "gauntlet-cuda-fault", name, "--gpu", "0", "--inject", *arguments]


def said(name, *arguments):
    done = subprocess.run(fault(name, *arguments), capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


class Job:
    """Steps of a job, as it says them."""

    def __init__(self, place):
        self.out = open(place / "job", "w+")
        self.process = subprocess.Popen([PROGRAMS / "gauntlet-device-trainer", "--steps", "1000000", "--micro-batches", "16", "--checkpoints", place / "checkpoints"],
                                        env=dict(os.environ, RANK="0", WORLD_SIZE="1"), stdout=self.out, stderr=subprocess.STDOUT)

    def steps(self):
        return max([int(each) for each in re.findall(r"step (\d+) loss", pathlib.Path(self.out.name).read_text())], default=0)

    def wait_for(self, steps):
        end = time.monotonic() + DEADLINE_S
        while self.steps() < steps:
            assert time.monotonic() < end and self.process.poll() is None, pathlib.Path(self.out.name).read_text()
            time.sleep(0.005)

    def seconds_of(self, steps):
        began, first = time.monotonic(), self.steps()
        self.wait_for(first + steps)
        return (time.monotonic() - began) / (self.steps() - first)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.out.close()


class Faults(unittest.TestCase):
    def job(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-device-")
        self.addCleanup(kept.cleanup)
        job = Job(pathlib.Path(kept.name))
        self.addCleanup(job.end)
        job.wait_for(20)
        return job

    def test_an_illegal_address_hits_nobody_else(self):
        job = self.job()
        self.assertEqual(said("illegal-address", "--seconds", "10")["error"], "cudaErrorIllegalAddress")
        job.wait_for(job.steps() + 50)

    def test_a_hang_ends_by_the_clock_of_the_device(self):
        hung = said("hang", "--seconds", "2")["hung_s"]
        self.assertGreaterEqual(hung, 2)
        self.assertLess(hung, 2.5)

    def test_a_slow_device_slows_a_job_as_was_asked(self):
        job = self.job()
        for factor in (1.2, 1.5):
            alone = statistics.median(job.seconds_of(40) for _ in range(5))
            slow = subprocess.Popen(fault("slow", "--seconds", "60", "--factor", str(factor)), stdout=subprocess.PIPE, text=True)
            try:
                measured = json.loads(slow.stdout.readline())
                beside = statistics.median(job.seconds_of(40) for _ in range(5))
            finally:
                slow.kill()
                slow.wait()
                slow.stdout.close()
            print(f"asked {factor}, {measured}, the job: {beside / alone:.3f}")
            self.assertLess(abs(beside / alone / factor - 1), 0.15)

    def test_nothing_stays_behind_when_it_is_killed_or_its_parent_is(self):
        before = said("memory", "--seconds", "0.01")["taken_mib"]
        for of_parent in (False, True):
            command = ["sh", "-c", '"$@" & wait', "sh", *map(str, fault("memory", "--seconds", "60"))] if of_parent else fault("memory", "--seconds", "60")
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self.assertEqual(json.loads(process.stdout.readline())["taken_mib"], before)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertEqual(process.stdout.read(), "")  # ends when the last one that holds it has ended
            process.stdout.close()
            end = time.monotonic() + DEADLINE_S
            while (left := said("memory", "--seconds", "0.01")["taken_mib"]) != before:
                self.assertLess(time.monotonic(), end, f"{left} MiB of {before} are free")


if __name__ == "__main__":
    unittest.main()
