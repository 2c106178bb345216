"""Programs for GPUs on a machine without one: what they say, and how they end. tests/device holds what needs a GPU.

    GAUNTLET=build/gauntlet python3 tests/device/programs_test.py
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAMS = pathlib.Path(os.environ.get("GAUNTLET", "build/gauntlet")).resolve().parent
TRAINER, FAULT = PROGRAMS / "gauntlet-device-trainer", PROGRAMS / "gauntlet-cuda-fault"
HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}  # also where there is a GPU


def run(*command, **variables):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=60, env={**os.environ, **HIDDEN, **variables})


@unittest.skipUnless(TRAINER.exists() and FAULT.exists(), "built where CUDA's toolkit is installed")
class Programs(unittest.TestCase):
    def refused(self, code, words, *command, **variables):
        done = run(*command, **variables)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, "")
        self.assertIn(words, done.stderr)

    def test_help_has_examples_and_exit_codes(self):
        for program in (TRAINER, FAULT):
            done = run(program, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for words in ("Examples:", "Exit codes:"):
                self.assertIn(words, done.stdout)

    def test_without_a_gpu_they_say_so(self):
        with tempfile.TemporaryDirectory(prefix="gauntlet-device-") as place:
            self.refused(1, "gauntlet-device-trainer: cudaSetDevice: ", TRAINER, "--checkpoints", place, RANK="0", WORLD_SIZE="1")
        for fault in ("illegal-address", "hang", "memory", "slow"):
            self.refused(1, "gauntlet-cuda-fault: cudaSetDevice: ", FAULT, fault, "--gpu", "0", "--seconds", "1", "--inject")

    def test_a_fault_is_asked_for_twice(self):
        for missing in (["--seconds", "1", "--inject"], ["--gpu", "0", "--inject"], ["--gpu", "0", "--seconds", "1"]):
            self.refused(2, "is required", FAULT, "hang", *missing)
        self.refused(2, "A subcommand is required", FAULT)
        self.refused(2, "--flip-before requires --inject", TRAINER, "--flip-before", "3")
        self.refused(2, "--flipped-bit requires --flip-before", TRAINER, "--flipped-bit", "3")
        self.refused(2, "--flipped-bit", TRAINER, "--flip-before", "3", "--inject", "--flipped-bit", "32")

    def test_arguments_that_mean_nothing(self):
        for wrong in (["--seconds", "0"], ["--seconds", "3601"], ["--seconds", "nan"], ["--gpu", "-1", "--seconds", "1"]):
            self.refused(2, wrong[0], FAULT, "hang", "--gpu", "0", "--inject", *wrong)
        self.refused(2, "--factor", FAULT, "slow", "--gpu", "0", "--seconds", "1", "--inject", "--factor", "1")
        for wrong in (["--width", "100"], ["--width", "abc"], ["--rows", "99999999999999999999"], ["--rows", "0"], ["--steps", "0"], ["--timeout", "0"], ["--timeout", "nan"], ["--micro-batches", "17"]):
            self.refused(2, wrong[0], TRAINER, *wrong)
        self.refused(2, "lower --rows or --micro-batches", TRAINER, "--rows", "1048576", "--micro-batches", "16", RANK="0", WORLD_SIZE="2")
        self.refused(2, "--ranks", TRAINER, RANK="0", WORLD_SIZE="128")
        self.refused(2, "rank 2: the job has 2 ranks", TRAINER, RANK="2", WORLD_SIZE="2")

    def test_its_drill_can_be_planned_anywhere(self):
        done = run(PROGRAMS / "gauntlet", "drill", "scenarios/drills/device/train.toml", "--hosts", "2", "--run-as", "nobody", "--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("SIGKILL of its rank", "SIGSTOP of its rank", "does not enter its next collective"):
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
