"""Each fault model of the catalogue has an injector, a mock or a reason why there is none, and the page says the same."""
import os
import pathlib
import re
import subprocess
import unittest

GAUNTLET = os.environ.get("GAUNTLET", "build/gauntlet")
PAGE = pathlib.Path("docs/inject-faults.md")
HOW = ("injector", "mock", "request", "none")
RUN_AT_LEAST = 30


def listed():
    """By model: what the command says of it, on one line."""
    run = subprocess.run([GAUNTLET, "list", "injectors"], capture_output=True, text=True, check=True)
    models = {}
    for line in run.stdout.splitlines():
        name = re.match(r"  (\w+) +", line)
        if name:
            models[name[1]] = line[name.end():]
        else:
            models[list(models)[-1]] += " " + line.strip()
    return models


def rows_of_page():
    rows = [re.fullmatch(r"\| `(\w+)` \| (.*) \| (.*) \| (.*) \|", line) for line in PAGE.read_text().splitlines()]
    return {row[1]: row[2] + (", " + row[3] if row[3] else "") + ": " + row[4] for row in rows if row and row[2] in HOW}


class Injectors(unittest.TestCase):
    def test_every_model_of_the_catalogue_is_there(self):
        models = {path.stem for path in pathlib.Path("scenarios/catalog/fault-models").glob("*.toml")}
        found = listed()
        self.assertEqual(set(found), models)
        for name, about in found.items():
            self.assertIn(re.match(r"\w+", about)[0], HOW, name)

    def test_most_of_them_run(self):
        runs = {name for name, about in listed().items() if about.startswith(("injector", "mock"))}
        self.assertGreaterEqual(len(runs), RUN_AT_LEAST)
        self.assertLessEqual({"tor_lost", "rack_power", "gpu_lost", "nic_flap", "host_crash"}, runs)

    def test_the_page_has_the_same_table(self):
        self.assertEqual(rows_of_page(), listed())


if __name__ == "__main__":
    unittest.main()
