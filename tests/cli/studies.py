"""What the tests share that run one study on many ranks, or kill it: a study, its results, and how far it is."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # for what takes a second or two
FILES = ("result.json", "report.txt", "points.csv", "replicas.csv", "incidents.csv", "results.sqlite", "manifest.txt")


def sweep(replicas):
    """Two points that differ; a thousand replicas take a second or so."""
    return ["sweep", "scenarios/tiny-8.toml", "--set", "policies.checkpoint=fixed", "--vary", "checkpoint.interval=10min,1h",
            "--replicas", str(replicas), "--quiet"]


def stored(directory):
    """How many replicas the unfinished study in DIR.part holds."""
    try:
        with sqlite3.connect(f"file:{directory}.part/results.sqlite?mode=ro", uri=True, timeout=10) as store:
            return store.execute("SELECT count(*) FROM replica").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # not yet there, or being made


def wait_until(true, what, process=None):
    end = time.monotonic() + SECONDS_MAX
    while not true():
        if process and process.poll() is not None:
            raise AssertionError(f"it ended with {process.returncode} before {what}")
        if time.monotonic() > end:
            raise AssertionError(f"waited {SECONDS_MAX} s in vain until {what}")
        time.sleep(0.001)


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="gauntlet-"))
        self.addCleanup(shutil.rmtree, self.place)

    def run_alone(self, name, replicas, threads=2, *options):
        out = self.place / name
        done = subprocess.run([GAUNTLET, *sweep(replicas), "--threads", str(threads), "--out", str(out), *options],
                              text=True, capture_output=True, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def assert_same(self, one, other):
        for name in FILES:
            self.assertTrue((one / name).read_bytes() == (other / name).read_bytes(), f"{one / name} != {other / name}")
        self.assertFalse(pathlib.Path(f"{other}.part").exists(), "something is left beside the results")
