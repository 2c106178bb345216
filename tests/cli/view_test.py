"""gauntlet view: what it refuses, and that it loses nothing."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
TINY = os.path.abspath("scenarios/tiny-8.toml")
SECONDS_MAX = 120  # for what takes less than one
SUCCESS, FAILED, WRONG_INPUT = 0, 1, 2


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1])


class ViewTest(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gauntlet-view-")))
        self.page = self.place / "view.html"

    def gauntlet(self, *words, code=SUCCESS, out=subprocess.PIPE):
        done = subprocess.run([GAUNTLET, *map(str, words)], stdout=out, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX, cwd=self.place, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def refused(self, *words, says):
        done = self.gauntlet("view", *words, "--out", self.page, code=WRONG_INPUT)
        self.assertIn(says, done.stderr)
        self.assertEqual(list(self.place.glob("view.html*")), [], "nothing is written")

    def record(self, name="run.gauntlet"):
        self.gauntlet("run", TINY, "--replica", 2, "--record", self.place / name)
        return self.place / name

    def test_the_answer(self):
        done = self.gauntlet("view", TINY, "--out", self.page)
        data = data_of(self.page)
        self.assertIn(f"{len(data['incidents'])} incidents. 64 ranks on 8 hosts.", done.stdout)
        self.assertIn(f"{self.page} is written", done.stdout)
        first = self.page.read_bytes()
        self.gauntlet("view", TINY, "--out", self.page)
        self.assertEqual(self.page.read_bytes(), first, "the same bytes again")

    def test_what_is_no_run(self):
        (self.place / "empty").mkdir()
        (self.place / "text").write_text("x = 1\n", encoding="utf-8")
        self.refused("none", says="there is no such file or scenario")
        self.refused(self.place / "empty", says="is not a result directory; give a scenario")
        self.refused(self.place / "text", says="x")
        self.refused("/dev/full", says="/dev/full")
        self.gauntlet("sweep", TINY, "--vary", "spares.count=1,2", "--replicas", 1, "--out", self.place / "swept")
        self.refused(self.place / "swept", says="holds a study of `gauntlet sweep`")

    def test_numbers_that_are_not_there(self):
        self.gauntlet("run", TINY, "--replicas", 3, "--out", self.place / "results")
        self.refused(self.place / "results", "--replica", 3, says="has replicas 0 to 2")
        self.refused(TINY, "--incident", 99, says="which has incidents 0 to")
        self.refused(TINY, "--set", "job.window=2h", "--set", "job.planned.times=[]", "--incident", 0, says="is not in the run, which has no incident")
        self.refused(self.record(), "--replica", 2, says="is one recording")
        self.refused(self.place / "results", "--seed", 2, says="has its own")

    def test_a_recording_that_was_cut_short(self):
        whole = self.record().read_bytes()
        cut = self.place / "cut.gauntlet"
        for end in (5, 40, 200):
            cut.write_bytes(whole[:end])
            self.refused(cut, says="truncated" if end > 15 else "cut.gauntlet")
        cut.write_bytes(whole[:-100])
        done = self.gauntlet("view", cut, "--out", self.page, code=FAILED)
        self.assertIn("is truncated: it ends at byte", done.stderr)
        notes = data_of(self.page)["notes"]
        self.assertIn("is truncated: it ends at byte", notes[0], "the page says so too")
        self.assertIn("has no truth log", notes[1])

    def test_a_browser_opens_it(self):
        opener = self.place / "xdg-open"
        opener.write_text('#!/bin/sh\n[ $# = 1 ] && [ -f "$1" ] && echo "opened $1"\n')
        opener.chmod(0o755)
        self.page = self.place / "-a page; with 'quotes'.html"

        def run(path):
            return subprocess.run([GAUNTLET, "view", TINY, f"--out={self.page.name}", "--open"], cwd=self.place, capture_output=True, text=True,
                                  timeout=SECONDS_MAX, env={"PATH": str(path)}, check=False)

        done = run(self.place)
        self.assertEqual(done.returncode, SUCCESS, done.stderr)
        self.assertTrue(done.stdout.endswith(f"opened {self.page}\n"), done.stdout)
        opener.write_text("#!/bin/sh\nexit 3\n")
        self.assertIn("no browser opened it: xdg-open failed", self.failed(run(self.place)))
        self.assertIn("xdg-open did not start: No such file or directory", self.failed(run(self.place / "none")))
        self.assertTrue(self.page.exists())

    def failed(self, done):
        self.assertEqual(done.returncode, FAILED, done.stderr)
        return done.stderr

    def test_results_that_lost_a_file(self):
        self.gauntlet("run", TINY, "--replicas", 2, "--out", self.place / "results")
        (self.place / "results/results.sqlite").unlink()
        self.refused(self.place / "results", says="results.sqlite")

    def test_where_nothing_can_be_written(self):
        for out, says in (("/dev/full", "is not a regular file"), (self.place, "is a directory"), (self.place / "none/view.html", "there is no directory")):
            done = self.gauntlet("view", TINY, "--out", out, code=WRONG_INPUT)
            self.assertIn(says, done.stderr)
        mine = self.place / "mine.html"
        mine.write_text("<!DOCTYPE html>\n<p>mine", encoding="utf-8")
        done = self.gauntlet("view", TINY, "--out", mine, code=WRONG_INPUT)
        self.assertIn("is not overwritten", done.stderr)
        self.assertEqual(mine.read_text(encoding="utf-8"), "<!DOCTYPE html>\n<p>mine")

    def test_an_answer_that_nobody_can_read(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.gauntlet("view", TINY, "--out", self.page, code=FAILED, out=full)
        self.assertEqual(data_of(self.page)["title"], "tiny-8", "the page is there all the same")

    def test_one_incident(self):
        self.gauntlet("view", TINY, "--out", self.page)
        every = data_of(self.page)["incidents"]
        self.gauntlet("view", TINY, "--incident", 3, "--out", self.page)
        data = data_of(self.page)
        self.assertEqual(data["numbered_from"], 3)
        self.assertEqual([each["opened"] for each in data["incidents"]], [every[3]["opened"]])


if __name__ == "__main__":
    unittest.main()
