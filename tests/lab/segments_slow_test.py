"""A rank of a lab gets a quarter of its processor time: the database of the drill's segments names it, and no other.

    GAUNTLET=build/gauntlet python3 tests/lab/segments_slow_test.py
"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import faults_test  # noqa: E402
import labs  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402

SLOW, STEPS = 1, 30
FAULTS = """
[faults.rank_slow]
component = "gpu"
effect = "slow"
factor = 4.0
remedy = "restart"
trace = [{slow}]
"""


@unittest.skipIf(labs.missing(), labs.missing())
class SlowRank(faults_test.Disturbed):
    faults = FAULTS.format(slow=faults_test.strikes(SLOW))

    def newest_step(self):
        try:
            with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as store:
                return store.execute("SELECT max(step) FROM segment").fetchone()[0] or 0
        except sqlite3.OperationalError:
            return 0

    def test_it_is_named(self):
        self.file = self.place.path / "segments.sqlite"
        drill = self.place.start("--launch", "lab", "--segments", str(self.file))
        self.addCleanup(drill.kill)
        self.wait_for("the slow rank", self.slow_groups, drill)
        first = self.newest_step() + 10
        self.wait_for("its steps", lambda: self.newest_step() >= first + STEPS, drill)
        drill.send_signal(signal.SIGINT)
        drills.finish(drill)
        done = subprocess.run([drills.GAUNTLET, "segments", str(self.file), "--first-step", str(first), "--slower", "0.5", "--json"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual({(each["rank"], each["host"], each["segment"]) for each in found["outliers"]},
                         {(SLOW, SLOW, "forward"), (SLOW, SLOW, "backward")}, found)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
