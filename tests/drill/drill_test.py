"""Real processes, real faults: every one detected and recovered, nothing lost, nothing left, and as simulated."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import trace_reader  # noqa: E402


class Drill(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)

    def check_nothing_left(self):
        self.assertEqual(self.place.processes(), {})
        self.assertEqual([p.name for p in self.place.path.iterdir() if p.name.startswith("gauntlet-drill-")], [])

    def test_four_faults_are_recovered_as_simulated_and_nothing_is_lost(self):
        record = self.place.path / "drill.rec"
        out = self.place.path / "out"
        run = self.place.run("--against-simulation", "--record", str(record), "--out", str(out))
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (4, 4), str(run))
        self.assertIn("The sequences are the same", run.out, str(run))
        self.check_nothing_left()
        hosts = re.findall(r"^gauntlet: host (\d) is \S+ at \S+: \d+ cores?, .*$", run.err, re.M)
        self.assertEqual(hosts, ["0", "1", "2", "3"], str(run))

        metrics = json.loads((out / "result.json").read_text())["metrics"]
        self.assertEqual(metrics["interruptions"]["mean"], 4, str(run))
        self.assertEqual(metrics["false_alarms"]["mean"], 0, str(run))
        incidents = (out / "incidents.csv").read_text().splitlines()
        self.assertEqual(len(incidents), 1 + 4, "\n".join(incidents))
        check = subprocess.run([drills.GAUNTLET, "results", str(out), "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)

        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place))

        replay = subprocess.run([drills.GAUNTLET, "replay", str(record)], capture_output=True, text=True)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
        self.assertIn("identical", replay.stdout)
        self.check_timeline(record, out)

    def check_timeline(self, record, out):
        """Of the recording and of the results: drill and simulation one below the other, with the same tracks but for lanes."""
        self.assertEqual((out / "drill.rec").read_bytes(), record.read_bytes())
        files = [self.place.path / name for name in ("recording.json", "results.json")]
        for source, file in zip((record, out), files):
            done = subprocess.run([drills.GAUNTLET, "timeline", str(source), "--against-simulation", "--out", str(file)], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())
        trace = trace_reader.read(files[0])
        self.assertEqual(list(trace.processes.values()), ["drill-tiny, seed 1 (drill)", "drill-tiny, seed 1 (simulated)"])
        header, row = (line.split(",") for line in (out / "replicas.csv").read_text().splitlines())
        spans = trace.of("phase", 1)
        for name, value in zip(header, row):
            if (phase := name.removesuffix("_ns")) in {each.name for each in spans}:
                self.assertAlmostEqual(sum(each.end - each.begin for each in spans if each.name == phase), int(value), delta=len(spans), msg=phase)
        for process in trace.processes:
            self.assertEqual(len(trace.of("fault", process)), 4)
            self.assertEqual(len(trace.of("incident", process)), 4)
            self.assertEqual(len(trace.leading("first answered observation after it", process)), 4)
            self.assertGreater(len(trace.of("checkpoint", process)), 4)
        orders = [[each.arguments["kind"] for each in sorted(trace.of("order", process), key=lambda each: each.arguments["order_id"])]
                  for process in trace.processes]
        self.assertEqual(orders[0], orders[1], "both worlds decide the same")

    def wait_for(self, what, holds):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not holds():
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.05)

    def steps_done(self):
        """The newest step that any rank reported to the driver."""
        newest = 0
        for progress in self.place.path.glob("gauntlet-drill-*/progress"):
            found = re.findall(r" step (\d+) ", progress.read_text(errors="replace"))
            newest = max([newest, *map(int, found)])
        return newest

    def test_a_driver_that_dies_is_taken_over_from(self):
        record = self.place.path / "drill.rec"
        short = ("--record", str(record), "--set", "job.steps=120")
        first = self.place.start(*short)
        self.wait_for("step 45", lambda: self.steps_done() >= 45)  # after the first fault, before the second
        first.kill()
        first.communicate()
        other = self.place.run(*short, "--no-faults")
        self.assertEqual(other.code, 1, str(other))
        self.assertIn("was started with 4 planned faults; leave out --no-faults", other.err)
        second = self.place.run(*short)
        self.assertEqual(second.code, 0, str(second))
        self.check_nothing_left()
        self.assertEqual(second.final_hash, drills.undisturbed_hash(self.place, "--set", "job.steps=120"))
        replay = subprocess.run([drills.GAUNTLET, "replay", str(record)], capture_output=True, text=True)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)

    def test_an_agent_that_dies_takes_its_ranks_along_and_the_job_recovers(self):
        quiet = ("--no-faults", "--set", "job.steps=80")
        run = self.place.start(*quiet)
        self.wait_for("step 20", lambda: self.steps_done() >= 20)
        agent = self.place.agents()["2"]
        ranks = [pid for pid in map(int, self.children(agent)) if not (drills.is_watchdog(pid) or drills.is_checkpointer(pid))]
        self.assertEqual(len(ranks), 1)
        os.kill(agent, signal.SIGKILL)
        self.wait_for("the rank's end", lambda: not self.alive(ranks[0]))
        done = drills.finish(run)
        self.assertEqual(done.code, 0, str(done))
        self.check_nothing_left()
        self.assertEqual(done.final_hash, drills.undisturbed_hash(self.place, "--set", "job.steps=80"))

    def test_a_drill_that_is_interrupted_without_a_record_leaves_nothing(self):
        run = self.place.start("--no-faults")
        self.wait_for("step 5", lambda: self.steps_done() >= 5)
        run.send_signal(signal.SIGINT)
        done = drills.finish(run)
        self.assertEqual(done.code, 128 + signal.SIGINT, str(done))
        self.assertIn("interrupted before the end", done.err)
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(list(self.place.path.iterdir()), [])

    def test_a_drill_that_is_interrupted_with_a_record_goes_on_with_the_same_command(self):
        record = self.place.path / "drill.rec"
        out = self.place.path / "out"
        same = ("--no-faults", "--record", str(record), "--set", "job.steps=40")
        short = (*same, "--out", str(out))
        run = self.place.start(*short)
        self.wait_for("step 5", lambda: self.steps_done() >= 5)

        # While the first one still runs, with its results or its record:
        second = self.place.run(*short)
        self.assertEqual(second.code, 2, str(second))
        self.assertIn("out.part: is being written by another program", second.err)
        third = self.place.run(*same, "--out", str(self.place.path / "other"))
        self.assertEqual(third.code, 1, str(third))
        self.assertIn("another driver runs this drill", third.err)
        self.assertIsNone(run.poll(), "the first one goes on")

        run.send_signal(signal.SIGINT)
        done = drills.finish(run)
        self.assertEqual(done.code, 128 + signal.SIGINT, str(done))
        self.assertIn(f"the same command continues from {record}", done.err)
        self.assertEqual(self.place.processes(), {})
        kept = sorted(p.name[:15] for p in self.place.path.iterdir())
        self.assertEqual(kept, ["drill.rec", "drill.rec.state", "gauntlet-drill-"])

        resumed = self.place.run(*short)
        self.assertEqual(resumed.code, 0, str(resumed))
        self.check_nothing_left()
        self.assertEqual(resumed.final_hash, drills.undisturbed_hash(self.place, "--set", "job.steps=40"))

    def test_a_damaged_checkpoint_is_reported(self):
        """The newest one, of a job that is then started again: here because the agent of a host dies."""
        out = self.place.path / "out"
        quick = ("--set", "job.steps=40", "--set", "job.step_time=100ms", "--set", "checkpoint.interval=500ms")
        run = self.place.start("--no-faults", *quick, "--out", str(out))
        wanted = "gauntlet-drill-*/checkpoints/gauntlet-step-*/manifest"
        self.wait_for("two checkpoints", lambda: len(list(self.place.path.glob(wanted))) >= 2)
        agent = self.place.agents()["2"]
        os.kill(agent, signal.SIGKILL)  # nothing is saved from here on
        self.wait_for("the agent's end", lambda: not self.alive(agent))
        newest = max(self.place.path.glob(wanted), key=lambda path: int(path.parent.name.rsplit("-", 1)[1]))
        with open(newest.with_name("rank-0.shard"), "r+b") as shard:
            shard.write(b"torn")
        done = drills.finish(run)
        self.assertEqual(done.code, 0, str(done))
        said = f"warning: the checkpoint of step {newest.parent.name.rsplit('-', 1)[1]} is damaged and is set aside"
        self.assertIn("gauntlet: " + said, done.err)
        self.assertIn("\nCheckpoints\n  " + said, done.out)
        self.assertIn("  " + said, (out / "report.txt").read_text())

    @staticmethod
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
            return listed.read().split()

    @staticmethod
    def alive(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()
