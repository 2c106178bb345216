"""Faults damage the newest checkpoints of a job before its ranks are killed: it goes on from an older one, and nothing is lost.

    GAUNTLET=build/gauntlet python3 tests/drill/damage_test.py
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

# The faults of a plan take the kinds of damage in turn: a flipped bit, (a kill,) a torn manifest, a lost directory.
# The first fault has to find checkpoints, the second a job that trains again; the steps, of which none is shorter than the step time,
# outlast the second. A machine too slow for that gets a job of the same shape in which all of it comes later.
SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "damaged"
question = "Does a job survive checkpoints that are damaged?"

[job]
steps = {steps}
step_time = "50ms"

[checkpoint]
interval = "500ms"

[storage]
keep_last = 4

[faults.damage]
model = "checkpoint_damaged"
trace = [{{ at = "{first}ms", component = 0 }}, {{ at = "{second}ms", component = 0 }}, {{ at = "{third}ms", component = 0 }}]

[faults.killed]
component = "gpu"
effect = "crash"
remedy = "restart"
trace = [{{ at = "{first_kill}ms", component = 1 }}, {{ at = "{second_kill}ms", component = 2 }}]
"""

DAMAGES = ("has another checksum", "is torn")  # what a restart says of a flipped bit, and of a torn manifest


def damaged(slowness):
    first, second = 3000 * slowness, 8000 * slowness
    return SCENARIO.format(base=os.path.abspath("scenarios/drill-tiny.toml"), steps=160 * slowness, first=first, first_kill=first + 10,
                           second=second, third=second + 10, second_kill=second + 20)


class Damaged(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)

    def train(self, slowness):
        scenario = self.place.path / f"damaged-{slowness}.toml"
        scenario.write_text(damaged(slowness))
        self.place.scenario = str(scenario)
        return self.place.run()

    def test_the_job_goes_on_from_an_older_checkpoint(self):
        for slowness in (1, 2, 4, 8):
            run = self.train(slowness)
            self.assertEqual(run.code, 0, str(run))
            self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place), "nothing that was read was damaged\n" + str(run))
            self.assertEqual(self.place.processes(), {})
            # Where a checkpoint was completed between a damage and its kill, the restart does not come to the damaged one.
            if run.injected == (5, 5) and all(words in run.out + run.err for words in DAMAGES):
                return
        self.fail(f"no run met all of {DAMAGES}\n{run}")


if __name__ == "__main__":
    unittest.main()
