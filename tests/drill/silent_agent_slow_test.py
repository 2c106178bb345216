"""An agent that is stopped, and neither dies nor answers, delays a drill and does not end it."""
import os
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402


class SilentAgent(unittest.TestCase):
    def drilled(self, *settings):
        with drills.Place() as place:
            quiet = ("--no-faults", "--set", "job.steps=40", *settings)
            run = place.start(*quiet)
            deadline = time.monotonic() + drills.SECONDS_MAX
            while not any(re.search(r" step 10 ", progress.read_text(errors="replace"))
                          for progress in place.path.glob("gauntlet-drill-*/progress")):
                self.assertLess(time.monotonic(), deadline, "no step 10")
                self.assertIsNone(run.poll(), "the drill ended before step 10")
                time.sleep(0.05)
            agent = place.agents()["2"]
            os.kill(agent, signal.SIGSTOP)
            done = drills.finish(run)
            self.assertEqual(done.code, 0, str(done))
            self.assertEqual(place.processes(), {})
            self.assertEqual(done.final_hash, drills.undisturbed_hash(place, "--set", "job.steps=40"))
            return done.err

    def test_heartbeats_stop_and_the_order_to_stop_the_job_is_not_answered(self):
        self.assertIn("host 2 has not answered the order to stop its ranks within 20s; it counts as lost", self.drilled())

    def test_where_nobody_watches_heartbeats_the_end_of_the_job_is_missed(self):
        # Nor does the job seem to hang: where a busy machine takes long for a step, or where two checkpoints wait for the agent and
        # the ranks cannot begin a third.
        said = self.drilled("--set", 'policies.detect=["exit", "collective-timeout", "hang"]', "--set", "detection.hang_timeout=1min",
                            "--set", "checkpoint.interval=7s")
        self.assertIn("host 2 has not reported the end of its ranks within 28s; it counts as lost", said)


if __name__ == "__main__":
    unittest.main()
