"""The silent rank of a hang among 12,288 is found in two clicks, by what the page of `gauntlet view` shows.

    GAUNTLET=build/gauntlet python3 tests/pages/view_hidden_test.py
    SEED=7 GAUNTLET=build/gauntlet python3 tests/pages/view_hidden_test.py    hides the ranks of that seed
"""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from view_pages import LARGE, ViewTest, data_of  # noqa: E402

HIDDEN = 10


class Hidden(ViewTest):
    def hang(self, gpu, seed):
        scenario = self.place / "hidden.toml"
        scenario.write_text(f'extends = ["{os.path.abspath(f"scenarios/{LARGE}.toml")}"]\nname = "hidden"\n[job]\nwindow = "2h"\n[faults.hidden]\ncomponent = "gpu"\n'
                            f'effect = "hang"\nremedy = "repair"\ntrace = [{{ at = "1h", component = {gpu} }}]\n', encoding="utf-8")
        page = self.page(scenario, "--seed", seed)
        return page, [i for i, each in enumerate(data_of(page)["incidents"]) if each["cause"] == "hidden"]

    def test_ten_hidden_ranks(self):
        seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1_000_000)))
        chance, found = random.Random(seed), 0
        for _ in range(4 * HIDDEN):  # some strike a host that another fault has taken out, or while the job is down
            gpu, replica_seed = chance.randrange(12_288), chance.randrange(1_000_000)
            page, numbers = self.hang(gpu, replica_seed)
            if not numbers:
                continue
            with self.subTest(gpu=gpu, repeat=f"SEED={seed} GAUNTLET=build/gauntlet python3 tests/pages/view_hidden_test.py"):
                self.browser.open(page)
                self.browser.run("window.clicks = 0; addEventListener('click', () => ++window.clicks, true)")
                self.click(f"#incidents button[data-incident='{numbers[0]}']")
                place = self.silent_place()
                self.assertIsNotNone(place, "no rank stands out")
                self.click("#cube", place[0], place[1])
                self.assertEqual(self.browser.run("return window.clicks"), 2)
                self.assertIn("Is silent", self.browser.texts("#state")[0])
                panel = self.browser.texts("#panel")[0]
                self.assertIn(f"GPU {gpu}: hidden (hang)", panel)
                self.assertIn(f"host {gpu // 8}, GPU {gpu % 8},", panel)
                if found == 0:
                    self.browser.screenshot("view-hidden")
                # What hosts answered, which is recorded, singles out the same host.
                self.browser.run("const select = document.querySelector('#colour'); select.value = 'answer'; select.dispatchEvent(new Event('change'))")
                self.assertEqual(self.browser.run("return document.querySelector('#colour').value"), "answer", "nobody was asked")
                self.click("#cube", *self.silent_place()[:2])
                self.assertIn(f"host {gpu // 8}, GPU", self.browser.texts("#panel")[0])
            found += 1
            if found == HIDDEN:
                break
        self.assertEqual(found, HIDDEN, f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
