"""gauntlet segments --trace: times that a test plants, read back by a strict reader of the format.

    GAUNTLET=build/gauntlet python3 tests/cli/segments_trace_test.py
"""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import trace_reader  # noqa: E402

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
MS = 1_000_000
STEPS, PERIOD = 6, 100 * MS
RANKS = [(pp, dp) for pp in range(2) for dp in range(2)]  # by rank
SLOW = 1                                                  # reports each step last in both of its groups
PARTS = {"backward": 40 * MS, "forward": 20 * MS}


class SegmentsTrace(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-segments-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)
        self.file = self.place / "segments.sqlite"
        with sqlite3.connect(self.file) as store:
            store.executescript(
                "CREATE TABLE drill (format INTEGER, scenario TEXT, seed INTEGER);"
                "CREATE TABLE seat (run INTEGER, rank INTEGER, host INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, tp INTEGER, PRIMARY KEY (run, rank));"
                "CREATE TABLE segment (run INTEGER, step INTEGER, name TEXT, rank INTEGER, took_ns INTEGER, reported_ns INTEGER,"
                " PRIMARY KEY (run, step, name, rank));"
                "INSERT INTO drill VALUES (1, '<planted>', 7);")
            store.executemany("INSERT INTO seat VALUES (1, ?, ?, ?, ?, 0, 0)", [(rank, rank, pp, dp) for rank, (pp, dp) in enumerate(RANKS)])
            store.executemany("INSERT INTO segment VALUES (1, ?, ?, ?, ?, ?)",
                              [(step, name, rank, took, step * PERIOD + (5 * MS if rank == SLOW else 0))
                               for step in range(1, STEPS + 1) for name, took in PARTS.items() for rank in range(len(RANKS))])

    def run_segments(self, *words, code=0):
        done = subprocess.run([GAUNTLET, "segments", str(self.file), *map(str, words)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def trace(self, *words):
        out = self.place / "trace.json"
        self.run_segments("--trace", out, *words)
        return trace_reader.Trace(out.read_text())

    def test_each_rank_has_its_parts_up_to_when_it_reported_them(self):
        trace = self.trace("--first-step", 1)
        self.assertEqual(len(trace.slices), STEPS * len(RANKS) * len(PARTS))
        self.assertEqual(sorted(trace.processes.values()), ["pp group of dp 0, cp 0, tp 0", "pp group of dp 1, cp 0, tp 0"])
        begin = PERIOD - sum(PARTS.values())  # of the first step of those that are not slow
        for each in trace.slices:
            rank = int(trace.tracks[each.process, each.track].split()[1])
            self.assertEqual(each.end - each.begin, PARTS[each.name])
            reported = each.arguments["step"] * PERIOD + (5 * MS if rank == SLOW else 0) - begin
            self.assertEqual(each.end, reported if each.name == "forward" else reported - PARTS["forward"])

    def test_an_arrow_leads_from_the_member_that_reported_last(self):
        for by, others in (("dp", {0}), ("pp", {3})):
            with self.subTest(by=by):
                trace = self.trace("--first-step", 1, "--by", by)
                rank_of = {number: int(name.split()[1]) for (_, number), name in trace.tracks.items()}
                of_slow = [arrow for arrow in trace.arrows if rank_of[arrow.begin.track] == SLOW]
                self.assertEqual({rank_of[arrow.end.track] for arrow in of_slow}, others)
                self.assertEqual(len(of_slow), STEPS - 1)
                for arrow in of_slow:
                    self.assertEqual(arrow.end.arguments["step"], arrow.begin.arguments["step"] + 1)
                self.assertFalse([arrow for arrow in trace.arrows if rank_of[arrow.end.track] == SLOW])

    def test_without_a_first_step_it_has_the_last_three(self):
        self.assertEqual({each.arguments["step"] for each in self.trace().slices}, {4, 5, 6})
        self.assertEqual({each.arguments["step"] for each in self.trace("--last-step", 4).slices}, {2, 3, 4})

    def test_parts_that_overlap_are_cut_off_where_the_step_before_was_reported(self):
        with sqlite3.connect(self.file) as store:
            store.execute("UPDATE segment SET took_ns = ? WHERE name = 'backward' AND rank = 0", (500 * MS,))
        trace = self.trace("--first-step", 1)  # the reader refuses slices that overlap in part
        longest = max(each.end - each.begin for each in trace.slices if each.arguments["step"] > 1)
        self.assertEqual(longest, PERIOD - PARTS["forward"])

    def test_what_is_refused(self):
        mine = self.place / "mine.json"
        mine.write_text("{}")
        self.assertIn("is not overwritten", self.run_segments("--trace", mine, code=2).stderr)
        self.assertEqual(mine.read_text(), "{}")
        self.assertIn("--by", self.run_segments("--trace", self.place / "t", "--by", "rank", code=2).stderr)
        for same in (self.place / "same", self.place / ".." / self.place.name / "same"):
            self.assertIn("is the file of --page too", self.run_segments("--page", self.place / "same", "--trace", same, code=2).stderr)
        for suffix in ("-journal", "-wal", "-shm"):
            self.assertIn("is where SQLite keeps the log of", self.run_segments("--page", f"{self.file}{suffix}", code=2).stderr)
        self.assertIn("holds no segment of these steps", self.run_segments("--first-step", STEPS + 1, "--trace", self.place / "none", code=2).stderr)
        self.assertEqual(sorted(each.name for each in self.place.iterdir()), ["mine.json", "segments.sqlite"])
        self.assertIn("there is no directory", self.run_segments("--trace", self.place / "none/t", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
