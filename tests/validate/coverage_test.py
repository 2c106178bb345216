"""`gauntlet validate coverage`: how often intervals hold, and what it refuses."""

import json
import os
import subprocess
import unittest

GAUNTLET = os.environ.get("GAUNTLET", "build/gauntlet")


def coverage(*arguments):
    return subprocess.run([GAUNTLET, "validate", "coverage", "--quiet", *arguments], capture_output=True, text=True, check=False)


class Coverage(unittest.TestCase):
    def test_intervals_of_small_scenarios_hold_with_20_replicas(self):
        for scenario in ("one-fault", "opt-175b", "tiny-8"):
            answer = coverage("--only", scenario, "--json")
            self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
            result = json.loads(answer.stdout)
            self.assertTrue(result["holds"])
            self.assertEqual((result["replicas"], result["repetitions"], result["seed"]), (20, 400, 1))
            [only] = result["scenarios"]
            self.assertEqual(only["name"], scenario)
            judged = [name for name, of in only["metrics"].items() if of["judged"]]
            # In one-fault controls leave most metrics hardly any scatter, or a skewed one.
            self.assertGreater(len(judged), 4 if scenario == "one-fault" else 10, judged)
            if scenario == "one-fault":
                ettr = only["metrics"]["ettr"]
                self.assertLess(ettr["controlled"]["mean_width"], 0.6 * ettr["plain"]["mean_width"])

    def test_the_result_does_not_depend_on_threads(self):
        few = ["--only", "one-fault", "--repetitions", "20", "--json"]
        self.assertEqual(coverage(*few, "--threads", "1").stdout, coverage(*few, "--threads", "3").stdout)

    def test_a_table_for_people_and_one_for_a_page(self):
        few = ["--only", "one-fault", "--repetitions", "20"]
        text = coverage(*few).stdout
        self.assertIn("20 repetitions of 20 replicas", text)
        self.assertIn("Reproduce with: gauntlet validate coverage --seed 1 --replicas 20 --repetitions 20 --only one-fault", text)
        page = coverage(*few, "--markdown").stdout
        self.assertIn("\n| one-fault | ", page)

    def test_plans_with_parameter_uncertainty_are_repeated_too(self):
        few = ["--only", "llama3", "--repetitions", "20"]
        answer = coverage(*few, "--json")
        result = json.loads(answer.stdout)
        uncertain = result["uncertain"]
        self.assertEqual(uncertain["repetitions"], 2)
        [only] = result["scenarios"]
        figures = only["with_uncertainty"]
        for name in ("ettr", "interruptions", "wall_time_s", "share_by_date", "finish_p50_s"):
            self.assertEqual(figures[name]["given"], 2, name)
            self.assertFalse(figures[name]["judged"], name)  # two repetitions notice nothing
            self.assertGreater(figures[name]["mean_width"], 0, name)
        self.assertNotIn("value", figures["ettr"])  # each repetition has true parameters of its own
        self.assertTrue(0 < figures["share_by_date"]["value"] < 1)
        page = coverage(*few, "--markdown").stdout
        self.assertIn("\n| llama3-405b-54d: wall_time_s | ", page)
        self.assertIn(f"2 repetitions of {uncertain['draws']} draws of {uncertain['replicas_each']} replicas", " ".join(page.split()))

    def test_scenarios_without_uncertain_parameters_have_no_such_figures(self):
        few = ["--only", "one-fault", "--repetitions", "20"]
        [only] = json.loads(coverage(*few, "--json").stdout)["scenarios"]
        self.assertNotIn("with_uncertainty", only)
        self.assertNotIn("parameter uncertainty", coverage(*few, "--markdown").stdout)

    def test_wrong_input(self):
        for arguments, why in (
            (["--only", "no such thing"], 'no shipped scenario has "no such thing" in its name'),
            (["--replicas", "4"], "--replicas"),
            (["--repetitions", "19"], "--repetitions"),
            (["--replicas", "10000", "--repetitions", "10000"], "100,000,000 replicas"),
        ):
            answer = coverage(*arguments)
            self.assertEqual(answer.returncode, 2, arguments)
            self.assertEqual(answer.stdout, "")
            self.assertIn(why, answer.stderr)


if __name__ == "__main__":
    unittest.main()
