"""What cannot be drilled is refused before anything starts, and what fails leaves nothing running."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402


class Refusals(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)

    def refused(self, code, words, *arguments, hosts=4, environment=None):
        process = subprocess.Popen(self.place.command(*arguments, hosts=hosts), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment or self.place.environment())
        run = drills.finish(process)
        self.assertEqual(run.code, code, str(run))
        for word in words:
            self.assertIn(word, run.err, str(run))
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(list(self.place.path.iterdir()), [])

    def test_a_fault_without_injector_is_named_with_what_can_be_injected(self):
        self.refused(2, ["faults.rank_killed", "SIGKILL", "SIGSTOP"], "--set", 'faults.rank_killed.effect="slow"',
                     "--set", "faults.rank_killed.factor=1.5")

    def test_a_scenario_that_does_not_ask_for_injection(self):
        self.refused(2, ["drill.inject"], "--set", "drill.inject=false")

    def test_too_few_hosts(self):
        self.refused(2, ["--hosts 3", "write --hosts 4"], hosts=3)

    def test_a_probe_that_no_agent_has(self):
        self.refused(2, ["host_check"], "--set", 'probes.other.time="1s"')

    def test_no_place_for_sockets_and_checkpoints(self):
        self.refused(1, ["/proc/gauntlet-drill-", "cannot be made"], environment=dict(os.environ, TMPDIR="/proc"))

    def test_a_recording_that_cannot_be_written(self):
        self.refused(1, ["/proc/drill.rec", "cannot be written"], "--record", "/proc/drill.rec")


if __name__ == "__main__":
    unittest.main()
