"""Many drills of one scenario: what is complete is kept, what is not is drilled by the same command, and all are compared.

    GAUNTLET=build/gauntlet /usr/bin/python3 tests/drill/repeat_slow_test.py
"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

# One rank is killed while the job trains. When, the seed decides.
SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "repeated"
question = "Does every drill stand beside its own simulation?"

[job]
steps = 60
step_time = "50ms"

[faults.rank_killed]
component = "gpu"
effect = "crash"
remedy = "restart"
mtbf = "20s"
"""


class Repeat(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)
        scenario = self.place.path / "repeated.toml"
        scenario.write_text(SCENARIO.format(base=os.path.abspath(drills.SCENARIO)))
        self.place.scenario = str(scenario)
        self.out = self.place.path / "drills"

    def arguments(self, *more):
        return ["--repeat", "3", "--vary-seed", "--out", str(self.out), *more]

    def kept(self):
        return sorted(path.name for path in (self.out / "drills").iterdir())

    def test_an_interrupted_series_goes_on_and_repeats_nothing(self):
        process = self.place.start(*self.arguments())
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not (self.out / "drills" / "1").exists():
            self.assertIsNone(process.poll(), "it ended before its first drill")
            self.assertLess(time.monotonic(), deadline, "the first drill never ended")
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        first = drills.finish(process)
        self.assertEqual(first.code, 128 + signal.SIGINT, str(first))
        self.assertIn("Interrupted: the same command goes on", first.out)
        self.assertEqual(self.kept(), ["1", "1.rec"], str(first))
        self.assertEqual(self.place.processes(), {})
        before = (self.out / "drills/1.rec").stat().st_mtime_ns

        whole = self.place.run(*self.arguments("--json"))
        self.assertEqual(whole.code, 0, str(whole))
        self.assertEqual(self.kept(), ["1", "1.rec", "2", "2.rec", "3", "3.rec"])
        self.assertEqual((self.out / "drills/1.rec").stat().st_mtime_ns, before)
        result = json.loads(whole.out)
        self.assertEqual(whole.out, (self.out / "result.json").read_text())
        self.assertEqual([each["seed"] for each in result["drills"]], [1, 2, 3])
        self.assertEqual((result["n"], result["failed"], result["interrupted"]), (3, [], False))
        ettr = next(each for each in result["figures"] if each["name"] == "ETTR")
        self.assertAlmostEqual(ettr["measured"] - ettr["simulated"], ettr["difference"])
        self.assertIsNone(ettr["ci95"], "three drills are too few")
        for each in result["drills"]:  # both worlds account for all of their time
            for world in (each["measured"], each["simulated"]):
                self.assertAlmostEqual(sum(world["phases_s"].values()), world["wall_s"])

        # Each kept recording has the times that its ranks measured.
        measured = self.place.path / "measured.toml"
        recordings = [str(self.out / "drills" / f"{number}.rec") for number in (1, 2, 3)]
        calibrated = subprocess.run([drills.GAUNTLET, "calibrate", *recordings, "--out", str(measured)], capture_output=True, text=True, check=False)
        self.assertEqual(calibrated.returncode, 0, calibrated.stderr)
        for key in ("job.step_time", "job.start.process_start", "storage.persist"):
            self.assertIn(f"\n{key} = ", measured.read_text())

        another = self.place.run("--repeat", "3", "--out", str(self.out))
        self.assertEqual(another.code, 2, "drill 2 has another seed")
        self.assertIn("another seed: 2, not 1", another.err)


if __name__ == "__main__":
    unittest.main()
