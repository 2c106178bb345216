"""Faults damage the newest checkpoints of a job before its ranks are killed: it goes on from an older one, and nothing is lost.

    GAUNTLET=build/gauntlet python3 tests/drill/damage_test.py
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

# The faults of a plan take the kinds of damage in turn: a flipped bit, (a kill,) a torn manifest, a lost directory.
SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "damaged"
question = "Does a job survive checkpoints that are damaged?"

[job]
steps = 100
step_time = "50ms"

[checkpoint]
interval = "500ms"

[storage]
keep_last = 4

[faults.damage]
model = "checkpoint_damaged"
trace = [{{ at = "2200ms", component = 0 }}, {{ at = "5s", component = 0 }}, {{ at = "5010ms", component = 0 }}]

[faults.killed]
component = "gpu"
effect = "crash"
remedy = "restart"
trace = [{{ at = "2210ms", component = 1 }}, {{ at = "5020ms", component = 2 }}]
"""


class Damaged(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)
        scenario = self.place.path / "damaged.toml"
        scenario.write_text(SCENARIO.format(base=os.path.abspath("scenarios/drill-tiny.toml")))
        self.place.scenario = str(scenario)

    def test_the_job_goes_on_from_an_older_checkpoint(self):
        run = self.place.run()
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (5, 5), str(run))
        said = run.out + run.err
        self.assertIn("has another checksum", said, "the bit was flipped\n" + str(run))
        self.assertIn("is torn", said, "the manifest was torn\n" + str(run))
        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place), str(run))
        self.assertEqual(self.place.processes(), {})


if __name__ == "__main__":
    unittest.main()
