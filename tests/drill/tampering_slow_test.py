"""Faults of the control plane on real processes: heartbeats that wait or come twice, a host that cannot be reached, a hang in a collective.

The job trains on through all but the last, and the policies see what those of the simulation see.
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "tampering"
question = "Do the policies stay calm where only heartbeats are late?"

[job]
steps = 45

[drill]
at_once = 2

[faults.late]
model = "late_heartbeats"
heals_after = "1500ms"
trace = [{{ at = "2s", component = 0 }}]

[faults.twice]
model = "repeated_heartbeats"
heals_after = "2s"
trace = [{{ at = "2100ms", component = 1 }}]

[faults.beyond]
model = "late_heartbeats"
heals_after = "1s"
trace = [{{ at = "2200ms", component = 3 }}]

[faults.apart]
model = "agent_partition"
heals_after = "1500ms"
trace = [{{ at = "4500ms", component = 2 }}]

[faults.held]
model = "collective_hang"
trace = [{{ at = "6500ms", component = 3 }}]
"""


class Tampering(unittest.TestCase):
    def test_the_job_trains_on_and_a_hang_is_recovered(self):
        with drills.Place() as place:
            scenario = place.path / "tampering.toml"
            scenario.write_text(SCENARIO.format(base=os.path.abspath("scenarios/drill-tiny.toml")))
            place.scenario = str(scenario)
            out = place.path / "out"
            run = place.run("--against-simulation", "--out", str(out))
            self.assertEqual(run.code, 0, str(run))
            self.assertEqual(run.injected, (4, 4), str(run))
            left_out = "beyond on host 3 at 2.2s is not injected: 2 faults act already then, and drill.at_once allows no more"
            self.assertIn(left_out, run.out, str(run))
            metrics = json.loads((out / "result.json").read_text())["metrics"]
            self.assertEqual(metrics["interruptions"]["mean"], 1, str(run))
            self.assertEqual(metrics["false_alarms"]["mean"], 0, str(run))
            self.assertIn("The sequences are the same", run.out, str(run))
            self.assertEqual(place.processes(), {})
            self.assertEqual(run.final_hash, drills.undisturbed_hash(place))


if __name__ == "__main__":
    unittest.main()
