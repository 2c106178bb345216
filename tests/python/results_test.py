"""Frames and arrays hold what the files and the JSON of the command hold."""

import csv
import json
import math
import os
import pathlib
import pickle
import re
import tempfile
import unittest

import gauntlet
import numpy as np
import pandas as pd
from command import ROOT, json_of, ran

os.chdir(ROOT)


def rows_of(file):
    with open(file, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def text_of(value):
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def plain(text):
    """A cell of a CSV file as text_of has it: numbers by their value."""
    try:
        return text_of(int(text)) if text and text.lstrip("-").isdigit() and len(text) < 16 else text_of(float(text))
    except ValueError:
        return text


class Frames(unittest.TestCase):
    def same_as_file(self, frame, file):
        rows = rows_of(file)
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(list(frame.columns), list(rows[0]))
        for name in frame.columns:
            ours = [plain(text_of(value)) for value in frame[name]]
            # A whole number in a column of others has no point in the file.
            of_file = [text_of(float(row[name])) if frame[name].dtype.kind == "f" and row[name] else plain(row[name]) for row in rows]
            self.assertEqual(ours, of_file, name)

    def test_replicas_and_incidents_are_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            self.assertEqual(ran("run", "every-fault", "--set", "job.window=20d", "--replicas", "8", "--incidents", "3", "--out", str(out)).returncode, 0)
            s = gauntlet.load("every-fault", set={"job.window": "20d"})
            result = gauntlet.run(s, replicas=8, incidents=3)
            self.same_as_file(result.replicas, out / "replicas.csv")
            self.same_as_file(result.incidents, out / "incidents.csv")
            self.assertEqual(result.replicas["wall_ns"].dtype, np.int64)

    def test_points_have_the_columns_of_all_scenarios(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            self.assertEqual(ran("compare", "tiny-8", "one-fault", "--replicas", "5", "--out", str(out)).returncode, 0)
            result = gauntlet.compare("tiny-8", "one-fault", replicas=5)
            self.same_as_file(result.replicas, out / "replicas.csv")
            self.assertEqual(list(result.points["label"]), ["tiny-8", "one-fault"])
            self.assertEqual(list(result.points["replicas"]), [5, 5])

    def test_metrics_are_those_of_the_json(self):
        result = gauntlet.run("tiny-8", replicas=12)
        metrics = json.loads(json_of("run", "tiny-8", "--replicas", "12"))["metrics"]
        self.assertEqual(list(result.metrics.index), list(metrics))
        for name, statistics in metrics.items():
            low, high = statistics.pop("ci95") or (None, None)
            for column, value in {**statistics, "ci95_low": low, "ci95_high": high}.items():
                found = result.metrics.loc[name, column]
                self.assertTrue(math.isnan(found) if value is None else found == value, (name, column, found, value))

    def test_values_are_those_of_each_replica(self):
        result = gauntlet.run("tiny-8", replicas=50, plain=True)
        wall = result.values("wall_time_s")
        self.assertEqual((wall.dtype, wall.shape), (np.float64, (50,)))
        np.testing.assert_allclose(wall, result.replicas["wall_ns"] / 1e9, rtol=1e-12)
        # ETTR is a ratio of totals: of equally long runs the mean of the values.
        self.assertAlmostEqual(result.values("ettr").mean(), result.metrics.loc["ettr", "mean"], places=12)
        np.testing.assert_allclose(result.values("ettr"), result.replicas["effective_ns"] / result.replicas["wall_ns"], rtol=1e-12)
        self.assertRaises(KeyError, result.values, "etr")
        self.assertRaises(IndexError, result.values, "ettr", 1)

    def test_every_nanosecond_has_a_phase(self):
        replicas = gauntlet.run("tiny-8", replicas=20).replicas
        phases = ["effective", "slowdown", "recomputing", "checkpoint_stall", "undetected", "diagnosing", "waiting_for_spare", "restarting",
                  "planned"]
        self.assertTrue((replicas[[phase + "_ns" for phase in phases]].sum(axis=1) == replicas["wall_ns"]).all())

    def test_a_replica_without_a_value_is_not_a_number(self):
        calm = gauntlet.run(gauntlet.load("one-fault", set={"job.window": "1h"}), replicas=5)
        mttf = calm.values("mttf_s")
        self.assertTrue(np.isnan(mttf[calm.replicas["interruptions"] == 0]).all())
        self.assertTrue((calm.replicas["interruptions"] == 0).any())

    def test_one_replica_has_no_interval(self):
        alone = gauntlet.run("tiny-8", replicas=1).metrics.loc["ettr"]
        self.assertFalse(math.isnan(alone["mean"]))
        self.assertTrue(math.isnan(alone["sd"]) and math.isnan(alone["ci95_low"]))

    def test_studies_have_frames(self):
        both = gauntlet.compare("tiny-8", changes=[{"spares.count": 4}], replicas=6)
        ettr = both.differences.loc[(0, "ettr")]
        self.assertAlmostEqual(ettr["second"] - ettr["first"], ettr["difference"])
        self.assertEqual(both.metrics.loc[(1, "ettr"), "mean"], ettr["second"])
        self.assertIn("cause", both.because.columns)

        swept = gauntlet.sweep("tiny-8", {"spares.count": [1, 4]}, replicas=6)
        self.assertEqual(list(swept.table["settings.spares.count"]), ["1", "4"])
        self.assertEqual(swept.metrics.loc[(0, "ettr"), "mean"], both.metrics.loc[(0, "ettr"), "mean"])
        np.testing.assert_array_equal(swept.values("ettr", point=1), both.values("ettr", point=1))

        tuned = gauntlet.tune("one-fault", {"checkpoint.interval": ("10min", "3h")}, budget=100)
        best = tuned.table.iloc[tuned.best["point"]]
        self.assertEqual((best["mean"], best["ci95_low"]), (tuned.best["mean"], tuned.best["ci95"][0]))
        self.assertEqual(list(tuned.fields["path"]), ["checkpoint.interval"])

        ranked = gauntlet.rank("tiny-8", lever=["spares.count", "job.start"], separate=1, replicas=10)
        self.assertEqual(set(ranked.levers["path"]) | set(ranked.without_effect),
                         {lever["path"] for kind in ("levers", "without_effect") for lever in ranked.data["ranking"][kind]})
        self.assertTrue(ranked.levers["goodput.by"].is_monotonic_decreasing)
        # A lever that shares the beginning of its name with a key that has lost its effect.
        slower = gauntlet.load("tiny-8", set={"job.step_time_factor": 1.5})
        self.assertEqual(list(gauntlet.rank(slower, lever="job.step_time", separate=1, replicas=10).levers["path"]), ["job.step_time"])
        planned = gauntlet.plan("tiny-8", tokens="1T", replicas=6)
        self.assertEqual(planned.variants.loc["as_given", "gpus"], 64)
        self.assertLess(planned.variants.loc["as_given", "finish_s.p50"], planned.variants.loc["as_given", "finish_s.p95"])
        self.assertIn("what", planned.one_more.columns)
        self.assertTrue(planned.uncertainty.empty and planned.parameters.empty, "nothing was drawn")

    def test_a_plan_with_uncertainty_has_the_numbers_of_its_report(self):
        planned = gauntlet.plan("tiny-8", tokens="0.3T", replicas=6, uncertainty=True)
        half = planned.uncertainty.loc["as_given", "finish_s.p50"]
        self.assertEqual(half, planned.data["uncertainty"]["finish_s"]["p50"])
        self.assertNotEqual(half, planned.variants.loc["as_given", "finish_s.p50"])
        unit = {"days": 86400, "h": 3600}
        found = re.search(r"half of the runs finish 300B tokens within ([\d.]+) (days|h)", planned.text.replace("\n", " "))
        self.assertIsNotNone(found, planned.text)
        self.assertAlmostEqual(half / unit[found[2]], float(found[1]), delta=0.0501)
        self.assertEqual(planned.tables["uncertainty.metrics"].loc["ettr", "mean"], planned.data["uncertainty"]["metrics"]["ettr"]["mean"])
        factor = planned.parameters.loc["job.step_time_factor"]
        self.assertEqual(str(factor["low"]), next(each["low"] for each in planned.data["uncertainty"]["parameters"]
                                                  if each["path"] == "job.step_time_factor"))
        self.assertTrue(0 <= factor["ci95_low"] <= factor["share"] <= factor["ci95_high"] <= 1)

        scaled = gauntlet.scale("tiny-8", gpus=[64, 128], replicas=5)
        self.assertEqual(list(scaled.table["gpus"]), [64, 128])
        self.assertEqual(len(scaled.metrics), 2 * len(scaled.metrics.loc[0]))

        step = gauntlet.step("megascale-175b-12288")
        self.assertGreater(step.step_time_s, 1)
        # Its parts add up, "exposed_communication" apart: that is the sum of the communication.
        self.assertAlmostEqual(step.breakdown.drop("exposed_communication").sum(), step.step_time_s, places=6)

    def test_one_with_a_directory_goes_to_another_process(self):
        with tempfile.TemporaryDirectory() as folder:
            result = gauntlet.run("tiny-8", replicas=3, out=os.path.join(folder, "out"))
            copy = pickle.loads(pickle.dumps(result))
            self.assertEqual(copy.text, result.text)
            self.assertTrue(copy.replicas.equals(result.replicas))
        with self.assertRaisesRegex(TypeError, "run the study with out="):
            pickle.dumps(gauntlet.run("tiny-8", replicas=1))

    def test_shows_itself(self):
        result = gauntlet.run("tiny-8", replicas=5)
        self.assertIn("effective training time", repr(result))
        self.assertIn("<pre>", result._repr_html_())
        self.assertEqual(str(result), result.text)


class Recordings(unittest.TestCase):
    def test_is_the_file_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = pathlib.Path(folder, "theirs"), pathlib.Path(folder, "ours")
            self.assertEqual(ran("run", "tiny-8", "--replica", "7", "--record", str(theirs)).returncode, 0)
            recording = gauntlet.record("tiny-8", 7)
            recording.save(ours)
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())
            self.assertRaises(gauntlet.InputError, recording.save, ours)
            recording.save(ours, force=True)
            self.assertEqual(gauntlet.read_recording(theirs).story, ran("replay", str(theirs), "--print").stdout)
            again = gauntlet.replay(theirs)
            self.assertEqual(f"{again.observations} observations, {again.orders} orders: identical\n", ran("replay", str(theirs)).stdout)
            self.assertTrue(again.identical and not again.difference)

    def test_frames_have_every_observation_and_order(self):
        recording = gauntlet.record("tiny-8", 7)
        observations, orders = recording.observations, recording.orders
        lines = recording.story.splitlines()
        self.assertEqual(len(observations), sum(not line.startswith(" ") for line in lines))
        self.assertEqual(list(orders["kind"]), [line.strip().partition("{")[0] for line in lines if line.startswith(" ")])
        self.assertEqual(list(observations["kind"].iloc[[0, -1]]), ["Started", "Finished"])
        self.assertEqual(observations["inventory.job_hosts"].iloc[0], 8)
        self.assertTrue(observations["time_ns"].is_monotonic_increasing)
        np.testing.assert_array_equal(orders["time_ns"], observations["time_ns"].iloc[orders["answers"]])
        self.assertEqual(list(orders["order_id"]), sorted(orders["order_id"]))
        # Each order that ended has one outcome.
        self.assertTrue(set(observations.loc[observations["kind"] == "Outcome", "order"]) <= set(orders["order_id"]))

    def test_another_policy_gives_other_orders(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record")
            recording = gauntlet.record("tiny-8", 7)
            recording.save(file)
            recording.scenario = gauntlet.load("tiny-8", set={"detection.timeout": "5min"}).show(comments=False)
            again = recording.replay()
            self.assertFalse(again.identical)
            self.assertIn("recorded:", again.difference)

    def test_refuses_what_is_not_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record")
            for call in (gauntlet.read_recording, gauntlet.replay):
                self.assertRaises(gauntlet.InputError, call, file)
            gauntlet.record("tiny-8").save(file)
            file.write_bytes(file.read_bytes()[:-7])
            with self.assertRaises(gauntlet.InputError) as refused:
                gauntlet.replay(file)
            self.assertEqual(str(refused.exception), ran("replay", str(file)).stderr.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
