"""The worked example of PyTorch. CI has no python3-torch: `make drill-torch` installs it and runs this file.

Every fault must reach the job, and each drill must end with the parameters of the same drill without faults, bit for bit. Ranks that are
killed or stopped must be found, without a person. A slow rank is found by the time of steps, which a busy machine changes too.
"""
import json
import os
import sys
import unittest

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..", "lab")]
import drills  # noqa: E402
import labs  # noqa: E402

FOLDER = "scenarios/drills/pytorch/"


class Torch(unittest.TestCase):
    def survives(self, scenario, hosts, faults, *more, found=()):
        with drills.Place(FOLDER + scenario, hosts=hosts) as place:
            run = place.run("--out", str(place.path / "out"), *more)
            print(run, flush=True)
            self.assertEqual(run.code, 0)
            metrics = json.loads((place.path / "out" / "result.json").read_text())["metrics"]
            undisturbed = place.run("--no-faults", *more)
            self.assertEqual(place.processes(), {})
        for kind in found:
            self.assertEqual(metrics[f"detection.by_kind.{kind}.detected"]["mean"], 1, kind)
            self.assertEqual(metrics[f"detection.by_kind.{kind}.handled_share"]["mean"], 1, kind)
        self.assertEqual(run.injected, (faults, faults))
        self.assertIsNotNone(undisturbed.final_hash, str(undisturbed))
        self.assertEqual(run.final_hash, undisturbed.final_hash)
        print(f"{scenario}: final parameters {run.final_hash}, as without faults", flush=True)

    def test_a_killed_and_a_stopped_rank(self):
        self.survives("train.toml", 2, 2, found=["rank_killed", "rank_stopped"])

    @unittest.skipIf(labs.missing(), labs.missing())
    def test_the_same_on_two_hosts_of_a_lab(self):
        self.survives("lab.toml", 2, 2, "--launch", "lab", found=["rank_killed", "rank_stopped"])

    @unittest.skipIf(labs.missing(), labs.missing())
    def test_a_slow_rank_and_a_lost_link(self):
        self.survives("slow-and-lost.toml", 2, 2, "--launch", "lab")


if __name__ == "__main__":
    unittest.main()
