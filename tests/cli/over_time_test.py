"""gauntlet run --over-time: what each replica did in equal parts of its wall time, against replicas.csv and result.json."""
import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, wait_until  # noqa: E402

PHASES = ("effective", "slowdown", "recomputing", "checkpoint_stall", "undetected", "diagnosing", "waiting_for_spare", "restarting",
          "planned")
HOUR = 3600 * 10**9
TINY = ("run", "tiny-8", "--replicas", "6")


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class OverTime(StudyTest):
    def gauntlet(self, *words, code=0):
        done = subprocess.run([GAUNTLET, *map(str, words)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        self.assertEqual(done.returncode, code, f"gauntlet {' '.join(map(str, words))}\n{done.stderr}")
        return done

    def run_to(self, name, *words, code=0):
        self.gauntlet(*words, "--quiet", "--out", self.place / name, code=code)
        return self.place / name

    def adds_up(self, out, hours):
        """The rows of each replica follow each other and add up to it, and each row is full."""
        replicas = {row["replica"]: row for row in rows_of(out / "replicas.csv")}
        rows = rows_of(out / "over-time.csv")
        self.assertEqual(list(replicas), list(dict.fromkeys(row["replica"] for row in rows)), "every replica, in their order")
        for number, replica in replicas.items():
            own = [row for row in rows if row["replica"] == number]
            wall = int(replica["wall_ns"])
            self.assertEqual(len(own), math.ceil(Fraction(wall, hours * HOUR)))
            for i, row in enumerate(own):
                self.assertEqual((int(row["bucket"]), int(row["start_ns"])), (i, i * hours * HOUR))
                self.assertEqual(int(row["end_ns"]), min((i + 1) * hours * HOUR, wall))
                length = int(row["end_ns"]) - int(row["start_ns"])
                self.assertEqual(sum(int(row[phase + "_ns"]) for phase in PHASES), length)
                self.assertAlmostEqual(float(row["ettr"]), int(row["effective_ns"]) / length, places=12)
            for column in ("steps", *(phase + "_ns" for phase in PHASES)):
                self.assertEqual(sum(int(row[column]) for row in own), int(replica[column]), f"{column} of replica {number}")
        return rows, replicas

    def test_parts_add_up_and_agree_with_the_metrics(self):
        out = self.run_to("out", *TINY, "--over-time", "6h")
        rows, replicas = self.adds_up(out, 6)
        metrics = json.loads((out / "result.json").read_text())["metrics"]
        wall = sum(int(row["wall_ns"]) for row in replicas.values())
        length = [int(row["end_ns"]) - int(row["start_ns"]) for row in rows]
        for name in ("ettr", "mfu"):
            mean = sum(float(row[name]) * part for row, part in zip(rows, length)) / wall
            self.assertAlmostEqual(mean, metrics[name]["mean"], places=12)
        tokens = sum(float(row["tokens"]) for row in rows)
        self.assertAlmostEqual(tokens / (wall / 1e9) / metrics["goodput_tokens_per_s"]["mean"], 1, places=12)
        self.assertGreater(len({row["ettr"] for row in rows}), 1, "ETTR changes over time")
        self.gauntlet("results", out, "--check")
        self.assertNotIn("--over-time", (out / "report.txt").read_text(), "what repeats the report needs no --out")

    def test_the_same_on_threads_with_resume_and_of_one_replica(self):
        out = self.run_to("out", *TINY, "--over-time", "6h", "--threads", 1)
        threads = self.run_to("threads", *TINY, "--over-time", "6h", "--threads", 3)
        self.run_to("resumed", "run", "tiny-8", "--replicas", 2, "--over-time", "12h")
        resumed = self.run_to("resumed", *TINY, "--over-time", "6h", "--resume")
        whole = (out / "over-time.csv").read_bytes()
        self.assertEqual(whole, (threads / "over-time.csv").read_bytes())
        self.assertEqual(whole, (resumed / "over-time.csv").read_bytes())
        for name in ("result.json", "report.txt", "replicas.csv", "manifest.txt"):
            self.assertEqual((out / name).read_bytes(), (resumed / name).read_bytes(), name)
        alone = self.run_to("alone", "run", "tiny-8", "--replica", 4, "--over-time", "6h")
        self.assertEqual(rows_of(alone / "over-time.csv"), [row for row in rows_of(out / "over-time.csv") if row["replica"] == "4"])
        self.gauntlet("results", alone, "--check")
        without = self.run_to("out", *TINY, "--resume")
        self.assertFalse((without / "over-time.csv").exists(), "it is of the study that asks for it")
        self.gauntlet("results", without, "--check")

    def test_runs_of_different_lengths_and_one_part_that_is_longer_than_they_are(self):
        steps = ("run", "tiny-8", "--replicas", "5", "--set", "job.steps=20000", "--set", "job.window=30d")
        out = self.run_to("steps", *steps, "--over-time", "1h")
        _, replicas = self.adds_up(out, 1)
        self.assertGreater(len({row["wall_ns"] for row in replicas.values()}), 1)
        self.gauntlet("results", out, "--check")
        one = self.run_to("one", *steps, "--over-time", "1y")
        rows, _ = self.adds_up(one, 24 * 365)
        self.assertEqual(len(rows), 5)
        self.gauntlet("results", one, "--check")

    def test_what_is_refused(self):
        for value, says in (("6", "has no unit"), ("0s", '--over-time: "0s" is not above zero; write for example --over-time 6h'),
                            ("1ms", "rows, more than 500,000; write --over-time ")):
            done = self.gauntlet(*TINY, "--over-time", value, "--out", self.place / "no", code=2)
            self.assertIn(says, done.stderr)
        self.assertEqual(list(self.place.iterdir()), [])
        self.assertIn("--out", self.gauntlet(*TINY, "--over-time", "6h", code=2).stderr)
        # What it says to write instead is accepted, whatever faults make of the runs.
        short = (*TINY, "--set", "job.window=3d", "--set", "job.planned.times=[]")
        least = re.search(r"write --over-time (\S+) or longer", self.gauntlet(*short, "--over-time", "1s", "--out", self.place / "no", code=2).stderr)
        self.gauntlet(*short, "--over-time", least[1], "--out", self.place / "yes", "--quiet")

    def test_too_many_rows_of_runs_that_took_longer_than_without_faults(self):
        words = ("run", "tiny-8", "--replicas", "2", "--set", "job.steps=20000", "--set", "job.window=200d", "--quiet")
        probe = self.run_to("probe", *words)
        walls = [int(row["wall_ns"]) for row in rows_of(probe / "replicas.csv")]
        out = self.place / "out"
        done = self.gauntlet(*words, "--over-time", f"{sum(walls) // 500_050}ns", "--out", out, code=1)
        self.assertRegex(done.stderr, r"gives 500,0\d\d rows, more than 500,000; write --over-time 1min or longer, or run fewer replicas; "
                                      "the replicas are kept: continue with --resume")
        self.assertFalse(out.exists())
        self.gauntlet(*words, "--over-time", "1min", "--out", out, "--resume")
        self.gauntlet("results", out, "--check")

    def test_damage_is_found(self):
        out = self.run_to("out", *TINY, "--over-time", "6h")
        file = out / "over-time.csv"
        good = file.read_text()
        lines = good.splitlines(keepends=True)
        fields = lines[2].split(",")

        def edited(column, value):
            other = fields.copy()
            other[lines[0].strip().split(",").index(column)] = value
            return "".join([*lines[:2], ",".join(other), *lines[3:]])

        column = {name: fields[i] for i, name in enumerate(lines[0].strip().split(","))}
        for text, says in (
                (edited("ettr", "0.5"), 'over-time.csv:3:1: ettr = "0.5", and it should be '),
                (edited("steps", str(int(column["steps"]) + 1)), "over-time.csv:3:1: mfu"),
                (edited("start_ns", "1"), 'over-time.csv:3:1: start_ns = "1"'),
                (edited("diagnosing_ns", "x"), 'diagnosing_ns = "x" is not a whole number'),
                (edited("diagnosing_ns", str(int(column["diagnosing_ns"]) + 1)), "replica 0 do not add up to diagnosing_ns = "),
                (edited("diagnosing_ns", str(2**63 - 1)), "do not add up to diagnosing_ns = "),
                ("".join(lines[:-1]), "over-time.csv"), (good + lines[-1], "is a row of no replica"), (good[:-4], "cut short"),
                ("", "the columns are not those"), (None, "over-time.csv: is not there; manifest.txt lists it")):
            if text is None:
                file.unlink()
            else:
                file.write_text(text)
            self.assertIn(says, self.gauntlet("results", out, "--check", code=1).stderr)
        file.write_text(good)
        self.gauntlet("results", out, "--check")

    def test_interrupted_while_it_runs_the_replicas_again(self):
        replicas = 300
        words = ("run", "llama3-405b-54d", "--replicas", replicas, "--over-time", "12h", "--threads", "1", "--quiet")
        whole = self.run_to("whole", *words)
        out = self.place / "out"
        process = subprocess.Popen([GAUNTLET, *map(str, words), "--out", str(out)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        wait_until(lambda: stored(out) == replicas, "all replicas are stored: what follows is the second pass", process)
        process.send_signal(signal.SIGINT)
        printed, err = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, 130, err)
        self.assertRegex(printed, r"300 replicas, worth [\d,]+ plain ones, interrupted")
        self.assertIn("interrupted: 300 replicas of 1 point are done; continue with: gauntlet run llama3-405b-54d", err)
        self.assertIn(f"--over-time 12h --out {out} --resume", err)
        self.assertFalse((out / "over-time.csv").exists())
        self.assertTrue(json.loads((out / "result.json").read_text())["interrupted"])
        self.gauntlet(*words, "--out", out, "--resume")
        for name in ("over-time.csv", "result.json", "manifest.txt"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
