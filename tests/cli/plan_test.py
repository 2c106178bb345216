"""gauntlet plan --out: enough.toml is the scenario of the column "enough"."""
import json
import os
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest  # noqa: E402

PLAN = ("plan", "tiny-8", "--tokens", "20B", "--replicas", "40", "--seed", "7")


def fingerprints(out, wanted):
    """Of each replica of the point with these settings, by number. A labelled point beside it has more stops."""
    with sqlite3.connect(f"file:{out}/results.sqlite?mode=ro", uri=True) as store:
        points = [point for point, settings in store.execute("SELECT point, settings FROM point WHERE label = ''")
                  if json.loads(settings) == wanted]
        assert len(points) == 1, points
        return dict(store.execute("SELECT replica, fingerprint FROM replica WHERE point = ?", points))


class Plan(StudyTest):
    def gauntlet(self, name, *words):
        out = self.place / name
        done = subprocess.run([GAUNTLET, *words, "--quiet", "--out", str(out)], capture_output=True, text=True, timeout=SECONDS_MAX,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_what_is_enough_is_a_scenario_with_the_same_runs(self):
        out = self.gauntlet("plan", *PLAN, "--finish-by", "9d")
        plan = json.loads((out / "result.json").read_text(encoding="utf-8"))
        settings = plan["enough"]["settings"]
        self.assertEqual(plan["as_given"]["settings"], {})
        changed = {"cluster.hosts", "job.layout.dp", "spares.count", "storage.write", "storage.read", "repair.crew", "job.steps"}
        self.assertLessEqual(changed, set(settings), "the plan has less of everything, so that a lost setting shows")
        runs = plan["enough"]["share_by_date"]["first_replica"] + plan["enough"]["share_by_date"]["n"]
        again = self.gauntlet("again", "run", str(out / "enough.toml"), "--replicas", str(runs))
        self.assertEqual(fingerprints(again, {}), fingerprints(out, settings))

    def test_without_a_date_nothing_is_enough(self):
        out = self.gauntlet("plan", *PLAN)
        self.assertFalse((out / "enough.toml").exists())

    def test_a_date_beyond_what_is_counted_is_not_before_the_start(self):
        late = subprocess.run([GAUNTLET, *PLAN, "--start", "2027-01-01", "--finish-by", "2400-01-01"], capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)
        self.assertEqual(late.returncode, 2)
        self.assertIn("--finish-by: 2400-01-01 is more than 292 years after the start; write an earlier day", late.stderr)


if __name__ == "__main__":
    unittest.main()
