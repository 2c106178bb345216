"""Whatever a command says, the options that it names are options that it has, or those of a command that is named before them."""
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest  # noqa: E402

TINY = "scenarios/tiny-8.toml"
SAMPLE = "scenarios/catalog/traces/sample-64-nodes.csv"
FIXED = f"{TINY} --set 'policies.checkpoint=\"fixed\"'"  # so that checkpoint.interval has an effect
FEW = "--threads 1 --seed 5"
STUDIES = {
    "run": f"run {TINY} --replicas 2",
    "sweep": f"sweep {TINY} --vary spares.count=1,2 --replicas 2",
    "compare": f"compare {TINY} --with spares.count=2 --replicas 2",
    "tune": f"tune {FIXED} --over checkpoint.interval --budget 100",
    "plan": f"plan {TINY} --set job.steps=1000 --finish-by 1d --replicas 2",
    "rank": f"rank {TINY} --lever job.start --replicas 5",
    "scale": f"scale {TINY} --gpus 64,128 --replicas 2",
}
# What goes wrong with a scenario, forevery command that takes --set.
WRONG_SETS = ["checkpoint.interval=300", "study.replicas=4000001", "study.uncertain=[{path='no.such'}]", "no.such=1",
              "cluster.network.kind=moebius", "job.window=forever", 'policies.checkpoint="none"', "nonsense"]
TAKES_SETS = {**STUDIES, "check": f"check {TINY}", "show": f"show {TINY}", "topology": f"topology {TINY}", "step": f"step {TINY}", "view": f"view {TINY} --out {{place}}/view.html"}
KNOWN = ("new --gpus 64 --hardware h100 --model llama3-8b --steps 9999 --failures '9 over 30d x 8 hosts' --repair 1d --checkpoint 9s "
         "--restart 5min")
DRILL = "drill scenarios/drill-tiny.toml --hosts 4" + (" --run-as nobody" if os.geteuid() == 0 else "")
# Arguments that are wrong.
WRONG = [
    "", "fly", "run", "run none.toml", f"run {TINY} {TINY}", f"run {TINY} --replicas 0", f"run {TINY} --record x",
    f"sweep {TINY} --vary spares.count=1,2 --points 3",
    f"sweep {TINY} --vary spares.count=1,2 --precision ettr",
    f"sweep {TINY} --vary spares.count=1,2 --budget 1", f"sweep {TINY} --vary spares.count=1,2 --budget x",
    f"sweep {TINY} --vary spares.count=1,2 --set spares.count=3", f"sweep {TINY} --vary x", f"sweep {TINY} --vary no.such=1,2",
    f"sweep {TINY} --vary spares.count=1,2 --precision beauty=1", f"sweep {TINY}",
    f"compare {TINY}", f"compare {TINY} {TINY} --with spares.count=1", f"compare {TINY} --with x",
    f"tune {TINY} --over policies.checkpoint", f"tune {TINY} --over x", f"tune {FIXED} --over checkpoint.interval --maximize beauty",
    f"tune {FIXED} --over checkpoint.interval --minimize cost", f"tune {FIXED} --over checkpoint.interval --subject-to x",
    f"tune {FIXED} --over checkpoint.interval --subject-to 'ettr<1<2'", f"tune {FIXED} --over checkpoint.interval --budget 3",
    f"plan {TINY} --finish-by 1d", f"plan {TINY} --finish-by x", f"plan {TINY} --finish-by 1d --tokens x",
    f"plan {TINY} --finish-by 1d --confidence 90", f"plan {TINY} --finish-by 1d --confidence 90%",
    f"plan {TINY} --finish-by 1d --confidence x", f"plan {TINY} --finish-by 2027-01-20", f"plan {TINY} --start 2027-02-30",
    f"plan {TINY} --start 2027-01-15 --finish-by 2027-01-14",
    f"plan {TINY} --start 2027-01-15 --finish-by 2027-02-30", f"plan {TINY} --percentile 100", f"plan {TINY} --tokens 1T --percentile x",
    f"rank {TINY} --lever x", f"rank {TINY} --separate 0", f"scale {TINY} --gpus x",
    f"step {TINY} --degrade x", f"step {TINY} --degrade host:99.slow=2", f"step {TINY} --ecmp hashed --network closed-form",
    f"step {TINY} --beside host:1-host:1 --network max-min", f"step {TINY} --beside x", f"step {TINY} --storm x",
    f"step {TINY} --trace {{foreign}}", f"step {TINY} --trace {{place}}", f"step {TINY} --trace t --heatmap t",
    f"step {TINY} --degrade tor:1.degrade=2 --network closed-form", "topology none", "view none", "view {foreign}", "view {place}", f"view {TINY} --out {{foreign}}", f"view {TINY} --incident 9999", "validate", "validate step --data none.csv",
    "validate policies --only no-such-thing", f"trace fit {SAMPLE} --system none", f"trace fit {SAMPLE} --cause none",
    f"trace fit {SAMPLE} --from x", f"trace fit {SAMPLE} --until 1900-01-01", f"trace fit {SAMPLE} --nodes 2",
    f"trace fit {SAMPLE} --from 2030-01-01", f"trace fit {SAMPLE} --from 2030-01-01 --until 2020-01-01",
    f"trace fit {SAMPLE} --out {{foreign}}.toml", f"trace import {SAMPLE} --out x.csv", f"trace import {SAMPLE} --from 2030-01-01 --out {{place}}/t.toml",
    "trace fit {foreign}", "trace import none.csv --out {place}/t.toml", "trace", "replay none", "replay {foreign}", "replay {place}",
    "drill none --hosts 4", "drill scenarios/drill-tiny.toml --hosts 1", "drill scenarios/tiny-8.toml --hosts 9",
    "drill scenarios/drill-tiny.toml --hosts 4 --set checkpoint.interval=300", "drill scenarios/drill-tiny.toml --hosts 4 --set no.such=1",
    "agent --host 0 --directory none --trainer none", "agent --host 0 --directory none --trainer none --abandoned-after x",
    "new", "new --gpus 64 --model llama3-8b", "new --step-time 5s --tokens 2T", f"{KNOWN} --step-time 5s", f"{KNOWN} --tp 3",
    f"{KNOWN.replace('64', '60')}", f"{KNOWN} --out {{foreign}}.toml", f"{KNOWN} --out {{foreign}}.toml --force",
    f"{KNOWN} --out {{place}}/x.txt", f"{KNOWN} --mix rsc-2 --gpu-hour 2",
    "list nothing", "check none.toml", "show none.toml", "results none", "results {foreign}", "results {done} --sql nonsense",
    "results {done} --csv --json", "segments none", "segments {foreign}", "segments {place}", "segments none --first-step 2 --last-step 1",
]
# Commands whose answers name options too.
ANSWERS = [f"run {TINY} --replicas 5 {FEW} --set job.give_up_after=1min", f"sweep {TINY} --vary spares.count=1,2 --budget 4 {FEW}",
           f"tune {FIXED} --over checkpoint.interval --budget 100 {FEW}", f"trace fit {SAMPLE}", f"topology {TINY}", f"step {TINY}",
           KNOWN, f"{KNOWN} --out {{place}}/new.toml", f"{KNOWN.replace('--model llama3-8b', '--step-time 5s')}",
           f"plan {TINY} --set job.steps=100000 --finish-by 1d --replicas 2 {FEW}", "results {done}", "results {part}"]


def options_of(*command):
    text = subprocess.run([GAUNTLET, *command, "--help"], capture_output=True, text=True, timeout=SECONDS_MAX, check=True).stdout
    return set(re.findall(r"--[a-z][a-z-]*", text.split("Examples:")[0]))


def commands():
    text = subprocess.run([GAUNTLET, "--help"], capture_output=True, text=True, timeout=SECONDS_MAX, check=True).stdout
    return set(re.findall(r"(?m)^  ([a-z]+) ", text.split("Subcommands:")[1].split("Examples:")[0]))


class Advice(StudyTest):
    known = {}
    commands = commands()

    def setUp(self):
        super().setUp()
        foreign = self.place / "foreign"
        for name in (foreign, self.place / "foreign.toml"):
            name.write_text("somebody's words\n")
        self.gauntlet(f"{STUDIES['run']} {FEW} --out {self.place}/done", 0)
        self.names = {"place": self.place, "foreign": foreign, "done": self.place / "done", "part": self.place / "unfinished"}
        self.unfinished(self.names["part"])

    def unfinished(self, out):
        shutil.copytree(self.place / "done", f"{out}.part")
        for path in pathlib.Path(f"{out}.part").iterdir():
            if path.name != "results.sqlite":
                path.unlink()

    def gauntlet(self, line, code=None):
        words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
        done = subprocess.run([GAUNTLET, *words], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        if code is not None:
            self.assertEqual(done.returncode, code, f"gauntlet {line}\n{done.stdout}{done.stderr}")
        return words, done

    def options(self, words):
        """Of the command that is named: `trace fit` and `validate step` are two words."""
        command = tuple(words[:2] if words[:1] and words[0] in ("trace", "validate") else words[:1])
        if len(command) == 2 and command[1].startswith("-"):
            command = command[:1]
        if command not in self.known:
            known = subprocess.run([GAUNTLET, *command, "--help"], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
            self.known[command] = options_of(*command) if known.returncode == 0 else options_of()
        return self.known[command]

    def holds(self, line):
        words, done = self.gauntlet(line)
        self.assertIn(done.returncode, (0, 1, 2), f"gauntlet {line}\n{done.stderr}")
        own = self.options(words)
        given = {word.split("=")[0] for word in words}  # a word of the user's that is refused
        said_all = done.stdout + done.stderr
        if of := re.search(r"(?m)^Reproduce with: gauntlet ([a-z]+)", said_all):  # a report, printed again
            own = own | self.options([of[1]])
        for said in said_all.splitlines():
            # A command in the text brings its own options, up to the end of the line; `step --ecmp` names it without the program.
            named = [match for match in re.finditer(r"\bgauntlet ([a-z]+(?: [a-z]+)?)|\b(step) (?=--ecmp)", said)
                     if (match[1] or match[2]).split()[0] in self.commands]
            for option in re.finditer(r"(?<![\w-])--[a-z][a-z-]*", said):
                before = [match for match in named if match.start() < option.start()]
                known = self.options((before[-1][1] or before[-1][2]).split()) if before else own
                self.assertTrue(option[0] in known or option[0] in given or option[0] == "--help",
                                f"`gauntlet {line}` names {option[0]}, which it does not have:\n{said}")
        return done

    def test_a_rule_that_can_fail(self):
        self.holds(f"compare {TINY}")
        self.known[("compare",)] = options_of("compare") - {"--with"}
        self.addCleanup(self.known.clear)
        with self.assertRaises(AssertionError):
            self.holds(f"compare {TINY}")

    def test_wrong_arguments(self):
        for line in WRONG:
            with self.subTest(line):
                done = self.holds(line.format(**self.names))
                self.assertNotEqual(done.returncode, 0)

    def test_answers(self):
        for line in ANSWERS:
            with self.subTest(line):
                self.holds(line.format(**self.names))

    def test_wrong_scenarios(self):
        for command, line in TAKES_SETS.items():
            for wrong in WRONG_SETS:
                with self.subTest(command, set=wrong):
                    # One that does not run these replicas, or has no such key for its purpose, may well accept it.
                    self.holds(f'{line} --set {wrong}{" " + FEW if command in STUDIES else ""}')

    def test_places_for_results_that_are_taken(self):
        for command, line in {**STUDIES, "drill": DRILL}.items():
            there = self.place / f"{command}-there"
            shutil.copytree(self.names["done"], there)
            stranger = self.place / f"{command}-stranger"
            stranger.mkdir()
            (stranger / "notes.txt").write_text("mine\n")
            self.unfinished(self.place / f"{command}-unfinished")
            damaged = self.place / f"{command}-damaged"
            self.unfinished(damaged)
            pathlib.Path(f"{damaged}.part/results.sqlite").write_text("no database")
            other = self.place / f"{command}-other"
            self.unfinished(other)
            store = sqlite3.connect(f"{other}.part/results.sqlite")
            store.execute("UPDATE study SET format = 99")
            store.commit()
            store.close()
            for place in (there, stranger, self.place / f"{command}-unfinished", damaged, other, self.place / "no/such/place",
                          "/proc/results"):
                for more in ("", " --resume", " --force") if command != "drill" else ("",):
                    if more == " --force" and place in (there, self.place / f"{command}-unfinished", damaged, other):
                        continue
                    with self.subTest(command, place=str(place), more=more):
                        done = self.holds(f"{line} --out {place}{more} {FEW if command in STUDIES else ''}")
                        if command == "drill":
                            self.assertEqual(done.returncode, 2, done.stderr)
                            self.assertIn("choose another --out", done.stderr)

    def test_damaged_results(self):
        for name in ("result.json", "report.txt", "results.sqlite", "replicas.csv"):
            for damage in ("missing", "other"):
                results = self.place / f"{name}-{damage}"
                shutil.copytree(self.names["done"], results)
                if damage == "missing":
                    (results / name).unlink()
                else:
                    (results / name).write_text("something else\n")
                for how in ("", " --check", " --json", " --csv"):
                    with self.subTest(name, damage=damage, how=how):
                        self.holds(f"results {results}{how}")

    def test_a_percentage_is_named_as_a_share(self):
        for text, share in (("90", "0.9"), ("90%", "0.9"), ("99.9", "0.999")):
            _, done = self.gauntlet(f"plan {TINY} --finish-by 1d --confidence {text}", 2)
            self.assertIn(f"{text} is not a share of runs between 0.5 and 0.999; write --confidence {share}\n", done.stderr)
        for text in ("0.3", "1", "200", "-1"):
            _, done = self.gauntlet(f"plan {TINY} --finish-by 1d --confidence={text}", 2)
            self.assertNotIn("write --confidence", done.stderr)

    def test_check_takes_the_settings_that_run_takes(self):
        self.gauntlet(f"check {TINY} --set spares.count=4", 0)
        _, done = self.gauntlet(f"check {TINY} --set checkpoint.interval=300", 2)
        self.assertIn("--set", done.stderr)


if __name__ == "__main__":
    unittest.main()
