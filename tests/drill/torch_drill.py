"""The worked example of PyTorch. CI has no python3-torch: `make drill-torch` installs it and runs this file.

Each drill must find every fault, need no person, and end with the parameters of the same drill without faults, bit for bit.
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

FOLDER = "scenarios/drills/pytorch/"


class Torch(unittest.TestCase):
    def survives(self, scenario, hosts, kinds, *more):
        with drills.Place(FOLDER + scenario, hosts=hosts) as place:
            run = place.run("--out", str(place.path / "out"), *more)
            print(run, flush=True)
            self.assertEqual(run.code, 0)
            metrics = json.loads((place.path / "out" / "result.json").read_text())["metrics"]
            undisturbed = place.run("--no-faults", *more)
            self.assertEqual(place.processes(), {})
        for kind in kinds:
            self.assertEqual(metrics[f"detection.by_kind.{kind}.detected"]["mean"], 1, kind)
        self.assertEqual(run.injected, (len(kinds), len(kinds)))
        self.assertEqual(metrics["handled_share"]["mean"], 1)
        self.assertIsNotNone(undisturbed.final_hash, str(undisturbed))
        self.assertEqual(run.final_hash, undisturbed.final_hash)
        print(f"{scenario}: final parameters {run.final_hash}, as without faults", flush=True)

    def test_a_killed_and_a_stopped_rank(self):
        self.survives("train.toml", 2, ["rank_killed", "rank_stopped"])


if __name__ == "__main__":
    unittest.main()
