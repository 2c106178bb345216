"""gauntlet timeline: the traces of replicas and drills, read strictly and compared with what other commands say of the same run."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import trace_reader  # noqa: E402

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
TINY = "scenarios/tiny-8.toml"
SECONDS_MAX = 120  # a guard against hanging
PHASES = ("effective", "slowdown", "recomputing", "checkpoint_stall", "undetected", "diagnosing", "waiting_for_spare", "restarting",
          "planned")
# What a scenario with every kind of decision needs; each has other policies, tiers, spares or ends.
SCENARIOS = (
    (TINY, ()),
    ("slow-hosts", ()),
    ("every-fault", ()),
    (TINY, ("--set", "spares.count=0", "--set", "recovery.wait_for_spare=10min")),
    (TINY, ("--set", "checkpoint.memory_interval=1min", "--set", "checkpoint.interval=10min", "--set", "policies.checkpoint=fixed")),
    (TINY, ("--set", "job.steps=1000")),
)


def gauntlet(*words, **how):
    return subprocess.run([GAUNTLET, *map(str, words)], text=True, capture_output=True, timeout=SECONDS_MAX, check=False, **how)


class TimelineTest(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="gauntlet-timeline-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.file = self.place / "trace.json"

    def must(self, *words):
        done = gauntlet(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def trace(self, *words):
        self.must("timeline", *words, "--out", self.file)
        return trace_reader.read(self.file)

    def recording(self, *words, name="run.rec"):
        self.must("run", *words, "--record", self.place / name, "--force", "--quiet")
        return self.place / name

    def refused(self, *words, code=2):
        done = gauntlet("timeline", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr


def story(file):
    """What `gauntlet replay --print` says: [(observation, [order, ...]), ...]."""
    out = []
    for line in gauntlet("replay", file, "--print").stdout.splitlines():
        if line.startswith(" "):
            out[-1][1].append(line.strip())
        else:
            out.append((line, []))
    return out


class Replica(TimelineTest):
    def check_run(self, scenario, sets, replica):
        """The trace of a replica against its result, its phases in replicas.csv and its recording."""
        words = (scenario, *sets, "--replica", replica, "--seed", 5)
        out = self.place / f"out-{replica}"
        result = json.loads(self.must("run", *words, "--json", "--quiet", "--record", self.place / "run.rec", "--force", "--out", out,
                                      "--force").stdout)
        trace = self.trace(*words)
        self.check_phases(trace, result, out)
        self.check_incidents(trace, out)
        self.check_record(trace, story(self.place / "run.rec"))
        self.check_faults(trace, result)
        return trace

    def check_phases(self, trace, result, out):
        """The spans follow each other without a gap, and their sums are those of the score, but for roundings of a step."""
        spans = trace.of("phase")
        self.assertEqual({trace.track_name(each) for each in spans}, {"phases"})
        self.assertEqual(spans[0].begin, 0)
        for one, after in zip(spans, spans[1:]):
            self.assertEqual(one.end, after.begin)
        sums = collections.Counter()
        for each in spans:
            sums[each.name] += each.end - each.begin
        header, row = (line.split(",") for line in (out / "replicas.csv").read_text().splitlines()[:2])
        values = dict(zip(header, row))
        for phase in PHASES:
            self.assertAlmostEqual(sums[phase], int(values[f"{phase}_ns"]), delta=len(spans), msg=phase)
        self.assertEqual(sum(sums.values()), sum(int(values[f"{phase}_ns"]) for phase in PHASES))
        self.assertAlmostEqual(sums["effective"] / spans[-1].end, result["metrics"]["ettr"]["mean"], places=9)

    def check_incidents(self, trace, out):
        lines = (out / "incidents.csv").read_text().splitlines()
        header, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
        wanted = [(int(row[header.index("opened_ns")]), int(row[header.index("closed_ns")])) for row in rows]
        self.assertEqual([(each.begin, each.end) for each in trace.of("incident")], wanted)

    def check_record(self, trace, told):
        """Every order once, in the order of the record, with an arrow from the observation that it answers and to its outcome."""
        orders = sorted(trace.of("order"), key=lambda each: each.arguments["order_id"])
        self.assertEqual([each.arguments["order_id"] for each in orders], list(range(1, 1 + sum(len(answers) for _, answers in told))))
        kinds = [re.match(r"\w+", line)[0] for _, answers in told for line in answers]
        self.assertEqual([each.arguments["kind"] for each in orders], kinds)
        answered = collections.Counter(each.end.arguments["order_id"] for each in trace.leading("answer"))
        self.assertEqual(answered, collections.Counter(range(1, 1 + len(orders))))
        seen = collections.Counter(re.match(r"\w+", line)[0] for line, _ in told)
        drawn = collections.Counter(each.arguments["kind"] for each in trace.of("observation") + trace.of("outcome"))
        for together in trace.of("observations"):
            drawn["Seen"] += together.arguments["count"]
        self.assertEqual(drawn, seen)
        outcomes = {each.begin.arguments["order_id"]: each.end for each in trace.leading("outcome")}
        self.assertEqual(len(outcomes), seen["Outcome"])
        for number, outcome in outcomes.items():
            self.assertEqual(outcome.arguments["order"], number)
            self.assertEqual(orders[number - 1].end, outcome.begin)
        by_order = {each.end.arguments["order_id"]: each.begin for each in trace.leading("answer")}
        number = 0
        for line, given in told:
            for _ in given:
                number += 1
                self.assertEqual(by_order[number].arguments["kind"], re.match(r"\w+", line)[0])

    def check_faults(self, trace, result):
        """Each onset on the job's hosts is one slice; arrows from faults lead forward to what was seen."""
        met = collections.Counter(each.arguments["fault"] for each in trace.of("fault") if each.arguments["on_job"])
        counted = {name.removeprefix("faults."): value["mean"] for name, value in result["metrics"].items()
                   if re.fullmatch(r"faults\.[^.]+", name)}
        self.assertEqual({name: met[name] for name in counted}, counted)
        for each in trace.of("fault"):
            self.assertTrue(trace.track_name(each).startswith("fault: " + each.arguments["fault"]))
        for name in ("first answered observation after it", "first observation that names its host"):
            arrows = trace.leading(name)
            self.assertEqual(len({each.begin.place for each in arrows}), len(arrows), "a fault has one of each")
            for each in arrows:
                self.assertEqual(each.begin.category, "fault")
                self.assertIn(each.end.category, ("observation",))
                self.assertLessEqual(each.begin.begin, each.end.begin)

    def test_the_trace_says_what_other_commands_say(self):
        for scenario, sets in SCENARIOS:
            for replica in (0, 3):
                with self.subTest(scenario, sets=sets, replica=replica):
                    self.check_run(scenario, sets, replica)

    def test_a_stop_has_its_chain(self):
        """Fault -> observation -> stop -> outcome -> probe: the arrows of one interruption follow each other."""
        trace = self.trace(TINY, "--replica", 3)
        into = {each.end.place: each for each in trace.arrows}
        evictions = [each for each in trace.of("order") if each.arguments["kind"] == "Evict"]
        self.assertTrue(evictions)
        for eviction in evictions:
            kinds, at = [], eviction
            while at.place in into:
                at = into[at.place].begin
                kinds.append(at.category)
            self.assertEqual(kinds[-1], "fault", kinds)
            self.assertIn("outcome", kinds)

    def test_hosts_leave_and_join(self):
        trace = self.trace(TINY, "--replica", 3)
        states = collections.defaultdict(list)
        for each in trace.of("host"):
            states[trace.track_name(each)].append(each)
        for name, slices in states.items():
            self.assertTrue(name.startswith("host "))
            for one, after in zip(slices, slices[1:]):
                self.assertEqual(one.end, after.begin)
                self.assertNotEqual(one.name, after.name)
        gone = {each.arguments["host"] for each in trace.of("order") if each.arguments["kind"] == "Evict"}
        for host in gone:
            self.assertIn("in repair", {each.name for each in states[f"host {host}"]})
        self.assertEqual(len(trace.of("repair")), len([each for each in trace.of("order") if each.arguments["kind"] == "Evict"]))
        in_repair = [value for _, value in trace.counters[1, "hosts in repair"]]
        self.assertEqual(max(in_repair), max(self.open_at(trace.of("repair"))))
        steps = [value for _, value in trace.counters[1, "steps completed"]]
        self.assertEqual(max(steps), json.loads(self.must("run", TINY, "--replica", 3, "--json").stdout)["metrics"]["steps"]["mean"])

    @staticmethod
    def open_at(slices):
        return [sum(1 for other in slices if other.begin <= each.begin < other.end) for each in slices]

    def test_many_checkpoints_are_few_slices(self):
        """A job with a checkpoint every few seconds for months: the file stays small, and no checkpoint is lost."""
        sets = ("--set", "policies.checkpoint=fixed", "--set", "checkpoint.interval=10s", "--set", "job.window=60d")
        done = self.must("timeline", TINY, *sets, "--out", self.file)
        told = int(re.search(r"([\d,]+) checkpoints", done.stdout)[1].replace(",", ""))
        trace = trace_reader.read(self.file)
        self.assertGreater(told, 100_000)
        drawn = [each for each in trace.of("checkpoint") if "cut short" not in each.name]
        self.assertEqual(sum(each.arguments["count"] for each in drawn), told)
        self.assertLess(len(trace.of("checkpoint")), 5_000 + 2 * len(trace.of("order")))
        self.assertLess(self.file.stat().st_size, 20_000_000)

    def test_a_main_scenario_stays_small(self):
        self.trace("llama3-405b-54d", "--replica", 3)
        self.assertLess(self.file.stat().st_size, 12_000_000)

    def test_the_same_run_gives_the_same_bytes(self):
        file = self.recording(TINY, "--replica", 3)
        self.trace(TINY, "--replica", 3)
        first = self.file.read_bytes()
        self.trace(file)
        self.assertEqual(self.file.read_bytes(), first, "a recording has all of its run")

    def test_names_are_escaped(self):
        scenario = self.place / "x.toml"
        scenario.write_text(f'extends = "{pathlib.Path(TINY).resolve()}"\nname = "<script>alert(1)</script> & \\"it\\""\n')
        done = gauntlet("timeline", scenario, "--out", self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = trace_reader.read(self.file)
        self.assertTrue(trace.processes[1].startswith('<script>alert(1)</script> & "it"'), trace.processes)


class Recordings(TimelineTest):
    def test_a_recording_that_is_cut_short(self):
        """What is there is drawn; the message says what is missing. A file without a run is refused, and nothing is written."""
        whole = self.recording(TINY, "--replica", 3).read_bytes()
        cut = self.place / "cut.rec"
        drawn = 0
        for length in (0, 5, 18, 40, 1000, len(whole) // 2, len(whole) - 1000, len(whole) - 1):
            cut.write_bytes(whole[:length])
            done = gauntlet("timeline", cut, "--out", self.file)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn(str(cut), done.stderr)
            self.assertEqual(self.file.exists(), done.returncode == 1, done.stderr)
            if done.returncode == 1:
                drawn += 1
                self.assertIn("no faults, phases, incidents, checkpoints and steps", done.stderr)
                trace = trace_reader.read(self.file)
                self.assertFalse(trace.of("phase"))
                self.assertTrue(trace.of("order"))
                self.file.unlink()
        self.assertGreater(drawn, 1)

    def test_a_damaged_recording_is_refused_or_drawn_up_to_there(self):
        whole = self.recording(TINY, "--replica", 3).read_bytes()
        for at in (0, 20, 3000, len(whole) - 3000, len(whole) - 10):
            broken = bytearray(whole)
            broken[at] ^= 0x55
            (self.place / "broken.rec").write_bytes(broken)
            done = gauntlet("timeline", self.place / "broken.rec", "--out", self.file)
            self.assertIn(done.returncode, (1, 2), f"byte {at}: {done.stdout}")
            self.assertRegex(done.stderr, "damaged|truncated|not a recording|no scenario|problem")

    def test_what_is_not_there(self):
        self.assertIn("none.rec", self.refused("none.rec", "--out", self.file))
        empty = self.place / "empty"
        empty.mkdir()
        self.assertIn("is missing: only results of `gauntlet drill --out DIR` hold a recording", self.refused(empty, "--out", self.file))
        self.assertIn("is missing", self.refused("scenarios", "--out", self.file))
        (empty / "drills").mkdir()
        self.assertIn("is missing: that drill is not in the directory", self.refused(empty, "--drill", 7, "--out", self.file))
        self.assertFalse(self.file.exists())

    def test_options_that_have_no_effect_are_refused(self):
        file = self.recording(TINY, "--replica", 1)
        for words in (["--replica", 2], ["--seed", 2], ["--set", "spares.count=2"], ["--drill", 1]):
            self.assertIn(words[0], self.refused(file, *words, "--out", self.file))
        self.assertIn("recording of a simulation", self.refused(file, "--against-simulation", "--out", self.file))
        self.assertIn("--against-simulation", self.refused(TINY, "--against-simulation", "--out", self.file))
        self.assertIn("--drill", self.refused(TINY, "--drill", 1, "--out", self.file))
        self.assertIn("--replica", self.refused(TINY, "--replica", "x", "--out", self.file))
        self.assertIn("--out", self.refused(TINY))
        self.assertFalse(self.file.exists())


class Output(TimelineTest):
    def test_files_that_cannot_be_written(self):
        for path, why in ((self.place, "is a directory"), ("/dev/full", "is not a regular file"),
                          (self.place / "none" / "t.json", "there is no directory")):
            self.assertIn(why, self.refused(TINY, "--out", path))
        self.file.write_text("mine")
        self.assertIn("is not a timeline of gauntlet's", self.refused(TINY, "--out", self.file))
        self.assertEqual(self.file.read_text(), "mine")

    def test_an_earlier_timeline_is_replaced(self):
        self.trace(TINY, "--replica", 1)
        before = self.file.read_bytes()
        self.trace(TINY, "--replica", 2)
        self.assertNotEqual(self.file.read_bytes(), before)
        self.assertEqual(os.listdir(self.place), ["trace.json"])

    def test_a_disk_that_is_full_leaves_nothing(self):
        def small_files():
            import resource  # noqa: PLC0415
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        done = subprocess.run([GAUNTLET, "timeline", TINY, "--out", str(self.file)], text=True, capture_output=True, preexec_fn=small_files,
                              timeout=SECONDS_MAX, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot be written", done.stderr)
        self.assertEqual(os.listdir(self.place), [])


class Reader(unittest.TestCase):
    """The reader refuses what Perfetto drops: a test of the trace that cannot fail is none."""

    HEAD = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 11, "args": {"name": "t"}}]

    @staticmethod
    def slice(begin, length, tid=11):
        return {"ph": "X", "ts": begin, "dur": length, "name": "x", "cat": "c", "pid": 1, "tid": tid}

    @staticmethod
    def arrow(kind, at, number=1):
        return {"ph": kind, "id": number, "ts": at, "name": "a", "cat": "arrow", "pid": 1, "tid": 11, **({"bp": "e"} if kind == "f" else {})}

    def read(self, *events, head=None):
        return trace_reader.Trace(json.dumps({"otherData": {}, "displayTimeUnit": "ms", "traceEvents": [*(head or self.HEAD), *events]}))

    def test_good_ones(self):
        self.read(self.slice(0, 5), self.slice(1, 2), self.slice(5, 0), self.slice(5, 1))
        trace = self.read(self.slice(0, 5), self.arrow("s", 0), self.slice(5, 1), self.arrow("f", 5))
        self.assertEqual([(each.begin.begin, each.end.begin) for each in trace.arrows], [(0, 5000)])

    def test_bad_ones(self):
        arrow, part = self.arrow, self.slice
        for events in ([part(0, 5), part(1, 5)], [part(2, 1), part(1, 1)], [part(0, 1, tid=12)], [part(-1, 1)], [part(0, 0.0001)],
                       [part(0, 5), arrow("s", 0)], [part(0, 5), arrow("f", 0)], [part(0, 5), arrow("s", 0), arrow("f", 7)],
                       [part(0, 5), arrow("s", 0), arrow("s", 0)], [part(0, 5), arrow("s", 0), arrow("f", 1), arrow("f", 1)],
                       [part(0, 5), arrow("s", 9), arrow("f", 9)],
                       [part(0, 0)] * 513,
                       [part(0, 9), {"ph": "i", "s": "t", "ts": 1, "name": "n", "cat": "c", "pid": 1, "tid": 11}, arrow("s", 1), arrow("f", 1)],
                       [{"ph": "C", "ts": 0, "name": "n", "cat": "count", "pid": 1, "args": {"value": "many"}}],
                       [{**part(0, 1), "name": "<b>"}], [{**part(0, 1), "more": 1}], [{"ph": "Z", "ts": 0, "name": "z"}]):
            with self.assertRaises(trace_reader.Wrong, msg=events):
                self.read(*events)
        for number in (1, 11):  # of the process, of another track
            more = [{**self.HEAD[0], "pid": 2}, {**self.HEAD[1], "pid": 2, "tid": number}]
            with self.assertRaises(trace_reader.Wrong):
                self.read(head=[*self.HEAD, *more])
        with self.assertRaises(trace_reader.Wrong):
            trace_reader.Trace('{"otherData":{},"displayTimeUnit":"ms","traceEvents":[NaN]}')


if __name__ == "__main__":
    unittest.main()
