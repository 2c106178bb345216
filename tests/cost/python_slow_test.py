"""What Python adds to a replica of the main job: instructions, over those of the command.

    PYTHONPATH=build/python GAUNTLET=build/gauntlet GAUNTLET_COST=build/tests/cost /usr/bin/python3 tests/cost/python_slow_test.py
"""

import importlib.util
import os
import sys
import unittest

from cost_test import MAIN_JOB, instructions

MOST_TIMES_THE_COMMAND = 1.10
FEW, MANY = 16, 80  # both with the incidents of as many replicas


def per_replica(command):
    """Starting, importing and loading cancel."""
    (short, _), (long, _) = instructions(*command(FEW)), instructions(*command(MANY))
    return (long - short) / (MANY - FEW)


def from_python(replicas):
    return sys.executable, "-c", f"import gauntlet; gauntlet.run('{MAIN_JOB}', replicas={replicas}, threads=1)"


def by_the_command(replicas):
    return os.environ["GAUNTLET"], "run", MAIN_JOB, "--threads", "1", "--replicas", replicas


@unittest.skipUnless(importlib.util.find_spec("gauntlet"), "the build has no module for Python")
class PythonCost(unittest.TestCase):
    def test_a_replica_costs_what_it_costs_the_command(self):
        times = per_replica(from_python) / per_replica(by_the_command)
        print(f"{times:.4f} times the instructions of the command", file=sys.stderr)
        self.assertLess(times, MOST_TIMES_THE_COMMAND)


if __name__ == "__main__":
    unittest.main()
