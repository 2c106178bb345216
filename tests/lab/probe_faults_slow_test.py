"""One round of tests/lab/probe_faults.py with three probes: a slow disk, a lossy link and a busy core are found, and no healthy host is blamed.

    GAUNTLET=build/gauntlet python3 tests/lab/probe_faults_slow_test.py
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import probe_faults  # noqa: E402


class OneRound(probe_faults.Faults):
    probes = ("cpu_cores", "disk_write", "tcp_loss")

    def test_each_fault_is_found(self):
        self.rounds(1)


if __name__ == "__main__":
    unittest.main()
