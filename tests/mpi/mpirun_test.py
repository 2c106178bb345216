"""One study under mpirun: the same files for any number of ranks, and when one of them is lost."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from ranks import GAUNTLET, REPLICAS, SECONDS_MAX, MpirunTest  # noqa: E402


class Mpirun(MpirunTest):
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

    def test_figures_over_time_are_those_of_threads(self):
        command = ("run", "scenarios/tiny-8.toml", "--replicas", "40", "--over-time", "6h", "--quiet")
        alone, ranks = self.place / "alone", self.place / "ranks"
        subprocess.run([GAUNTLET, *command, "--out", str(alone)], check=True, capture_output=True, timeout=SECONDS_MAX)
        code, err = self.ends(self.start(2, ranks, command=command))
        self.assertEqual(code, 0, err)
        for name in ("over-time.csv", "result.json", "manifest.txt"):
            self.assertEqual((alone / name).read_bytes(), (ranks / name).read_bytes(), name)

    def test_a_lost_rank_does_not_lose_the_study(self):
        out = self.place / "out"
        process = self.start(3, out, "--enable-recovery")
        self.kill(process, 2, out)
        self.ends(process)  # its exit code is that of no rank (docs/scaling.md)
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
