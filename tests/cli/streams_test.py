"""Every command with each standard stream closed, full or without a reader.

Standard output is the answer: where it cannot be written the command fails, but a reader that went away is not a failure. What cannot
be said on standard error is not said, and nothing else changes. No command dies of a signal, and no file takes a closed stream's
place."""
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
from studies import wait_until  # noqa: E402

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # a guard against hanging
TINY = "scenarios/tiny-8.toml"
SAMPLE = "scenarios/catalog/traces/sample-64-nodes.csv"
STUDY = ("--replicas", "2", "--threads", "1", "--seed", "5")
STREAMS = ("stdin", "stdout", "stderr")

# Of each command one that answers and one that is refused; the words {out}, {done}, {recording} and {drilled} are paths.
KNOWN = ("--gpus 64 --hardware h100 --model llama3-8b --steps 9999 --failures '9 over 30d x 8 hosts' --repair 1d --checkpoint 9s "
         "--restart 5min")
FIXED = f"{TINY} --set 'policies.checkpoint=\"fixed\"'"  # so that checkpoint.interval has an effect
COMMANDS = {
    "new": [f"new {KNOWN}", f"new {KNOWN} --out {{out}}.toml", "new --gpus 64"],
    "run": [f"run {TINY} {{study}}", "run none.toml", f"run {TINY} --replica 1 --record {{out}}"],
    "sweep": [f"sweep {TINY} --vary spares.count=1,2 {{study}}", f"sweep {TINY} --vary nothing=1,2"],
    "compare": [f"compare {TINY} --with spares.count=2 {{study}}", f"compare {TINY}"],
    "tune": [f"tune {FIXED} --over checkpoint.interval --budget 100 --threads 1", f"tune {TINY} --over nothing"],
    "plan": [f"plan {TINY} --set job.steps=1000 --finish-by 1d {{study}}", f"plan {TINY} --finish-by never"],
    "rank": [f"rank {TINY} --lever spares {{study}}", f"rank {TINY} --lever none"],
    "scale": [f"scale {TINY} --gpus 64,128 {{study}}", f"scale {TINY} --gpus none"],
    "step": [f"step {TINY}", f"step {TINY} --trace {{out}}", f"step {TINY} --page {{out}}.html", f"step {TINY} --degrade none"],
    "timeline": [f"timeline {TINY} --out {{out}}", "timeline {recording} --out {out}", "timeline {drilled} --against-simulation --out {out}",
                 "timeline none --out {out}", f"timeline {TINY}"],
    "topology": [f"topology {TINY}", "topology none.toml"],
    "view": [f"view {TINY} --out {{out}}", "view {recording} --out {out}", "view none"],
    "validate": ["validate step", "validate policies --only nothing", "validate step --data none.csv"],
    "trace": [f"trace fit {SAMPLE}", f"trace import {SAMPLE} --out {{out}}.toml", "trace fit none.csv"],
    "replay": ["replay {recording}", "replay {recording} --print", "replay none"],
    "drill": ["drill scenarios/drill-tiny.toml --hosts 1", "drill none.toml --hosts 1"],
    "segments": ["segments {segments}", "segments {segments} --json", "segments none"],
    "watch": ["watch {done}", "watch none"],
    "calibrate": ["calibrate {drilled} --out {out}.toml", "calibrate none --out {out}.toml"],
    "agent": ["agent --host 0 --directory none --trainer none", "agent --host 0 --directory none --trainer none --abandoned-after x"],
    "ctl": ["ctl status --drill none", "ctl hosts --drill none"],
    "certs": ["certs init {out} --cluster lab", "certs list none"],
    "probe": ["probe --list", "probe --only none", "probe --suite none"],
    "check": [f"check {TINY}", "check {bad}"],
    "show": [f"show {TINY}", "show none.toml"],
    "list": ["list", "list nothing"],
    "explain": ["explain", "explain MTTF", "explain --json", "explain nothing-of-the-kind"],
    "schema": ["schema", "schema too-many"],
    "results": ["results {done} --check", "results {done} --csv", "results {done} --sql 'select 1' --json", "results none"],
}
GENERAL = ["", "--help", "--help-all", "--version", "nothing", "nothing --help"]


def commands_of_help():
    text = subprocess.run([GAUNTLET, "--help"], capture_output=True, text=True, check=True, timeout=SECONDS_MAX).stdout
    return set(re.findall(r"^  ([a-z]+) ", text.split("Subcommands:")[1].split("Examples:")[0], re.M))


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-streams-")
        cls.addClassCleanup(kept.cleanup)
        cls.drilled, cls.segments = pathlib.Path(kept.name) / "drilled", pathlib.Path(kept.name) / "segments"
        as_whom = ["--run-as", "root"] if os.geteuid() == 0 else []
        subprocess.run([GAUNTLET, "drill", "drill-tiny", "--hosts", "4", "--set", "job.steps=20", "--no-faults", *as_whom, "--record", str(cls.drilled),
                        "--segments", str(cls.segments)],
                       check=True, capture_output=True, timeout=SECONDS_MAX)

    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-streams-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)
        self.names = {"study": " ".join(STUDY), "out": self.place / "out", "done": self.place / "done",
                      "recording": self.place / "recording", "drilled": self.drilled, "segments": self.segments, "bad": self.place / "bad.toml"}
        (self.place / "bad.toml").write_text("x = 1\n")
        self.gauntlet("run", TINY, *STUDY, "--out", str(self.names["done"]))
        self.gauntlet("run", TINY, "--replica", "3", "--record", str(self.names["recording"]))

    def gauntlet(self, *words):
        subprocess.run([GAUNTLET, *words], check=True, capture_output=True, timeout=SECONDS_MAX)

    def run_with(self, words, stream=None, how=None):
        """The exit code, and what the other two streams got."""
        for path in self.place.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        ends = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        number, opened = (STREAMS.index(stream), []) if stream else (None, [])
        if how == "full":
            opened = [os.open("/dev/full", os.O_RDWR)]
            ends[stream] = opened[0]
        elif how == "broken":
            reader, writer = os.pipe()
            os.close(reader)
            opened = [writer]
            ends[stream] = writer

        def before():
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as a shell starts a program; Python ignores it
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            if how == "closed":
                os.close(number)

        # A pipe that is closed in the child is one nobody needs.
        if how == "closed":
            ends[stream] = subprocess.DEVNULL
        done = subprocess.run([GAUNTLET, *words], **ends, preexec_fn=before, timeout=SECONDS_MAX, check=False)
        for each in opened:
            os.close(each)
        return done.returncode, done.stdout, done.stderr

    def check(self, line):
        words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line.format(**self.names))]
        code, out, err = self.run_with(words)
        self.assertIn(code, (0, 1, 2), f"{line}\n{err}")
        for stream in STREAMS:
            for how in ("closed", "full", "broken"):
                with self.subTest(f"gauntlet {line}", stream=stream, how=how):
                    got, got_out, got_err = self.run_with(words, stream, how)
                    lost = stream == "stdout" and out and how != "broken"
                    self.assertEqual(got, 1 if lost and code == 0 else code, f"before: {code}\n{got_err}")
                    if lost and code == 0:
                        self.assertIn(b"standard output cannot be written", got_err)
                    if stream != "stdout":
                        self.assertEqual(got_out, out)

    def test_the_table_has_every_command(self):
        self.assertEqual(commands_of_help(), set(COMMANDS))

    def test_every_command(self):
        for lines in COMMANDS.values():
            for line in lines:
                self.check(line)

    def test_help_and_the_version(self):
        for line in GENERAL:
            self.check(line)
        for command in COMMANDS:
            self.assertEqual(self.run_with([command, "--help"], "stdout", "full")[0], 1, command)

    def test_help_of_no_command_is_wrong_input(self):
        for words in (["nosuch", "--help"], ["trace", "nosuch", "--help"], ["nosuch", "--version"]):
            code, out, err = self.run_with(words)
            self.assertEqual((code, out), (2, b""), words)
            self.assertIn(b'there is no command "nosuch"', err)

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        """While a study with files of its own runs, 0, 1 and 2 are the null device; its results are those of one with streams."""
        words = [GAUNTLET, "run", TINY, "--replicas", "100000", "--threads", "1", "--out", str(self.place / "out")]

        def close_all():
            for number in range(3):
                os.close(number)

        process = subprocess.Popen(words, preexec_fn=close_all)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: (self.place / "out.part/results.sqlite").exists(), "there is a store", process)
        self.assertEqual([os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)], ["/dev/null"] * 3)
        process.kill()
        process.wait(timeout=SECONDS_MAX)
        subprocess.run(["rm", "-r", str(self.place / "out.part")], check=True)

        def finish(name, **how):
            out = self.place / name
            subprocess.run([GAUNTLET, "run", TINY, *STUDY, "--out", str(out)], timeout=SECONDS_MAX, check=False, **how)
            return {path.name: path.read_bytes() for path in out.iterdir()}

        with_streams = finish("with", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(finish("without", preexec_fn=close_all), with_streams)


if __name__ == "__main__":
    unittest.main()
