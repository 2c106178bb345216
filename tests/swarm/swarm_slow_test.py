"""Three hundred fixed scenarios of the swarm (tests/swarm/swarm.py), which write every key of the schema."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fixed_scenarios import try_scenarios, unwritten_keys  # noqa: E402
from swarm import PROPERTIES  # noqa: E402

SEEDS = range(1000, 1300)


class FixedScenarios(unittest.TestCase):
    def test_every_property_holds(self):
        swarm = try_scenarios(self, SEEDS)
        for name in PROPERTIES:
            self.assertGreater(swarm.counts[name], 0, f"{name} was tried on none")
        self.assertEqual(unwritten_keys(swarm, SEEDS), [])


if __name__ == "__main__":
    unittest.main()
