"""Five of the drills of `make drills`: random faults, and a kill -9 of the driver, an agent, a watchdog or a rank."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lab"))
import labs  # noqa: E402

import random_drills  # noqa: E402


@unittest.skipIf(labs.missing(), labs.missing())
class RandomDrills(unittest.TestCase):
    def test_five_seeds_lose_nothing_and_leave_nothing(self):
        for seed in range(1, 6):
            with self.subTest(seed=seed):
                done, planned = random_drills.drill(seed)
                self.assertEqual(done.problems, [], "\n".join([*planned, *done.story]))


if __name__ == "__main__":
    unittest.main()
