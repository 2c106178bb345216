"""Thirty fixed scenarios of the swarm (tests/swarm/swarm.py)."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runner  # noqa: E402
from fixed_scenarios import try_scenarios  # noqa: E402

FIRST = 104
SEEDS = range(FIRST, FIRST + (10 if runner.SANITIZED else 30))


class FixedScenarios(unittest.TestCase):
    def test_every_property_holds(self):
        swarm = try_scenarios(self, SEEDS)
        self.assertGreater(swarm.counts["adds_up"], len(SEEDS) / 2)


if __name__ == "__main__":
    unittest.main()
