"""All that policies order: a broken host is evicted and repaired, the job shrinks and grows, is preempted and stopped as planned."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402


class EveryOrder(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place("scenarios/drills/every-order.toml").__enter__()
        self.addCleanup(self.place.__exit__)

    def test_a_drill_does_it_as_simulated_and_nothing_is_lost(self):
        record = self.place.path / "drill.rec"
        run = self.place.run("--against-simulation", "--record", str(record))
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("The sequences are the same", run.out, str(run))
        orders = re.findall(r"^ +[\d.]+ s +[\d.]+ s  (.*)$", run.out, re.M)
        for wanted in ("Evict{host=1}", "StandBy{host=3}", "Readmit{host=1}", "Stop{job=0 reason=grow}",
                       "Stop{job=0 reason=preempted}", "Release{job=0}", "Stop{job=0 reason=planned}"):
            self.assertIn(wanted, orders, str(run))
        self.assertIn("the job starts with 1 of its 2 data-parallel replicas, which are 2 ranks (WORLD_SIZE)", run.err)
        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place), "the state depends on no number of replicas")
        self.assertEqual(self.place.processes(), {})
        replay = subprocess.run([drills.GAUNTLET, "replay", str(record)], capture_output=True, text=True)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)


if __name__ == "__main__":
    unittest.main()
