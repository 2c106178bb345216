"""A NIC that flaps crashes a job whose collectives time out sooner, and only stalls one whose collectives wait: on real links, and in simulation.

    GAUNTLET=build/gauntlet python3 tests/lab/nic_flap_slow_test.py
"""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import labs  # noqa: E402

FIGURE = re.compile(r"^ +(?:whole run +|nic_flap +)?(\S+(?: \S+)*?) {2,}(?:\S+(?: \S+)*? {2,})?([\d.]+) +([\d.]+) +[-+]?[\d.]+$", re.M)


def figures(report):
    """(measured, simulated) by figure of the whole run."""
    table = report[report.index("Measured and simulated"):]
    table = table[:table.index("\n  nic_flap")] if "\n  nic_flap" in table else table
    return {name: (float(measured), float(simulated)) for name, measured, simulated in FIGURE.findall(table)}


@unittest.skipIf(labs.missing(), labs.missing())
class ShortTimeout(labs.Case):
    drill = ("scenarios/drills/nic-flap-short.toml", 4)

    def test_the_flap_crashes_the_job_in_both_worlds(self):
        run = self.place.run("--launch", "lab", "--against-simulation")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (1, 1), str(run))
        found = figures(run.out)
        self.assertEqual(found["incidents"], (1, 1), str(run))
        kind = run.out[run.out.index("\n  nic_flap"):]
        self.assertRegex(kind, r"starts +per incident +1\.00 +1\.00 ", str(run))  # it is the flap that both worlds blame
        self.nothing_is_left()


@unittest.skipIf(labs.missing(), labs.missing())
class LongTimeout(labs.Case):
    drill = ("scenarios/drills/nic-flap-long.toml", 4)

    def test_the_job_waits_for_the_link_in_both_worlds(self):
        run = self.place.run("--launch", "lab", "--against-simulation")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (1, 1), str(run))
        found = figures(run.out)
        self.assertNotIn("incidents", found, str(run))  # a figure that is zero in both worlds is left out
        self.assertIn("The decisions are the same", run.out)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
