"""Twenty rounds of tests/lab/probe_faults.py: each fault is found in all of them, and no healthy host is blamed in any.

    GAUNTLET=build/gauntlet python3 tests/lab/probe_faults_long_test.py

ROUNDS=2 does two of them.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import probe_faults  # noqa: E402


class TwentyRounds(probe_faults.Faults):
    def test_each_fault_is_found_every_time(self):
        self.rounds(int(os.environ.get("ROUNDS", "20")))


if __name__ == "__main__":
    unittest.main()
