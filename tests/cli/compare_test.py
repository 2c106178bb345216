"""gauntlet compare over every kind of component that can fail, and every cause that is not a fault: the report and the JSON are made,
and --resume makes them again."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # a guard against hanging
COMPONENTS = ("host", "gpu", "nic", "rack", "tor", "aggregation", "spine", "power", "job")

# A small cluster with everything that a fault can concern.
SCENARIO = """
extends = "{tiny}"
name = "components"

[cluster.network]
hosts_per_rack = 2
racks_per_power_domain = 2

[job]
window = "14d"

{faults}
"""
FAULT = """
[faults.of_{component}]
component = "{component}"
effect = "crash"
mtbf = "{mtbf}"
remedy = "restart"
"""


def fault(component):
    """Some of each in two weeks: there are 72 GPUs and NICs, 9 hosts, and a few of the others."""
    return FAULT.format(component=component, mtbf={"gpu": "60d", "nic": "60d", "host": "8d"}.get(component, "2d"))


def schema_components():
    """The kinds that a scenario may name, as the schema has them."""
    schema = subprocess.run([GAUNTLET, "schema"], capture_output=True, text=True, check=True, timeout=SECONDS_MAX).stdout
    found = []

    def look(at, key=""):
        if isinstance(at, dict):
            if key == "component" and "enum" in at:
                found.append(tuple(at["enum"]))
            for name, each in at.items():
                look(each, name)
        elif isinstance(at, list):
            for each in at:
                look(each, key)

    look(json.loads(schema))
    return found


class EveryComponent(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-compare-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)

    def compare(self, *words):
        done = subprocess.run([GAUNTLET, "compare", *map(str, words), "--threads", "1"], text=True, capture_output=True,
                              timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 0, f"gauntlet compare {' '.join(map(str, words))}\n{done.stderr}")
        return done.stdout

    def scenario(self, faults):
        path = self.place / "components.toml"
        path.write_text(SCENARIO.format(tiny=os.path.abspath("scenarios/tiny-8.toml"), faults=faults))
        return path

    def test_the_table_has_every_kind_of_component(self):
        self.assertTrue(schema_components())
        for kinds in schema_components():
            self.assertEqual(set(kinds), set(COMPONENTS))

    def test_a_fault_of_each_kind_is_shown_by_its_component(self):
        for component in COMPONENTS:
            with self.subTest(component):
                path = self.scenario(fault(component))
                words = (path, "--with", "checkpoint.interval=2h policies.checkpoint=fixed", "--replicas", "4", "--out",
                         self.place / component)
                report = self.compare(*words)
                shown = "job" if component == "job" else rf"{component} \d+"
                self.assertRegex(report, rf"(?m)^ *\d+d \d\d:\d\d.* of_{component} +{shown}\b", report)
                self.assertEqual(self.compare(*words, "--resume"), report)
                causes = {pair["cause"] for each in json.loads(self.compare(*words, "--resume", "--json"))["differences"]
                          for pair in each["incidents"]}
                self.assertIn(f"of_{component}", causes)

    def test_the_shipped_scenario_with_every_fault_model(self):
        report = self.compare("every-fault", "--with", "checkpoint.interval=20min", "--replicas", "2")
        self.assertIn("is the most typical of", report)


if __name__ == "__main__":
    unittest.main()
