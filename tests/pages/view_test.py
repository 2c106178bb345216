"""Pages of `gauntlet view` in a browser: of a scenario, a result directory, a recording and a drill.

    GAUNTLET=build/gauntlet python3 tests/pages/view_test.py
"""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import webdriver  # noqa: E402
from view_pages import LARGE, SECONDS_MAX, ViewTest, data_of, gauntlet, megatron_groups  # noqa: E402

if webdriver:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait

BYTES_MAX = 2_000_000
NODES_MAX = 2_500  # 166 incidents, a data-parallel group of 192 buttons
DRAW_CALLS_MAX = 80  # of both pictures: a call for each colour, outline and label; none for a rank


class EveryKind(ViewTest):
    def assert_page(self, page, name):
        data = data_of(page)
        self.browser.open(page)
        self.assertEqual(self.browser.count("#incidents button"), len(data["incidents"]))
        self.assert_drawn()
        if data["incidents"]:
            self.click("#incidents button")
            self.assert_drawn()
            self.browser.run("document.querySelector('#rank').value = 0; document.querySelector('#go').click()")
            self.assertEqual(self.browser.texts("#panel h2"), ["Rank 0"])
        self.assert_sound(f"view-{name}")
        return data

    def test_a_scenario(self):
        self.assert_page(self.page("tiny-8", "--replica", 3), "scenario")

    def test_results_and_a_recording_show_the_same_run(self):
        gauntlet("run", "tiny-8", "--replicas", 4, "--seed", 5, "--out", self.place / "results", "--quiet")
        gauntlet("run", "tiny-8", "--replica", 2, "--seed", 5, "--record", self.place / "run.gauntlet", "--quiet")
        pages = [self.page("tiny-8", "--seed", 5, "--replica", 2), self.page(self.place / "results", "--replica", 2, name="results.html"),
                 self.page(self.place / "run.gauntlet", name="recording.html")]
        shown = [self.assert_page(page, name) for page, name in zip(pages, ("run", "results", "recording"))]
        for other in shown[1:]:
            self.assertEqual({**other, "command": ""}, {**shown[0], "command": ""})

    def test_a_drill(self):
        as_whom = ["--run-as", "root"] if os.geteuid() == 0 else []
        gauntlet("drill", "drill-tiny", "--hosts", 4, "--set", "job.steps=40", *as_whom, "--record", self.place / "drill.rec", "--out", self.place / "drilled")
        of_recording = self.assert_page(self.page(self.place / "drill.rec"), "drill")
        self.assertTrue(of_recording["drill"])
        self.assertEqual(of_recording["notes"], [])
        self.assertEqual(of_recording["incidents"][0]["basis"], "truth")
        of_results = self.assert_page(self.page(self.place / "drilled", name="results-of-drill.html"), "results-of-drill")
        self.assertEqual({**of_results, "command": ""}, {**of_recording, "command": ""})

    def test_a_job_with_every_dimension(self):
        models = self.place / "catalog/models"
        models.mkdir(parents=True)
        (models / "tiny-moe.toml").write_text(pathlib.Path("scenarios/catalog/models/tiny-1b.toml").read_text(encoding="utf-8") + "experts = 8\nexperts_per_token = 2\nexpert_ffn_hidden = 1024\n",
                                              encoding="utf-8")
        (self.place / "moe.toml").write_text(f'extends = ["{os.path.abspath("scenarios/tiny-8.toml")}"]\nname = "moe"\n[cluster]\nhosts = 4\n[job]\nmodel = "tiny-moe"\n[job.layout]\n'
                                             "tp = 2\npp = 2\ndp = 4\ncp = 2\nep = 2\n", encoding="utf-8")
        data = self.assert_page(self.page(self.place / "moe.toml"), "every-dimension")
        culprits = [i for i, each in enumerate(data["incidents"]) if each["culprits"]]
        self.click(f"#incidents button[data-incident='{culprits[0]}']")
        self.browser.run("document.querySelector('#rank').value = 13; document.querySelector('#go').click()")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('[data-group]')].map(each => each.dataset.group)"),
                         ["tensor", "context", "expert", "data", "pipeline"])

    def test_a_job_that_runs_with_fewer_replicas(self):
        (self.place / "fewer.toml").write_text(f'extends = ["{os.path.abspath("scenarios/tiny-8.toml")}"]\nname = "fewer"\n[recovery]\nwait_for_spare = "10min"\n[spares]\ncount = 0\n'
                                               '[repair]\ntime = "3d"\n', encoding="utf-8")
        page = self.page(self.place / "fewer.toml", "--seed", 1)
        data = self.assert_page(page, "fewer")
        shown = 0
        for number, incident in enumerate(data["incidents"]):
            replicas = [count for at, count in data["changes"]["replicas"] if at < incident["opened"]][-1:]
            if not incident["component"].startswith("gpu ") or not incident["culprits"] or not replicas or replicas[0] == data["layout"]["dp"]:
                continue
            self.click(f"#incidents button[data-incident='{number}']")
            self.click("#cube", *self.silent_place()[:2])
            gpu = int(incident["component"].split()[1])
            self.assertIn(f"host {gpu // 8}, GPU {gpu % 8},", self.browser.texts("#panel")[0])
            self.assertEqual(self.browser.count("[data-group=data] button"), replicas[0])
            shown += 1
        self.assertGreater(shown, 0, "the scenario has no such incident any more")

    def test_names_are_text(self):
        name = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"
        (self.place / "named.toml").write_text(f'extends = ["{os.path.abspath("scenarios/tiny-8.toml")}"]\nname = {json.dumps(name)}\n', encoding="utf-8")
        self.browser.open(self.page(self.place / "named.toml"))
        self.assertEqual(self.browser.texts("h1"), [name])
        self.assertEqual(self.browser.count("img") + self.browser.count("main script"), 0)
        self.assertEqual(self.browser.run("return document.title"), name)
        self.assertEqual(self.browser.messages(), [])


class Large(ViewTest):
    """The 12,288-rank view: bounds are counted."""

    def setUp(self):
        super().setUp()
        self.file = self.page(LARGE)
        self.browser.open(self.file)

    def calls(self):
        return self.browser.run("return [gauntletView.drawCalls, gauntletView.passes]")

    def test_bounds(self):
        self.assertLess(self.file.stat().st_size, BYTES_MAX)
        self.assert_drawn()
        self.click("#incidents button")
        for x, y in ((120, 200), (300, 400), (301, 400)):
            before = self.calls()
            self.click("#cube", x, y)
            after = self.calls()
            self.assertEqual(after[1] - before[1], 2, "passes: one of each picture")
            self.assertLess(after[0] - before[0], DRAW_CALLS_MAX)
            self.assertLess(self.browser.nodes(), NODES_MAX)
        self.assert_sound("view-large")

    def test_a_click_on_a_rank_shows_its_groups(self):
        layout = data_of(self.file)["layout"]
        sizes = [layout[each] for each in ("tp", "cp", "dp", "pp")]
        groups = {"tensor": megatron_groups(sizes, (1, 0, 0, 0)), "data": megatron_groups(sizes, (0, 1, 1, 0)), "pipeline": megatron_groups(sizes, (0, 0, 0, 1))}
        for x, y in ((61, 40), (210, 300), (333, 555), (500, 700)):
            self.click("#cube", x, y)
            rank = int(self.browser.texts("#panel h2")[0].removeprefix("Rank ").replace(",", ""))
            for dimension, all_groups in groups.items():
                expected = [group for group in all_groups if rank in group]
                self.assertEqual([int(each) for each in self.browser.texts(f"[data-group={dimension}] button")], expected[0], f"{dimension} of rank {rank}")

    def test_groups_are_those_of_megatron(self):
        for sizes in ((2, 2, 4, 2), (1, 3, 2, 4), (4, 1, 6, 1)):
            layout = dict(zip(("tp", "cp", "dp", "pp"), sizes), ep=2, virtual_stages=1)
            tp, cp, dp, pp = sizes
            expected = {"tensor": megatron_groups(sizes, (1, 0, 0, 0)), "context": megatron_groups(sizes, (0, 1, 0, 0)), "data": megatron_groups(sizes, (0, 1, 1, 0)),
                        "pipeline": megatron_groups(sizes, (0, 0, 0, 1)), "expert": megatron_groups((tp * cp, 2, dp // 2, pp), (0, 1, 0, 0))}
            for dimension, groups in expected.items():
                for group in groups:
                    for rank in group:
                        self.assertEqual(self.browser.run("return groupOf(arguments[0], arguments[1], arguments[2])", rank, dimension, layout), group)

    def test_keys_move_the_picked_rank(self):
        self.browser.run("document.querySelector('#cube').focus()")
        for key, rank in ((Keys.ARROW_RIGHT, "0"), (Keys.ARROW_RIGHT, "1"), (Keys.ARROW_DOWN, "9"), (Keys.PAGE_DOWN, "1,545"), (Keys.ARROW_LEFT, "1,544"), (Keys.ARROW_LEFT, "15"), (Keys.ARROW_UP, "7"),
                          (Keys.ARROW_UP, "7")):
            self.browser.press(key)
            self.assertEqual(self.browser.texts("#panel h2"), [f"Rank {rank}"])

    def test_an_incident_plays(self):
        self.click("#incidents button")
        frames = self.browser.count("#frames button")
        self.assertGreater(frames, 5)
        self.browser.run("document.querySelector('#frames button').click()")
        self.click("#play")
        WebDriverWait(self.browser.driver, SECONDS_MAX).until(lambda _: int(self.browser.run("return document.querySelector('#step').value")) >= 2)
        self.click("#play")
        self.assertRegex(self.browser.texts("#caption")[0], rf"^\d+ of {frames} · ")

    def test_every_colouring_draws(self):
        self.click("#incidents button")
        values = self.browser.run("return [...document.querySelectorAll('#colour option')].map(option => option.value)")
        self.assertIn("forward_time", values)
        for value in values:
            self.browser.run("const select = document.querySelector('#colour'); select.value = arguments[0]; select.dispatchEvent(new Event('change'))", value)
            self.assert_drawn()
            self.browser.screenshot(f"view-colour-{value}")
        self.assertEqual(self.browser.messages(), [])


if __name__ == "__main__":
    unittest.main()
