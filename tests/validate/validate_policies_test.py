"""`gauntlet validate policies`: what it prints, what it refuses, and that it fails where a check cannot be made."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

GAUNTLET = os.environ.get("GAUNTLET", "build/gauntlet")


def validate(*arguments, **environment):
    command = [GAUNTLET, "validate", "policies", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


class ValidatePolicies(unittest.TestCase):
    def test_closed_forms_hold(self):
        answer = validate("--only", "intervals, C = 5, M = 110")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(answer.stdout.splitlines()[0], "All 3 checks hold.")
        self.assertIn("33.1662 min", answer.stdout)
        self.assertIn("https://doi.org/10.1145/2063384.2063428", answer.stdout)
        self.assertIn("Reproduce with: gauntlet validate policies --seed 1 --only 'intervals, C = 5, M = 110'", answer.stdout)

    def test_json_says_what_was_measured_and_under_which_conventions(self):
        answer = validate("--quick", "--only", "first failure", "--json", "--seed", "3")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        result = json.loads(answer.stdout)
        self.assertTrue(result["holds"])
        self.assertEqual((result["seed"], result["quick"]), (3, True))
        for check in result["checks"]:
            self.assertEqual(check["judge"], "z")
            self.assertLess(abs(check["off"]), check["limit"])
            distance = check["measured"] - check["expected"]
            self.assertAlmostEqual(check["off"], distance / check["standard_error"])
            self.assertIn("clock always", check["conventions"])
        again = validate("--quick", "--only", "first failure", "--json", "--seed", "3", "--threads", "1")
        self.assertEqual(again.stdout, answer.stdout)

    def test_a_check_that_cannot_be_made_fails_and_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            scenarios = pathlib.Path(folder) / "scenarios"
            shutil.copytree("scenarios", scenarios)
            (scenarios / "crosscheck" / "mtbi-base.toml").write_text("[job]\nlayuot = 3\n", encoding="utf-8")
            answer = validate("--quick", "--only", "crosscheck/mtbi-base", GAUNTLET_SCENARIO_DIR=str(scenarios))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        self.assertEqual(answer.stdout.splitlines()[0], "1 of 1 check fails: crosscheck/mtbi-base.")
        self.assertIn("layuot", answer.stdout)

    def test_names_that_no_check_has_are_wrong_input(self):
        answer = validate("--only", "no such thing")
        self.assertEqual(answer.returncode, 2)
        self.assertEqual(answer.stdout, "")
        self.assertIn('no check has "no such thing" in its name', answer.stderr)
        for arguments in (["--threads", "0"], ["--seed", "-1"], ["--fit"]):
            self.assertEqual(validate(*arguments).returncode, 2, arguments)

    def test_help_has_examples(self):
        answer = validate("--help")
        self.assertEqual(answer.returncode, 0)
        self.assertIn("Examples:", answer.stdout)
        self.assertIn("gauntlet validate policies --quick", answer.stdout)


if __name__ == "__main__":
    unittest.main()
