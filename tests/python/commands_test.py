"""Every study from Python gives the bytes of the command: JSON, report and messages.

    PYTHONPATH=build/python GAUNTLET=build/gauntlet /usr/bin/python3 tests/python/commands_test.py
"""

import json
import os
import pathlib
import tempfile
import threading
import unittest

import gauntlet
from command import ROOT, complaint_of, json_of, ran

os.chdir(ROOT)

# (the arguments of the command, the same from Python)
STUDIES = {
    "run": (["run", "tiny-8", "--replicas", "20", "--seed", "3"], lambda: gauntlet.run("tiny-8", replicas=20, seed=3)),
    "run of a file with settings": (
        ["run", "scenarios/every-fault.toml", "--set", "spares.count=3", "--set", "job.window=20d", "--replicas", "4"],
        lambda: gauntlet.run(gauntlet.load("scenarios/every-fault.toml", set={"spares.count": 3, "job.window": "20d"}), replicas=4)),
    "run of one replica": (["run", "tiny-8", "--replica", "7"], lambda: gauntlet.run("tiny-8", replica=7)),
    "compare": (["compare", "tiny-8", "--with", "spares.count=4 detection.hang_timeout=20min", "--with", "detection.timeout=1min", "--replicas", "8"],
                lambda: gauntlet.compare("tiny-8", changes=[{"spares.count": 4, "detection.hang_timeout": "20min"}, {"detection.timeout": "1min"}],
                                         replicas=8)),
    "compare of files": (["compare", "tiny-8", "one-fault", "--replicas", "6"], lambda: gauntlet.compare("tiny-8", "one-fault", replicas=6)),
    "sweep": (["sweep", "tiny-8", "--vary", "spares.count=1,2,4", "--vary", "detection.timeout=15s:1min:log3", "--replicas", "6"],
              lambda: gauntlet.sweep("tiny-8", {"spares.count": [1, 2, 4], "detection.timeout": "15s:1min:log3"}, replicas=6)),
    "sweep to a precision": (["sweep", "one-fault", "--vary", "checkpoint.interval=10min,40min", "--precision", "ettr=0.003"],
                             lambda: gauntlet.sweep("one-fault", "checkpoint.interval=10min,40min", precision={"ettr": 0.003})),
    "tune": (["tune", "one-fault", "--over", "checkpoint.interval=5min:3h", "--budget", "100"],
             lambda: gauntlet.tune("one-fault", {"checkpoint.interval": ("5min", "3h")}, budget=100)),
    "plan": (["plan", "tiny-8", "--tokens", "1T", "--start", "2027-01-15", "--finish-by", "2027-03-31", "--confidence", "0.9", "--replicas", "6"],
             lambda: gauntlet.plan("tiny-8", tokens="1T", start="2027-01-15", finish_by="2027-03-31", confidence=0.9, replicas=6)),
    "plan with uncertainty": (["plan", "tiny-8", "--tokens", "1T", "--replicas", "4", "--percentile", "99", "--percentile", "1", "--uncertainty"],
                              lambda: gauntlet.plan("tiny-8", tokens="1T", replicas=4, percentile=[99, 1], uncertainty=True)),
    "rank": (["rank", "tiny-8", "--lever", "job.start", "--lever", "spares.count", "--separate", "1", "--replicas", "10"],
             lambda: gauntlet.rank("tiny-8", lever=["job.start", "spares.count"], separate=1, replicas=10)),
    "scale": (["scale", "tiny-8", "--gpus", "64,128", "--replicas", "5", "--keep-batch"],
              lambda: gauntlet.scale("tiny-8", gpus=[64, 128], replicas=5, keep_batch=True)),
    "step": (["step", "megascale-175b-12288", "--degrade", "host:17.slow=1.10", "--degrade", "jitter=0.02"],
             lambda: gauntlet.step("megascale-175b-12288", degrade=["host:17.slow=1.10", "jitter=0.02"])),
    "step on flows": (["step", "tiny-8", "--network", "max-min", "--beside", "host:3-host:6"],
                      lambda: gauntlet.step("tiny-8", network="max-min", beside="host:3-host:6")),
    "step in SimGrid": (["step", "tiny-8", "--network", "simgrid"], lambda: gauntlet.step("tiny-8", network="simgrid")),
    "any other command": (["trace", "fit", "scenarios/catalog/traces/sample-64-nodes.csv", "--by-node"],
                          lambda: gauntlet.command("trace fit", "scenarios/catalog/traces/sample-64-nodes.csv", by_node=True)),
    "any command with a scenario": (["scale", "tiny-8", "--set", "spares.count=2", "--gpus", "64,128", "--replicas", "4"],
                                    lambda: gauntlet.command("scale", gauntlet.load("tiny-8", set={"spares.count": 2}), gpus="64,128",
                                                             replicas=4)),
}


def errors_of(call):
    try:
        call()
    except gauntlet.InputError as error:
        return error
    raise AssertionError("nothing was refused")


class Studies(unittest.TestCase):
    def test_the_json_is_that_of_the_command(self):
        for name, (words, study) in STUDIES.items():
            with self.subTest(name):
                self.assertEqual(study().json, json_of(*words))

    def test_the_report_is_that_of_the_command(self):
        for name in ("run", "compare", "sweep", "plan", "rank", "scale", "step"):
            words, study = STUDIES[name]
            with self.subTest(name):
                self.assertEqual(study().text, ran(*words).stdout)

    def test_a_command_without_json_has_its_text(self):
        self.assertEqual(gauntlet.command("topology", "tiny-8").text, ran("topology", "tiny-8").stdout)

    def test_threads_do_not_matter(self):
        one, four = (gauntlet.run("tiny-8", replicas=100, threads=threads) for threads in (1, 4))
        self.assertEqual(one.json, four.json)
        self.assertTrue(one.replicas.equals(four.replicas))

    def test_studies_may_run_at_the_same_time(self):
        words, study = STUDIES["run"]
        wanted = json_of(*words)
        found = []
        several = [threading.Thread(target=lambda: found.append(study().json)) for _ in range(4)]
        for thread in several:
            thread.start()
        for thread in several:
            thread.join()
        self.assertEqual(found, [wanted] * 4)

    def test_variants_are_scenarios_with_other_settings(self):
        s = gauntlet.load("tiny-8", set={"spares.count": 2})
        both = gauntlet.compare(s, s.with_({"spares.count": 4}), replicas=5)
        self.assertEqual(both.json, json_of("compare", "tiny-8", "--set", "spares.count=2", "--with", "spares.count=4", "--replicas", "5"))

    def test_a_scenario_compares_with_itself(self):
        s = gauntlet.load("tiny-8")
        both = gauntlet.compare(s, s, replicas=5)
        self.assertEqual(both.json, json_of("compare", "tiny-8", "tiny-8", "--replicas", "5"))
        self.assertEqual(both.differences.loc[(0, "ettr"), "difference"], 0)

    def test_an_empty_value_is_refused(self):
        for name, study in (("tokens", gauntlet.plan), ("out", gauntlet.run)):
            self.assertEqual(str(errors_of(lambda: study("tiny-8", **{name: ""}, replicas=2))), f'--{name}: "" is not a value; leave it out')

    def test_a_number_alone_is_no_precision(self):
        with self.assertRaisesRegex(TypeError, "0.05 is neither a text, nor several, nor a mapping"):
            gauntlet.run("tiny-8", precision=0.05)
        self.assertEqual(gauntlet.run("tiny-8", precision={"ettr": 0.05}).json, gauntlet.run("tiny-8", precision="5%").json)

    def test_an_exit_code_of_1_is_a_result(self):
        found = gauntlet.plan("tiny-8", tokens="1000T", finish_by="1d", replicas=4)
        self.assertEqual(found.exit_code, ran("plan", "tiny-8", "--tokens", "1000T", "--finish-by", "1d", "--replicas", "4").returncode)
        self.assertEqual(found.exit_code, 1)

    def test_a_directory_is_that_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = pathlib.Path(folder, "ours"), pathlib.Path(folder, "theirs")
            result = gauntlet.run("tiny-8", replicas=5, out=ours, over_time="1d")
            self.assertEqual(ran("run", "tiny-8", "--replicas", "5", "--out", str(theirs), "--over-time", "1d").returncode, 0)
            self.assertEqual(sorted(path.name for path in ours.iterdir()), sorted(path.name for path in theirs.iterdir()))
            for path in theirs.iterdir():
                with self.subTest(path.name):
                    self.assertEqual((ours / path.name).read_bytes(), path.read_bytes())
            self.assertEqual(len(result.replicas), 5)
            more = gauntlet.run("tiny-8", replicas=9, out=ours, resume=True)
            self.assertEqual(more.json, json_of("run", "tiny-8", "--replicas", "9"))
            self.assertEqual(len(more.replicas), 9)
            refused = errors_of(lambda: gauntlet.run("tiny-8", replicas=5, out=ours))
            self.assertEqual(str(refused).splitlines(), complaint_of("run", "tiny-8", "--replicas", "5", "--out", str(ours)))

    def test_nothing_reaches_the_streams(self):
        with tempfile.TemporaryFile() as caught:
            streams = [os.dup(1), os.dup(2)]
            try:
                os.dup2(caught.fileno(), 1)
                os.dup2(caught.fileno(), 2)
                gauntlet.run("tiny-8", replicas=2)
                errors_of(lambda: gauntlet.load("tiny-8", set={"spares.count": -1}))
            finally:
                for stream, kept in zip((1, 2), streams):
                    os.dup2(kept, stream)
                    os.close(kept)
            caught.seek(0)
            self.assertEqual(caught.read(), b"")


class Mistakes(unittest.TestCase):
    def same(self, call, *words):
        error = errors_of(call)
        self.assertEqual(str(error).splitlines(), complaint_of(*words))
        return error

    def test_a_scenario_with_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "wrong.toml")
            file.write_text('extends = "tiny-8"\n[spares]\ncount = "many"\n[checkpoint]\nintervall = "10min"\n')
            for call, name in ((lambda: gauntlet.load(file), "check"), (lambda: gauntlet.run(file), "run")):
                error = self.same(call, name, str(file))
                self.assertIsInstance(error, gauntlet.ScenarioError)
                self.assertEqual([problem.line for problem in error.problems], [3, 5])
                self.assertTrue(all(problem.file == str(file) for problem in error.problems))
                self.assertTrue(error.problems[1].suggestion.startswith('did you mean "interval"?'))
            self.assertEqual(gauntlet.check(file), error.problems)
        self.assertEqual(gauntlet.check("tiny-8"), ())

    def test_a_scenario_that_is_not_there(self):
        self.same(lambda: gauntlet.load("tiny-9"), "check", "tiny-9")
        self.same(lambda: gauntlet.load(""), "check", "")

    def test_a_setting_that_is_wrong(self):
        self.same(lambda: gauntlet.load("tiny-8", set={"spares.count": -1, "chekpoint.interval": "5min"}),
                  "check", "tiny-8", "--set", "spares.count=-1", "--set", "chekpoint.interval=5min")
        self.same(lambda: gauntlet.load("tiny-8").with_({"checkpoint.interval": 300}), "check", "tiny-8", "--set", "checkpoint.interval=300")

    def test_options_that_are_wrong(self):
        for keywords, words in (
                ({"replicas": 0}, ["--replicas=0"]), ({"replicas": -3}, ["--replicas=-3"]), ({"replicas": "many"}, ["--replicas=many"]),
                ({"replicas": 1.5}, ["--replicas=1.5"]), ({"replicas": 10**30}, [f"--replicas={10**30}"]), ({"seed": -1}, ["--seed=-1"]),
                ({"seed": 2**63}, [f"--seed={2**63}"]), ({"threads": 0}, ["--threads=0"]), ({"replica": 1, "replicas": 2},
                                                                                            ["--replica=1", "--replicas=2"]),
                ({"record": "x"}, ["--record=x"]), ({"resume": True}, ["--resume"])):
            with self.subTest(keywords=keywords):
                self.same(lambda: gauntlet.run("tiny-8", **keywords), "run", "tiny-8", *words)

    def test_questions_that_are_wrong(self):
        self.same(lambda: gauntlet.sweep("tiny-8", {"spares.cuont": [1, 2]}), "sweep", "tiny-8", "--vary", "spares.cuont=1,2")
        self.same(lambda: gauntlet.sweep("tiny-8", {"spares.count": [1, 2]}, precision={"etr": 0.1}),
                  "sweep", "tiny-8", "--vary", "spares.count=1,2", "--precision", "etr=0.1")
        self.same(lambda: gauntlet.tune("tiny-8", "checkpoint.interval"), "tune", "tiny-8", "--over", "checkpoint.interval")
        self.same(lambda: gauntlet.plan("tiny-8", tokens="many"), "plan", "tiny-8", "--tokens", "many")
        self.same(lambda: gauntlet.step("tiny-8", degrade="host:99.slow=2"), "step", "tiny-8", "--degrade", "host:99.slow=2")
        self.same(lambda: gauntlet.compare("tiny-8"), "compare", "tiny-8")

    def test_what_python_alone_can_get_wrong(self):
        s = gauntlet.load("tiny-8")
        for wrong in (lambda: gauntlet.load(5), lambda: gauntlet.load("tiny-8", set={"spares.count": object()}),
                      lambda: gauntlet.load("tiny-8", set={3: 4}), lambda: gauntlet.run(None), lambda: gauntlet.run(s, progress=7),
                      lambda: gauntlet.run(s, replicas=object()), lambda: gauntlet.run(s, number=3), lambda: gauntlet.load(b"tiny-8"),
                      lambda: gauntlet.record(s, "seven")):
            self.assertRaises(TypeError, wrong)
        for wrong in (lambda: gauntlet.load("tiny-8\0"), lambda: gauntlet.load("tiny-8", set={"spares.count": "1\0"}),
                      lambda: gauntlet.run(s, out="a\0b"), lambda: gauntlet.record(s, -1), lambda: gauntlet.record(s, seed=2**64),
                      lambda: gauntlet.listing("things"), lambda: gauntlet.compare(s.with_({"spares.count": 2}), s)):
            self.assertRaises(ValueError, wrong)
        self.assertRaises(KeyError, lambda: s["spares.cuont"])

    def test_a_file_that_cannot_be_written_is_an_error_with_its_result(self):
        with tempfile.TemporaryDirectory() as folder:
            where = pathlib.Path(folder, "no", "such", "folder")
            refused = errors_of(lambda: gauntlet.run("tiny-8", replicas=2, out=where))
            self.assertEqual(str(refused).splitlines(), complaint_of("run", "tiny-8", "--replicas", "2", "--out", str(where)))


class Scenarios(unittest.TestCase):
    def test_is_shown_as_by_the_command(self):
        s = gauntlet.load("tiny-8", set={"spares.count": 4, "policies.detect": ["heartbeat"]})
        self.assertEqual(s.show(), ran("show", "tiny-8", "--set", "spares.count=4", "--set", 'policies.detect=["heartbeat"]').stdout)
        self.assertEqual(s["policies.detect"], ["heartbeat"])

    def test_changes_make_another_one(self):
        s = gauntlet.load("tiny-8")
        other = s.with_({"spares.count": 4}).with_({"detection.timeout": "1min", "spares.count": 6})
        self.assertEqual((s["spares.count"], other["spares.count"], other["detection.timeout"]), (1, 6, "1min"))
        self.assertEqual(other.sets, ["detection.timeout=1min", "spares.count=6"])
        self.assertEqual((s.origin("spares.count").partition(":")[0], other.origin("spares.count")), ("scenarios/tiny-8.toml", "--set"))
        self.assertIn("spares.count", s)
        self.assertNotIn("spares.cuont", s)

    def test_lists_what_the_command_lists(self):
        for kind in ("scenarios", "fault-models", "faults", "distributions", "policies", "detectors", "signals", "lines", "probes",
                     "hardware", "models", "metrics"):
            names = [line.split()[0] for line in ran("list", kind).stdout.splitlines() if line[:3].strip()]
            self.assertEqual(list(gauntlet.listing(kind)["name"]), names, kind)

    def test_the_schema_is_that_of_the_command(self):
        self.assertEqual(json.loads(gauntlet.schema()), json.loads(ran("schema").stdout))


if __name__ == "__main__":
    unittest.main()
