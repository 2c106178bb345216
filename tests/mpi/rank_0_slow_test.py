"""Rank 0 is killed where Open MPI lets the other ranks live: they end within a minute, and nobody takes it for a result."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from ranks import GAUNTLET, REPLICAS, SECONDS_MAX, MpirunTest  # noqa: E402


class Rank0(MpirunTest):
    def test_a_lost_rank_0_under_recovery_leaves_no_result(self):
        out = self.place / "out"
        process = self.start(3, out, "--enable-recovery")
        self.kill(process, 0, out)
        # Open MPI 4.1.4 exits with 0 whatever happened to ranks, so its exit code is not looked at (docs/scaling.md).
        err = self.ends(process)[1]
        self.assertIn("No results were written; the same command with --resume goes on", err)
        self.assertFalse(out.exists())
        check = subprocess.run([GAUNTLET, "results", str(out), "--check"], text=True, capture_output=True, timeout=SECONDS_MAX)
        self.assertEqual(check.returncode, 2, check.stdout)
        self.assertIn("is an unfinished study without results", check.stderr)
        code, err = self.ends(self.start(2, out, study=["--resume"]))
        self.assertEqual(code, 0, err)
        self.assert_same(self.run_alone("alone", REPLICAS), out)


if __name__ == "__main__":
    unittest.main()
