"""report.html of every command, opened in Chromium: it is sound on three screens in light and dark, draws every value of its data, and is
usable from the keyboard and on paper.

    SCREENSHOTS=shots GAUNTLET=build/gauntlet python3 tests/pages/report_pages_test.py   keeps pictures for a person
"""
import functools
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..", "drill")]
from browser import PageTest  # noqa: E402
from drills import Place, run_as  # noqa: E402

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 300
BYTES_MAX = 5_000_000  # of a page of 1,000 replicas
NODES_MAX = 30_000     # of the same, so that a phone can show it

# What makes a page of each kind within seconds, and the headings that it has. "DIR" stands for the directory, "PAGE" for the file.
OUT = ("--quiet", "--out", "DIR")
KINDS = {
    "run": (["run", "tiny-8", "--replicas", "40", *OUT],
            ["Where the time went", "Distribution over replicas", "One run over time", "Detection by fault kind", "Cost", "Assumptions"]),
    "run-one": (["run", "tiny-8", "--replica", "3", *OUT],
                ["Where the time went", "Distribution over replicas", "One run over time", "Detection by fault kind", "Cost"]),
    "run-priced": (["run", "tiny-8", "--replicas", "10", "--set", "cost.gpu_hour=2.5EUR", "--set", "job.steps=200000", "--set", "job.window=0s", *OUT],
                   ["Cost"]),
    "compare": (["compare", "tiny-8", "--replicas", "20", "--with", "spares.count=3", *OUT], ["B against A", "How single runs are distributed"]),
    "sweep": (["sweep", "tiny-8", "--set", "policies.checkpoint=fixed", "--replicas", "10", "--vary", "checkpoint.interval=1min:2h:log6", *OUT], ["What the values do"]),
    "sweep-two": (["sweep", "tiny-8", "--set", "policies.checkpoint=fixed", "--replicas", "10", "--vary", "checkpoint.interval=1min:2h:log7", "--vary", "spares.count=0:4", *OUT],
                  ["What the values do", "Where the time goes at the best point"]),
    "sweep-words": (["sweep", "tiny-8", "--replicas", "6", "--vary", 'policies.checkpoint="fixed","young","daly"', *OUT], ["What the values do"]),
    "tune": (["tune", "tiny-8", "--set", "policies.checkpoint=fixed", "--over", "checkpoint.interval", "--budget", "200", *OUT], ["The curve of each field, the others at their best"]),
    "plan": (["plan", "tiny-8", "--tokens", "1T", "--finish-by", "8d", "--replicas", "6", *OUT],
             ["When the work is done", "What the finish date depends on", "Ranking of levers"]),
    "rank": (["rank", "tiny-8", "--lever", "job.start", "--lever", "repair", "--replicas", "10", *OUT], ["Ranking of levers", "Where the time goes, as given"]),
    "scale": (["scale", "rsc1", "--gpus", "1k:8k:log4", "--replicas", "3", *OUT], ["What the number of GPUs does"]),
    "step": (["step", "megascale-175b-12288", "--degrade", "host:17.slow=1.10", "--page", "PAGE"], ["Where the time goes", "Memory", "Network"]),
    "drill": (["drill", "drill-tiny", "--hosts", "4", *run_as(), "--set", "job.steps=15", "--out", "DIR"],
              ["Where the time went", "One run over time", "Ranks, hosts and clocks"]),
}


@functools.cache
def place():
    return pathlib.Path(tempfile.mkdtemp(prefix="gauntlet-pages-"))


def gauntlet(*words, code=0):
    with Place() as files:  # of a drill
        done = subprocess.run([GAUNTLET, *words], text=True, capture_output=True, timeout=SECONDS_MAX, check=False, env=files.environment())
    if done.returncode != code:
        raise AssertionError(f"gauntlet {' '.join(words)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def make(name, words):
    out = place() / name
    page = out.with_suffix(".html") if "PAGE" in words else out / "report.html"
    gauntlet(*[{"DIR": str(out), "PAGE": str(page)}.get(word, word) for word in words])
    return page


@functools.cache
def page_of(kind):
    return make(kind, KINDS[kind][0])


def data_of(page):
    """What its charts show."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def marks_of(chart):
    """How many marks a chart has: one for each value."""
    if chart["kind"] == "lines":
        return sum(len(series["points"]) for series in chart["series"])
    if chart["kind"] == "bars":
        return sum(part is not None for bar in chart["bars"] for part in bar["parts"])
    return len(chart["counts"] if chart["kind"] == "distribution" else chart["cells"])


class ReportPages(PageTest):
    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(place(), ignore_errors=True)
        super().tearDownClass()

    def check(self, kind):
        page = page_of(kind)
        self.browser.open(page)
        headings = self.browser.texts("h2")
        for heading in KINDS[kind][1]:
            self.assertIn(heading, headings)
        self.assertTrue(self.browser.texts("h1")[0], "the answer")
        self.assertEqual(self.browser.count("#incomplete"), 0)
        charts = data_of(page)["charts"]
        self.assertGreater(len(charts), 0)
        self.assertEqual(self.browser.count("figure.chart .plot > svg"), len(charts), "each chart is drawn")
        counted = self.browser.run("return [...document.querySelectorAll('figure.chart')].map(f => f.querySelectorAll('.mark').length)")
        self.assertEqual(counted, [marks_of(chart) for chart in charts], "a mark for each value")
        ticks = self.browser.run("return [...document.querySelectorAll('figure.chart')].map(f => f.querySelectorAll('text.tick').length)")
        self.assertGreaterEqual(min(ticks), 2, "each chart has axes")
        rows = self.browser.run("return [...document.querySelectorAll('figure.chart')].map(f => f.querySelectorAll('.behind tbody tr').length)")
        self.assertTrue(all(rows), "a table behind each chart")
        self.assert_sound(kind)
        self.assertEqual(self.browser.count("figure.chart .plot > svg"), len(charts), "drawn again at every width")

    def test_run(self):
        self.check("run")

    def test_run_of_one_replica(self):
        self.check("run-one")

    def test_run_with_a_price(self):
        self.check("run-priced")
        self.assertIn("What the money buys", self.browser.texts("figcaption"))

    def test_compare(self):
        self.check("compare")

    def test_sweep(self):
        self.check("sweep")

    def test_sweep_of_two_fields_is_a_map_with_the_flat_region_outlined(self):
        self.check("sweep-two")
        maps = [chart for chart in data_of(page_of("sweep-two"))["charts"] if chart["kind"] == "heat"]
        self.assertEqual(len(maps), 1)
        self.assertTrue(any(cell["outlined"] for cell in maps[0]["cells"]))
        self.assertGreater(self.browser.count("path.outline"), 0)

    def test_sweep_of_words(self):
        self.check("sweep-words")

    def test_tune(self):
        self.check("tune")

    def test_plan(self):
        self.check("plan")

    def test_rank(self):
        self.check("rank")

    def test_scale(self):
        self.check("scale")

    def test_step(self):
        self.check("step")

    def test_drill(self):
        self.check("drill")

    def test_segments(self):
        """Rank 3 of four takes twice as long in one of two segments."""
        database = place() / "segments.sqlite"
        with sqlite3.connect(database) as store:
            store.executescript(
                "CREATE TABLE drill (format INTEGER, scenario TEXT, seed INTEGER);"
                "CREATE TABLE seat (run INTEGER, rank INTEGER, host INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, tp INTEGER, PRIMARY KEY (run, rank));"
                "CREATE TABLE segment (run INTEGER, step INTEGER, name TEXT, rank INTEGER, took_ns INTEGER, reported_ns INTEGER,"
                " PRIMARY KEY (run, step, name, rank));"
                "INSERT INTO drill VALUES (1, 'planted', 7);")
            store.executemany("INSERT INTO seat VALUES (1, ?, ?, 0, ?, 0, ?)", [(rank, rank // 2, rank // 2, rank % 2) for rank in range(4)])
            store.executemany("INSERT INTO segment VALUES (1, ?, ?, ?, ?, ?)",
                              [(step, name, rank, 1_000_000 * (2 if (rank, name) == (3, "backward") else 1), step * 10_000_000)
                               for step in range(1, 11) for name in ("backward", "forward") for rank in range(4)])
        page = place() / "segments.html"
        gauntlet("segments", str(database), "--page", str(page))
        self.browser.open(page)
        self.assertIn("Rank 3 on host 1 is slow in backward: 2.00 times its peers", self.browser.texts("h1")[0])
        charts = data_of(page)["charts"]
        self.assertEqual([chart["title"] for chart in charts],
                         ["Ranks beside their peers", "Mean time by data-parallel replica", "Mean time by tensor-parallel rank"])
        outlined = [cell for cell in charts[0]["cells"] if cell["outlined"]]
        self.assertEqual([(cell["x_text"], cell["y_text"], cell["value"]) for cell in outlined], [("backward", "rank 3 on host 1", 2)])
        counted = self.browser.run("return [...document.querySelectorAll('figure.chart')].map(f => f.querySelectorAll('.mark').length)")
        self.assertEqual(counted, [8, 4, 4])
        self.assert_sound("segments")

    def test_a_page_of_a_thousand_replicas_is_small(self):
        page = make("thousand", ["run", "tiny-8", "--replicas", "1000", *OUT])
        self.assertLess(page.stat().st_size, BYTES_MAX)
        self.browser.open(page)
        self.assertLess(self.browser.nodes(), NODES_MAX)
        self.assertEqual(self.browser.messages(), [])

    def test_the_same_bytes_for_any_number_of_threads(self):
        words = ["run", "tiny-8", "--replicas", "12", *OUT, "--threads"]
        self.assertEqual(make("one-thread", [*words, "1"]).read_bytes(), make("three-threads", [*words, "3"]).read_bytes())

    def test_keyboard(self):
        """Tab reaches each chart once; the arrows go from mark to mark, each of which says what it is."""
        self.browser.open(page_of("run"))
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('figure.chart')].every(f => f.querySelectorAll('.mark[tabindex=\"0\"]').length === 1)"), True)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.mark')].filter(m => !m.getAttribute('aria-label')).length"), 0)
        self.browser.run("document.querySelector('.mark').focus()")
        first = self.browser.run("return document.activeElement.getAttribute('aria-label')")
        self.browser.press("\ue014")  # the right arrow
        second = self.browser.run("return document.activeElement.getAttribute('aria-label')")
        self.assertNotEqual(first, second)
        self.assertEqual(self.browser.count(".tip.shown"), 1)
        self.assertIn(self.browser.texts(".tip div span:last-child")[0], second)
        self.browser.press("\ue004")  # Tab
        self.assertNotIn("mark", self.browser.run("return document.activeElement.getAttribute('class') || ''").split())

    def test_print(self):
        self.browser.open(page_of("run"))
        self.assertGreater(self.browser.pdf_pages(), 1)

    def test_names_with_markup_are_text(self):
        evil = place() / "evil.toml"
        evil.write_text(pathlib.Path("scenarios/tiny-8.toml").read_text().replace(
            "What do a handful of faults do to a job on 8 hosts?", "</script><script>document.title='evil'</script><img src=x onerror=alert(1)>")
            .replace('name = "tiny-8"', 'name = "<b>tiny</b> & <!--"'), encoding="utf-8")
        page = make("evil", ["run", str(evil), "--replicas", "5", *OUT])
        self.browser.open(page)
        self.assertEqual(self.browser.messages(), [])
        self.assertEqual(self.browser.requests(), [])
        self.assertEqual((self.browser.count("main img"), self.browser.count("main b")), (0, 0))
        self.assertEqual(self.browser.driver.title, "gauntlet run: <b>tiny</b> & <!--")
        self.assertIn("onerror=alert(1)", self.browser.run("return document.body.textContent"))

    def test_a_file_that_is_cut_off_says_so(self):
        whole = page_of("run").read_bytes()
        for share in (0.3, 0.9, 0.999):
            with self.subTest(share=share):
                cut = place() / "cut.html"
                cut.write_bytes(whole[:int(share * len(whole))])
                self.browser.open(cut)
                self.assertEqual(self.browser.count("#incomplete"), 1)
                self.assertIn("gauntlet run", self.browser.texts("#incomplete")[0], "how to write it again")


if __name__ == "__main__":
    unittest.main()
