"""A rank of the user's own job computes longer than the others: the database of the drill's segments names it.

    GAUNTLET=build/gauntlet python3 tests/drill/segments_test.py
"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

SLOW = 2
JOB = """
import sys, time
sys.path.insert(0, {folder!r})
import gauntlet_rank
rank = gauntlet_rank.Rank()
rank.resumed(0)
for step in range(1, {steps} + 1):
    with rank.step(step):
        with rank.segment("forward"):
            time.sleep(0.04 if rank.number == {slow} else 0.01)
        with rank.segment("backward"):
            time.sleep(0.01)
    if step == {steps} and rank.number == 0:
        rank.loss(step, 1.0)
rank.finished({steps})
"""


class Segments(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place("scenarios/drills/python/marks.toml", 3).__enter__()
        self.addCleanup(self.place.__exit__)
        self.file = self.place.path / "segments.sqlite"

    def drill(self, *more, steps=40, job=JOB):
        program = self.place.path / "job.py"
        program.write_text(job.format(folder=os.path.abspath("real/rank"), steps=steps, slow=SLOW), encoding="ascii")
        return self.place.start("--no-faults", "--set", f'drill.command.arguments=["python3", "{program}"]', "--set", f"job.steps={steps}",
                                "--set", "checkpoint.interval=1s", "--set", "cluster.hosts=3", "--set", "job.layout.dp=3",
                                "--set", "job.global_batch=3", *more)

    def segments(self, *more, code=0):
        done = subprocess.run([drills.GAUNTLET, "segments", str(self.file), *more], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def stored_steps(self):
        """Those of all ranks; the slow one is behind, for these ranks do not wait for each other."""
        if not self.file.exists():
            return 0
        try:
            with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as store:
                return store.execute("SELECT count(*) FROM (SELECT step FROM segment WHERE name = 'forward' GROUP BY run, step "
                                     "HAVING count(*) = 3)").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def wait_for_steps(self, driver):
        """Until ranks train, as the drill's own record of their progress says."""
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not any(b" step 5 " in progress.read_bytes() for progress in self.place.path.glob("gauntlet-drill-*/progress")):
            self.assertIsNone(driver.poll(), "the drill ended before")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_the_slow_rank_is_named(self):
        run = drills.finish(self.drill("--segments", str(self.file)))
        self.assertEqual(run.code, 0, str(run))
        self.assertIn(f"`gauntlet segments {self.file}` names slow ranks\n", run.err)
        found = json.loads(self.segments("--slower", "1", "--json").stdout)
        self.assertEqual([(each["rank"], each["segment"]) for each in found["outliers"]], [(SLOW, "forward")], found)
        self.assertEqual((found["steps"], len(found["ranks"])), (40, 3))
        for rank in found["ranks"]:
            self.assertEqual([(each["segment"], each["steps"]) for each in rank["segments"]], [("backward", 40), ("forward", 40)])
            self.assertGreaterEqual(min(each["mean_s"] for each in rank["segments"]), 0.01)
        text = self.segments("--slower", "1").stdout
        self.assertRegex(text, rf"\ARank {SLOW} on host {SLOW} is slow in forward: \d\.\d\d times its peers, too slow in \d+ of 40 steps\n"
                               r"Too slow is 100% longer than the median of its peers\.\n\n2 segments of 3 ranks over 40 steps\.")
        # The same by a question in SQL, to the tables that the docs describe.
        with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True) as store:
            slowest = store.execute("SELECT rank, avg(took_ns) FROM segment JOIN seat USING (run, rank) WHERE name = 'forward' GROUP BY rank "
                                    "ORDER BY 2 DESC").fetchone()
        self.assertEqual(slowest[0], SLOW)
        self.assertGreaterEqual(slowest[1], 40e6)
        again = drills.finish(self.drill("--segments", str(self.file)))
        self.assertEqual(again.code, 2, str(again))
        self.assertIn(f"{self.file}: exists and is not overwritten; choose another --segments", again.err)

    def rows(self):
        with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as store:
            return set(store.execute("SELECT run, step, name, rank, took_ns FROM segment"))

    def test_the_next_driver_goes_on(self):
        record = self.place.path / "drill.rec"
        words = ("--segments", str(self.file), "--record", str(record))
        driver = self.drill(*words, steps=500)
        deadline = time.monotonic() + drills.SECONDS_MAX
        while self.stored_steps() < 20:
            self.assertIsNone(driver.poll(), "the drill ended before")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        before = self.rows()
        run = drills.finish(self.drill(*words, steps=500))
        self.assertEqual(run.code, 0, str(run))
        self.assertLessEqual(before, self.rows())
        self.assertEqual(min(step for _, step, *_ in before), 1)
        found = json.loads(self.segments("--slower", "1", "--json").stdout)
        self.assertEqual([(each["rank"], each["segment"]) for each in found["outliers"]], [(SLOW, "forward")], found)
        self.assertGreater(found["steps"], len({step for _, step, *_ in before}) + 5)

    def test_segments_may_begin_with_the_next_driver(self):
        """It tells which ranks run, though it did not start them."""
        record = self.place.path / "drill.rec"
        driver = self.drill("--record", str(record), steps=500)
        self.wait_for_steps(driver)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        driver = self.drill("--record", str(record), "--segments", str(self.file), steps=500)
        deadline = time.monotonic() + drills.SECONDS_MAX
        while self.stored_steps() < 20:
            self.assertIsNone(driver.poll(), "the drill ended before")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        found = json.loads(self.segments("--slower", "1", "--json").stdout)
        self.assertEqual([(each["rank"], each["segment"]) for each in found["outliers"]], [(SLOW, "forward")], found)
        driver.send_signal(signal.SIGINT)
        self.assertEqual(drills.finish(driver).code, 130)

    def test_a_topic_without_a_broker_delays_nothing(self):
        """Both options at once; nobody listens at port 1."""
        settings = self.place.path / "kafka.conf"
        settings.write_text("topic=segments\nbootstrap.servers=127.0.0.1:1\nmessage.timeout.ms=100\n", encoding="ascii")
        run = drills.finish(self.drill("--segments", str(self.file), "--segments-queue", str(settings)))
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("warning: segments do not reach the topic segments: ", run.err)
        self.assertIn("warning: 240 of 240 segments were not acknowledged by the topic segments: ", run.err)
        self.assertEqual(len(self.rows()), 240)
        self.file.unlink()
        settings.write_text("topic=segments\n", encoding="ascii")
        run = drills.finish(self.drill("--segments", str(self.file), "--segments-queue", str(settings)))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("names no broker; write bootstrap.servers=HOST:PORT", run.err)
        self.assertFalse(self.file.exists())

    def test_a_job_with_too_many_names_is_told(self):
        job = JOB.replace('rank.segment("forward")', 'rank.segment(f"forward-{{step}}")')
        self.assertNotEqual(job, JOB)
        run = drills.finish(self.drill("--segments", str(self.file), steps=100, job=job))
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.err.count(" is left out: a job has 64 names of segments at most, of 64 bytes at most"), 1, run.err)
        self.assertEqual(len({name for _, _, name, *_ in self.rows()}), 64)

    def test_what_has_no_effect_or_does_not_fit_is_refused(self):
        for *more, why in (("--record", str(self.file), "is a file of --record too"), ("--log", str(self.file), "is a file of --log too"),
                           ("--log", f"{self.file}-wal", f"needs {self.file}-wal, which is a file of --log")):
            run = drills.finish(self.drill("--segments", str(self.file), *more))
            self.assertEqual(run.code, 2, str(run))
            self.assertIn(f"--segments {self.file} {why}; name another file", run.err)
        run = drills.finish(self.drill("--segments", str(self.place.path / "nowhere" / "file")))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("cannot be written: No such file or directory", run.err)
        self.place.scenario, self.place.hosts = "scenarios/drills/python/lines.toml", 2
        run = drills.finish(self.place.start("--no-faults", "--segments", str(self.file)))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("has no effect: the job only prints lines, and no times of segments; leave it out", run.err)
        self.assertFalse(self.file.exists())
        self.assertIn("does not exist; name a file that", self.segments(code=2).stderr)
        self.file.write_text("no database")
        self.assertIn("cannot be read: file is not a database", self.segments(code=2).stderr)
        self.assertIn("--first-step 5 is after --last-step 4; swap them", self.segments("--first-step", "5", "--last-step", "4", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
