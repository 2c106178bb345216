"""gauntlet explain: it knows every label that a report prints, and docs/reference.md is what it prints.

The labels are taken from the reports themselves: headings, headers of tables, and what stands at the beginning of their rows. So
a label that a report begins to print needs an entry in commands/explain/labels.cpp.

    GAUNTLET=build/gauntlet python3 tests/cli/explain_test.py
    GAUNTLET=build/gauntlet python3 tests/cli/explain_test.py --renew   writes docs/reference.md anew
"""
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 300
# The exit code of `gauntlet probe` (cli/probe/command.cpp) for a host that fails a probe: it prints its report all the same.
UNHEALTHY = 4
REFERENCE = pathlib.Path("docs/reference.md")
PRICED = "--set cost.gpu_hour=2USD"
QUESTIONS = "scenarios/questions"

# Reports that together print every label.
REPORTS = [
    f"run tiny-8 --replicas 20 {PRICED}",
    "run tiny-8 --replica 3",
    "run every-fault --replicas 5",
    "run llama3-405b-54d --replicas 5",
    f"run {QUESTIONS}/shared-cluster/shared.toml --replicas 5",
    f"run {QUESTIONS}/no-spare-left/base.toml --replicas 5 --set recovery.wait_for_spare=10min",
    "sweep tiny-8 --vary checkpoint.interval=5min,10min,2h --replicas 5",
    f"sweep tiny-8 --vary spares.count=1,2 --replicas 5 {PRICED}",
    "compare tiny-8 --with spares.count=2 --replicas 20",
    "compare llama3-405b-54d --with checkpoint.interval=5min --replicas 10",
    "compare tiny-8 --set job.steps=100000 --set job.window=30d --with checkpoint.interval=5min --replicas 5",
    "tune tiny-8 --set policies.checkpoint=fixed --over checkpoint.interval --budget 100",
    f"plan tiny-8 --tokens 1T --finish-by 8d --replicas 20 {PRICED}",
    "plan tiny-8 --tokens 1T --finish-by 8d --uncertainty --replicas 2",
    f"rank tiny-8 --replicas 20 {PRICED}",
    "scale rsc1 --gpus 64,128 --replicas 5",
    "step megascale-175b-12288 --degrade host:17.slow=1.10",
    "step tiny-8 --set job.layout.cp=2 --set job.layout.dp=4",
    "trace fit scenarios/catalog/traces/sample-64-nodes.csv",
    "trace import scenarios/catalog/traces/sample-64-nodes.csv --out trace.toml",
    "validate step",
    "validate policies --quick --only 'intervals, C = 5, M = 110'",
    "topology llama3-405b-54d",
    "topology tiny-8",
    "view tiny-8 --out view.html",
    "drill drill-tiny --hosts 4 --set job.steps=20 --no-faults --against-simulation",
    "drill drill-tiny --hosts 4 --dry-run",
    "calibrate run.rec --out measured.toml",
    "probe --only disk_space,disk_inodes --set probes.disk_space.threshold.at_least=100",
]
# What makes the file that a command reads.
BEFORE = {"calibrate run.rec --out measured.toml": "drill drill-tiny --hosts 4 --set job.steps=20 --no-faults --record run.rec"}
# First columns that hold names of the scenario, of records or of checks.
NAMES = {"by cause", "by fault kind", "cause", "system", "row", "stack", "figure", "kind", "distribution", "parameter", "lever", "time", "component", "probe", "key"}
UNITS = {"h", "s", "ms", "us", "min", "days", "GB", "%", "USD", "k USD", "M USD"}
NUMBER = re.compile(r"(<? ?[-+]?[\d.,]+ ?\S*( \+- [\d.,]+)?( to [\d.,]+.*)?|-|unknown|never|\|?#+\|?#*)$")


def cells(line):
    """(begin, text) of what two spaces or more set apart."""
    return [(found.start(), found[0]) for found in re.finditer(r"\S+(?: \S+)*", line)]


def is_header(line):
    found = cells(line)
    return len(found) > 1 and not any(NUMBER.match(text) for _, text in found[1:])


def merged(upper, lower):
    """The cells of a header of two lines, by what stands above what."""
    words = []
    for begin, text in cells(lower):
        above = [word for at, word in cells(upper) if at < begin + len(text) and begin < at + len(word)]
        words.append(" ".join([*above, text]))
    return words


def blocks(report):
    """(line above, indented lines) of each table."""
    above, rows = "", []
    for line in [*report.splitlines(), ""]:
        if line.startswith("  ") and len(cells(line)) > 1:
            rows.append(line)
            continue
        if rows:
            yield above, rows
        rows = []
        if not line.startswith("  "):
            above = "" if line.endswith(".") else line  # the end of a paragraph is not a heading


def labels_of(report):
    """What a report calls its numbers."""
    found = set(re.findall(r"(?m)^(Reproduce with|Try next|Completed work): ", report))
    for above, rows in blocks(report):
        found |= {text for _, text in cells(above)} if above else set()
        first = cells(rows[0])
        if rows[0].startswith(" " * 20) and len(rows) > 1 and is_header(rows[1]):
            header, rows = merged(rows[0], rows[1]), rows[2:]
        elif is_header(rows[0]):
            header, rows = [text for _, text in first], rows[1:]
        else:
            header = []
        found |= set(header)
        names = header and (header[0] in NAMES or "." in header[0])
        if not names:
            found |= {cells(row)[0][1] for row in rows}
    return {label for label in found if label not in UNITS and not NUMBER.match(label)}


def explain(*words):
    return subprocess.run([GAUNTLET, "explain", *words], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


@functools.cache
def explained(label):
    """The names of the entries that explain a label."""
    done = explain("--json", "--", label)
    return [entry["name"] for entry in json.loads(done.stdout) if entry["kind"] == "report label"] or \
        [entry["name"] for entry in json.loads(done.stdout)] if done.returncode == 0 else []


def command(line):
    as_whom = ["--run-as", "root"] if line.startswith("drill ") and os.geteuid() == 0 else []
    return [GAUNTLET, *shlex.split(line), *as_whom]


class Explain(unittest.TestCase):
    def report(self, line):
        with tempfile.TemporaryDirectory(prefix="gauntlet-explain-") as place:
            (pathlib.Path(place) / "scenarios").symlink_to(pathlib.Path("scenarios").absolute())
            if line in BEFORE:
                subprocess.run(command(BEFORE[line]), capture_output=True, timeout=SECONDS_MAX, check=True, cwd=place)
            done = subprocess.run(command(line), capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=place)
        self.assertIn(done.returncode, (0, 1, UNHEALTHY), f"gauntlet {line}\n{done.stderr}")
        self.assertTrue(done.stdout, line)
        return done.stdout

    def test_every_label_of_every_report_is_explained(self):
        seen, printed = set(), ""
        for line in REPORTS:
            with self.subTest(line):
                report = self.report(line)
                unknown = sorted(label for label in labels_of(report) if not explained(label))
                self.assertEqual(unknown, [], f"without an entry in commands/explain/labels.cpp:\n{report}")
                seen |= {name for label in labels_of(report) for name in explained(label)}
                printed += report
        labels = {word["name"] for word in json.loads(explain("--json").stdout) if word["kind"] == "report label"}
        # Some are printed under rare conditions only. Their words must stand in the code of a report all the same.
        code = "".join(path.read_text() for room in ("report", "commands", "cli", "shell") for path in pathlib.Path(room).rglob("*.cpp")
                       if "commands/explain/" not in path.as_posix())
        stale = {label for label in labels - seen if not all(word in printed + code for word in re.findall(r"\w{3,}", label))}
        self.assertEqual(stale, set(), "labels that no report prints")

    def test_a_new_label_is_noticed(self):
        report = "Training     mean\n  ETTR     95.2 %\n  new figure   3.1 h\n\nNew part\n  phase   new column\n  recomputing   2.0\n"
        self.assertEqual(labels_of(report), {"Training", "mean", "ETTR", "new figure", "New part", "phase", "new column", "recomputing"})
        self.assertEqual([label for label in sorted(labels_of(report)) if not explained(label)], ["New part", "new column", "new figure"])

    def test_a_header_of_two_lines(self):
        report = "Detection\n                       reached      wrong\n  by fault kind            job  evictions\n  gpu                      1.0        0.0\n"
        self.assertEqual(labels_of(report), {"Detection", "by fault kind", "reached job", "wrong evictions"})

    def test_the_reference_is_what_is_printed(self):
        self.assertEqual(REFERENCE.read_text(), explain("--reference").stdout, "write it anew: --renew")

    def test_a_key_is_said_with_a_noun(self):
        keys = [word for word in json.loads(explain("--json").stdout) if word["kind"] == "scenario key"]
        self.assertGreater(len(keys), 300)
        for word in keys:
            with self.subTest(word["name"]):
                self.assertNotRegex(word["meaning"], "^(of|by|to|that|until|between|for which|within|see|from|with|after) ")

    def test_words_and_their_forms(self):
        for word, says in {"ETTR": "ETTR (report label): ", "ettr": "ettr (metric): ", "MTTF, h": "MTTF (report label): ",
                           "faults.gpu_lost.mtbf": "faults.NAME.mtbf (scenario key): ", "lost_s.recomputing": "lost_s.<phase> (metric): ",
                           "flap": "flap (policy): ", "gpu_lost": "gpu_lost (fault model): ", "heartbeat": "heartbeat (signal): ",
                           "recomputing": "recomputing (phase): ", "planned_stop": "planned_stop (cause): ",
                           "weibull": "weibull (distribution): ", "hang_timeout": "detection.hang_timeout (scenario key): "}.items():
            self.assertIn(says, explain(word).stdout, word)
        self.assertIn("false alarms (report label): ", explain("false", "alarms").stdout)
        self.assertLessEqual(max(len(line) for line in explain("cost").stdout.splitlines()), 100)

    def test_an_unknown_word_names_the_nearest(self):
        done = explain("recomputng")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('"recomputng" is not a word of a report, a scenario or a result; did you mean "recomputing"?', done.stderr)

    def test_what_is_named_to_see_is_there(self):
        for word in json.loads(explain("--json").stdout):
            self.assertTrue(word["meaning"], word["name"])
            for other in word["see_also"]:
                self.assertTrue(explained(other), f"{word['name']}: see also {other}")

    def test_the_list_has_every_kind(self):
        said = explain().stdout
        for kind in ("report labels", "metrics", "phases", "causes", "scenario keys", "policies", "fault models", "signals", "distributions"):
            self.assertIn(f"\n{kind}\n", said)


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        REFERENCE.write_text(explain("--reference").stdout)
    else:
        unittest.main()
