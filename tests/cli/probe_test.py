"""gauntlet probe: what it says of this machine is true of any machine, and of programs that a test brings along.

    GAUNTLET=build/gauntlet python3 tests/cli/probe_test.py
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import jsonschema

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # a guard against hanging
VERDICTS = {"pass", "unsupported", "unjudged", "inconclusive", "degraded", "fail"}
CODES = {"pass": 0, "degraded": 4, "fail": 4, "inconclusive": 3}


def probe_table(name, arguments, more=""):
    return f'[probes.{name}]\ntime = "1s"\n{more}\n[probes.{name}.command]\narguments = {json.dumps(arguments)}\n'


class Probe(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-probe-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)

    def run_probe(self, *words, code=None):
        done = subprocess.run([GAUNTLET, "probe", *words], capture_output=True, text=True, check=False, timeout=SECONDS_MAX)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def suite(self, text):
        file = self.place / "suite.toml"
        file.write_text(text)
        return "--suite", str(file)

    def test_without_a_job_nothing_is_said_of_it(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            where = f"127.0.0.1:{free.getsockname()[1]}"  # bound, and nobody listens
            done = self.run_probe("--suite", "full", "--only", "nccl_job", "--nccl-ras", where, code=3)
        self.assertIn(f"nccl_job: no job with NCCL 2.24 or later answers at {where}", done.stdout)
        self.assertIn("--nccl-ras 28028 is not a host and a port", self.run_probe("--nccl-ras", "28028", code=2).stderr)

    def test_it_judges_this_machine(self):
        names = "cpu_cores,memory_patterns,disk_space,disk_read,link_errors,clock,kernel_log,configuration"
        done = self.run_probe("--directory", str(self.place), "--json", "--only", names)
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, CODES[answer["verdict"]], answer)
        self.assertEqual(list(self.place.iterdir()), [], "a probe left a file")
        self.assertEqual(",".join(report["probe"] for report in answer["probes"]), names)
        for report in answer["probes"]:
            with self.subTest(report["probe"]):
                self.assertIn(report["verdict"], VERDICTS)
                if report["verdict"] != "pass":
                    self.assertTrue(report["why"])
                if report["verdict"] == "unsupported":
                    self.assertIsNone(report["metric"])
                if report["metric"]:
                    self.assertLessEqual(report["metric"]["low"], report["metric"]["median"])
                    self.assertLessEqual(report["metric"]["median"], report["metric"]["high"])
        patterns = next(report for report in answer["probes"] if report["probe"] == "memory_patterns")
        if patterns["verdict"] != "unsupported":  # a machine without memory to spare
            self.assertEqual((patterns["verdict"], patterns["metric"]["high"]), ("pass", 0))

    def test_its_json_is_what_the_schema_says(self):
        schema = json.loads(pathlib.Path("real/probes/suite/report.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        done = self.run_probe("--suite", "full", "--directory", str(self.place), "--json", "--only", "cpu_cores,disk_space,tcp_loss,clock,configuration")
        report = json.loads(done.stdout)
        jsonschema.validate(report, schema)
        bad = self.run_probe(*self.suite(probe_table("bad", ["false"])), "--json", code=4)
        jsonschema.validate(json.loads(bad.stdout), schema)
        self.assertEqual(set(schema["$defs"]["probe"]["properties"]), set(report["probes"][0]), "a key without a description")
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**report, "verdict": "unsupported"}, schema)

    def test_neighbours_know_each_other_by_a_secret(self):
        secret = self.place / "secret"
        pair = ("--suite", "full", "--only", "tcp_loss", "--pair", "127.0.0.1:7")
        self.assertIn("--secret-file is missing", self.run_probe(*pair, code=2).stderr)
        secret.write_text("0123456789abcdef" * 2)
        secret.chmod(0o644)
        self.assertIn("can be read by others than its owner", self.run_probe(*pair, "--secret-file", str(secret), code=2).stderr)
        secret.chmod(0o600)
        self.assertIn("is not a host and a port", self.run_probe("--pair", "node", "--secret-file", str(secret), code=2).stderr)
        self.assertIn("cannot listen", self.run_probe("--serve", "192.0.2.1:1", "--secret-file", str(secret), code=2).stderr)
        listening = subprocess.Popen([GAUNTLET, "probe", "--serve", "127.0.0.1:0", "--secret-file", str(secret)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(listening.wait)
        self.addCleanup(listening.kill)
        port = listening.stdout.readline().split(";")[0].rsplit(":", 1)[1]
        done = self.run_probe(*pair[:-1], f"127.0.0.1:{port}", "--secret-file", str(secret), code=0)
        self.assertIn("with 127.0.0.1", done.stdout)
        secret.write_text("fedcba9876543210" * 2)
        self.assertIn("has another secret", self.run_probe(*pair[:-1], f"127.0.0.1:{port}", "--secret-file", str(secret), code=3).stdout)
        listening.send_signal(signal.SIGINT)
        self.assertEqual(listening.wait(SECONDS_MAX), 130)
        listening.stdout.close()

    def test_each_verdict_has_its_exit_code(self):
        good = probe_table("good", ["true"])
        self.assertIn("passes 1 of 1 probes", self.run_probe(*self.suite(good), code=0).stdout)
        done = self.run_probe(*self.suite(good + probe_table("bad", ["false"])), code=4)
        self.assertIn("fails bad", done.stdout.splitlines()[0])
        self.assertIn("bad: false ended with 1", done.stdout)
        done = self.run_probe(*self.suite(probe_table("none", ["no-such-program"])), code=3)
        self.assertIn("none: no-such-program cannot be started: No such file or directory", done.stdout)
        self.run_probe(*self.suite(good + probe_table("none", ["no-such-program"])), code=0)
        rate = probe_table("rate", ["echo", "rate 7"]) + "metric = 'rate ([0-9]+)'\nunit = \"GB/s\"\n"
        done = self.run_probe(*self.suite(rate), code=3)
        self.assertIn("give probes.rate.threshold.at_least, in GB/s", done.stdout)
        done = self.run_probe(*self.suite(good + rate), code=0)
        self.assertIn("passes 1 of 2 probes; 1 unjudged, 0 unsupported", done.stdout)
        self.run_probe(*self.suite(rate), "--set", "probes.rate.threshold.at_least=7", code=0)
        done = self.run_probe(*self.suite(rate), "--set", "probes.rate.threshold.at_least=8", code=4)
        self.assertIn("threshold: at_least: --set", done.stdout)
        self.run_probe(*self.suite(rate), "--set", "probes.rate.threshold={at_least=8,breach='degraded'}", code=4)

    def test_an_answer_that_cannot_be_written_is_not_a_verdict(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([GAUNTLET, "probe", *self.suite(probe_table("good", ["true"]))], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_what_is_wrong_is_said(self):
        self.assertIn('did you mean "good"', self.run_probe(*self.suite(probe_table("good", ["true"])), "--only", "god", code=2).stderr)
        self.assertIn('--suite quik is neither a suite nor a file; did you mean "quick"?', self.run_probe("--suite", "quik", code=2).stderr)
        self.assertIn("--directory /none is not there", self.run_probe("--only", "disk_fsync", "--directory", "/none", code=2).stderr)

    def test_a_program_that_hangs_fails_the_host(self):
        done = self.run_probe(*self.suite(probe_table("hang", ["sleep", "1000"], 'deadline = "300ms"')), code=4)
        self.assertIn("hang: sleep did not end within 300ms", done.stdout)

    def test_what_a_program_prints_need_not_be_text(self):
        done = self.run_probe(*self.suite(probe_table("binary", ["sh", "-c", "printf 'x\\377y'; exit 1"])), "--json", code=4)
        self.assertIn("it last said: x", json.loads(done.stdout)["probes"][0]["why"])

    def test_an_interrupt_ends_it_and_what_it_started(self):
        pid = self.place / "pid"
        text = probe_table("good", ["true"]) + probe_table("long", ["sh", "-c", f"echo $$ > {pid}; sleep 1000"])
        text += '[diagnosis]\nsuite = ["good", "long"]\n'
        process = subprocess.Popen([GAUNTLET, "probe", *self.suite(text)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + SECONDS_MAX
        while not (pid.exists() and pid.read_text().endswith("\n")) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, 130)
        self.assertIn("good", out)
        self.assertNotIn("long  ", out)
        self.assertFalse(pathlib.Path(f"/proc/{pid.read_text().strip()}/cmdline").exists() and
                         pathlib.Path(f"/proc/{pid.read_text().strip()}/cmdline").read_bytes(), "what it started lives on")

    def test_a_program_leaves_nothing_behind_in_a_session_of_its_own(self):
        pid = self.place / "pid"
        self.run_probe(*self.suite(probe_table("stray", ["sh", "-c", f"setsid sh -c 'echo $$ > {pid}; exec sleep 1000' & "
                                                                      f"while ! test -s {pid}; do sleep 0.01; done"])), code=0)
        self.assertFalse(pathlib.Path(f"/proc/{pid.read_text().strip()}").exists())

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "this machine has a GPU")
    def test_probes_of_a_gpu_that_is_not_there_say_so(self):
        names = re.findall(r"(?m)^ *(gpu_\w+)", self.run_probe("--list", code=0).stdout)
        self.assertGreater(len(names), 20)
        done = self.run_probe("--suite", "full", "--only", ",".join(names), "--json", code=3)
        for report in json.loads(done.stdout)["probes"]:
            with self.subTest(report["probe"]):
                self.assertEqual(report["verdict"], "unsupported", report)
                self.assertRegex(report["why"], "^(CUDA has no device: |Gauntlet was built without CUDA|libnvidia-ml|.*cannot open shared object)")

    def test_its_own_probes_end_with_it(self):
        """Killed in the middle of a probe, it leaves no process and no file."""
        process = subprocess.Popen([GAUNTLET, "probe", "--only", "disk_write,disk_read", "--directory", str(self.place)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + SECONDS_MAX
        found = []
        while process.poll() is None and not found and time.monotonic() < end:
            found = children.read_text().split() if children.exists() else []
        process.kill()
        process.wait()
        while any(pathlib.Path(f"/proc/{child}").exists() for child in found) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual([child for child in found if pathlib.Path(f"/proc/{child}").exists()], [])
        self.assertEqual(list(self.place.iterdir()), [])

    def test_settings_are_compared_with_those_of_peers(self):
        own = self.run_probe("--only", "configuration", "--json", code=3).stdout
        peers = [self.place / f"peer-{number}.json" for number in range(3)]
        for peer in peers:
            peer.write_text(own)
        names = ",".join(map(str, peers))
        self.run_probe("--only", "configuration", "--peers", names, code=0)
        facts = json.loads(own)["probes"][0]["facts"]
        name = next(iter(facts))
        for peer in peers[:2]:
            peer.write_text(own.replace(json.dumps(facts[name]), '"other"'))
        done = self.run_probe("--only", "configuration", "--peers", names, code=4)
        self.assertIn(f"{name} is {facts[name]}, 2 of 3 peers have other", done.stdout)
        peers[0].write_text('{"probes": [{"probe": "a", "facts": {}, "metric": {"median": 1, "low": 2, "high": 3, "n": 1}}]}')
        self.assertIn("is not a report of a host", self.run_probe("--peers", str(peers[0]), code=2).stderr)
        peers[0].write_text("{}")
        self.assertIn("is not a report of a host", self.run_probe("--peers", str(peers[0]), code=2).stderr)
        self.run_probe("--peers", "none.json", code=2)

    def test_a_terminal_obeys_nothing_that_a_program_prints(self):
        done = self.run_probe(*self.suite(probe_table("loud", ["sh", "-c", "printf '\\033[2Jwrong'; exit 1"])), code=4)
        self.assertIn("it last said: ?[2Jwrong", done.stdout)

    def test_the_source_of_a_threshold_is_that_of_its_numbers(self):
        rate = probe_table("rate", ["echo", "rate 7"], "threshold = { at_least = 8, source = 'the manual' }") + "metric = 'rate ([0-9]+)'\n"
        self.assertIn("threshold: the manual", self.run_probe(*self.suite(rate), code=4).stdout)
        changed = self.run_probe(*self.suite(rate), "--set", "probes.rate.threshold.at_least=9", code=4)
        self.assertIn("threshold: the manual; at_least: --set", changed.stdout)
        named = self.run_probe(*self.suite(rate), "--set", "probes.rate.threshold={at_least=9,source='a test'}", code=4)
        self.assertIn("threshold: a test", named.stdout)

    def test_a_metric_is_compared_with_those_of_peers(self):
        text = probe_table("rate", ["echo", "rate 7"], "threshold = { of_peers = 0.75 }") + "metric = 'rate ([0-9]+)'\n"
        suite = self.suite(text)
        peer = self.place / "peer.json"
        peer.write_text(self.run_probe(*suite, "--json", code=3).stdout)
        self.run_probe(*suite, "--peers", str(peer), code=0)
        slower = self.suite(text.replace("rate 7", "rate 5"))
        self.assertIn("is degraded by rate", self.run_probe(*slower, "--peers", str(peer), code=4).stdout)

    def test_counters_are_those_since_the_last_look(self):
        look = self.run_probe("--only", "link_errors", "--json")
        report = json.loads(look.stdout)["probes"][0]
        if report["verdict"] == "unsupported":
            self.skipTest(report["why"])
        before = self.place / "before.json"
        for fact in report["facts"]:
            report["facts"][fact] = "0"  # as after a start of the machine
        before.write_text(json.dumps({"probes": [report]}))
        after = json.loads(self.run_probe("--only", "link_errors", "--since", str(before), "--json").stdout)["probes"][0]
        total = sum(int(value) for name, value in after["facts"].items() if name in report["facts"])
        self.assertEqual(total, sum(part["metric"]["median"] for part in after["parts"]))
        self.assertEqual(after["verdict"], "degraded" if total else "pass")

    def test_its_own_probes_are_listed(self):
        listed = self.run_probe("--list", code=0).stdout
        for name in ("cpu_cores", "memory_bandwidth", "disk_fsync"):
            self.assertIn(f"  {name} ", listed)


if __name__ == "__main__":
    unittest.main()
