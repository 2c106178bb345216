"""Every study says which faults its scenario inherits, and from which file: its report shows them, as the report of a run does."""
import os
import pathlib
import subprocess
import tempfile
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # a guard against hanging
TINY = os.path.abspath("scenarios/tiny-8.toml")

MINE = f"""
extends = "{TINY}"
name = "mine"

[faults.disk]
component = "host"
effect = "crash"
mtbf = "30d"
remedy = "restart"
"""
STUDIES = {
    "sweep": ("--vary", "spares.count=1,2", "--replicas", "2"),
    "compare": ("--with", "spares.count=4", "--replicas", "2"),
    "tune": ("--set", 'policies.checkpoint="fixed"', "--over", "checkpoint.interval", "--budget", "120"),
    "plan": ("--finish-by", "30d", "--tokens", "1G", "--replicas", "2"),
    "rank": ("--lever", "spares.count", "--replicas", "2"),
    "scale": ("--gpus", "64,128", "--replicas", "2"),
}


class InheritedFaults(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-inherited-")
        self.addCleanup(kept.cleanup)
        self.mine = pathlib.Path(kept.name) / "mine.toml"
        self.mine.write_text(MINE)

    def report(self, *words):
        done = subprocess.run([GAUNTLET, *map(str, words), "--threads", "1", "--quiet"], text=True, capture_output=True,
                              timeout=SECONDS_MAX)
        self.assertIn(done.returncode, (0, 1), f"gauntlet {' '.join(map(str, words))}\n{done.stderr}")
        self.assertTrue(done.stdout, done.stderr)
        return " ".join(done.stdout.split())

    def test_every_study_lists_them_by_file(self):
        inherited = "5 faults from scenarios/tiny-8.toml: gpu_lost, host_down, link_flap, process_stuck, slow_host."
        own = f"1 fault from {self.mine}: disk."
        for study, options in STUDIES.items():
            with self.subTest(study):
                report = self.report(study, self.mine, *options)
                self.assertIn(inherited, report)
                self.assertIn(own, report)
                self.assertNotIn("faults from", self.report(study, TINY, *options))  # one file has them all

    def test_a_comparison_says_whose_they_are(self):
        report = self.report("compare", TINY, self.mine, "--replicas", "2")
        self.assertIn("B has 5 faults from ", report)
        self.assertIn(f"B has 1 fault from {self.mine}: disk.", report)
        self.assertNotIn("A has ", report)


if __name__ == "__main__":
    unittest.main()
