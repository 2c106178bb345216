"""scenarios/drills/faults.toml and storage.toml as a whole: faults of the catalogue are brought about in a lab, and the job survives them.

    GAUNTLET=build/gauntlet python3 tests/lab/catalogue_long_test.py
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import labs  # noqa: E402


@unittest.skipIf(labs.missing(), labs.missing())
class Catalogue(labs.Case):
    drill, faults = ("scenarios/drills/faults.toml", 6), 7

    def test_the_job_survives_them_with_the_same_parameters(self):
        run = self.place.run("--launch", "lab")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (self.faults, self.faults), str(run))
        self.nothing_is_left()
        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place), str(run))


@unittest.skipIf(labs.missing(), labs.missing())
class Storage(Catalogue):
    drill, faults = ("scenarios/drills/storage.toml", 5), 6


if __name__ == "__main__":
    unittest.main()
