"""Twenty seeds of random faults, which may overlap: every drill ends with the undisturbed parameters."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

RANDOM_FAULTS = ("--set", 'faults.rank_killed.mtbf="80s"', "--set", 'faults.rank_stopped.mtbf="120s"')


class Seeds(unittest.TestCase):
    def test_twenty_seeds_lose_nothing(self):
        for seed in range(1, 21):
            with drills.Place() as place, self.subTest(seed=seed):
                run = place.run("--seed", str(seed), *RANDOM_FAULTS)
                self.assertEqual(run.code, 0, f"repeat: {' '.join(place.command('--seed', str(seed), *RANDOM_FAULTS))}\n{run}")
                self.assertEqual(place.processes(), {})
                self.assertEqual(run.final_hash, drills.undisturbed_hash(place, "--seed", str(seed), *RANDOM_FAULTS))


if __name__ == "__main__":
    unittest.main()
