"""One study under mpirun: the same files for any number of ranks, and when one of them is lost."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, sweep, wait_until  # noqa: E402

REPLICAS = 1500
# Open MPI does not give back what its plugins allocated before it unloads them; a leak of our own shows without ranks too.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rank_of(pid):
    for word in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        if word.startswith(b"OMPI_COMM_WORLD_RANK="):
            return int(word.partition(b"=")[2])
    return None


class Mpirun(StudyTest):
    def start(self, ranks, out, *options, study=()):
        words = ["mpirun", "-n", str(ranks), "--allow-run-as-root", "--oversubscribe", *options, GAUNTLET, *sweep(REPLICAS),
                 "--threads", "1", "--out", str(out), *study]
        process = subprocess.Popen(words, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=ENVIRONMENT)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def ends(self, process):
        err = process.communicate(timeout=SECONDS_MAX)[1]
        return process.returncode, err

    def kill(self, process, rank, out):
        """kill -9, in the middle of the study."""
        wait_until(lambda: stored(out) >= REPLICAS / 4, "a quarter of a point is stored", process)
        victims = [pid for pid in children(process.pid) if rank_of(pid) == rank]
        self.assertEqual(len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)

    def test_two_ranks_give_the_files_of_two_threads(self):
        alone = self.run_alone("alone", REPLICAS)
        for ranks in (2, 3):
            code, err = self.ends(self.start(ranks, self.place / f"ranks-{ranks}"))
            self.assertEqual(code, 0, err)
            self.assert_same(alone, self.place / f"ranks-{ranks}")

    def test_the_other_ranks_do_their_share(self):
        code, err = self.ends(self.start(3, self.place / "out"))
        self.assertEqual(code, 0, err)
        said = re.search(r"3 ranks; all but rank 0 ran (\d+) to (\d+) replicas each", err)
        self.assertTrue(said, err)
        self.assertGreater(int(said[1]), 0, err)

    def test_a_lost_rank_does_not_lose_the_study(self):
        out = self.place / "out"
        process = self.start(3, out, "--enable-recovery")
        self.kill(process, 2, out)
        self.ends(process)  # mpirun tells of the loss in its exit code
        self.assert_same(self.run_alone("alone", REPLICAS), out)

    def test_without_recovery_what_is_done_is_kept(self):
        for rank in (0, 1):
            out = self.place / f"out-{rank}"
            process = self.start(2, out)
            self.kill(process, rank, out)
            code, err = self.ends(process)
            self.assertNotEqual(code, 0, err)
            code, err = self.ends(self.start(2, out, study=["--resume"]))
            self.assertEqual(code, 0, err)
            self.assert_same(self.run_alone(f"alone-{rank}", REPLICAS), out)


if __name__ == "__main__":
    unittest.main()
