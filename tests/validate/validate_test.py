"""`gauntlet validate step`: that it passes on the project's table, and fails where a published figure is another."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

GAUNTLET = os.environ.get("GAUNTLET", "build/gauntlet")
TABLE = pathlib.Path("models/calibration/published.csv")


def validate(*arguments):
    return subprocess.run([GAUNTLET, "validate", "step", *arguments], capture_output=True, text=True, check=False)


class Validate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def changed(self, identity, column, value):
        """The project's table with one field of one row changed."""
        with TABLE.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        row = next(row for row in rows if row["id"] == identity)
        row[column] = value
        path = self.folder / "published.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return path

    def test_the_bounds_hold_and_the_file_is_what_is_inside(self):
        inside, outside = validate("--json"), validate("--json", "--data", TABLE)
        self.assertEqual((inside.returncode, outside.returncode), (0, 0), inside.stderr + outside.stderr)
        self.assertEqual(inside.stdout, outside.stdout)
        result = json.loads(inside.stdout)
        self.assertTrue(result["holds"])
        self.assertTrue(all(check["value"] <= check["limit"] for check in result["checks"]))
        for row in result["rows"]:
            self.assertTrue(row["address"].startswith("https://"), row)

    def test_a_wrong_figure_breaks_its_bound_alone(self):
        answer = validate("--json", "--data", self.changed("megascale-table2-12288-batch6144", "value", "5.34"))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        broken = [check["what"] for check in json.loads(answer.stdout)["checks"] if not check["holds"]]
        self.assertEqual(broken, ["MegaScale, table 2"])

    def test_a_wrong_figure_that_was_not_fitted_breaks_the_bounds_of_predictions(self):
        answer = validate("--json", "--data", self.changed("bloom-176b", "value", "20"))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        broken = [(check["kind"], check["figure"]) for check in json.loads(answer.stdout)["checks"] if not check["holds"]]
        self.assertEqual(broken, [("prediction", "largest error")])

    def test_other_programs_have_a_source_and_were_not_fitted(self):
        others = [check["other"] for check in json.loads(validate("--json").stdout)["checks"] if check["other"]]
        self.assertEqual([other["error"] for other in others], [0.1, 0.2, 0.23])
        for other in others:
            self.assertTrue(other["source"].startswith("https://"), other)
            self.assertIn("nothing of it was fitted", other["how"])

    def test_a_family_that_is_no_straight_line_is_seen(self):
        answer = validate("--json", "--data", self.changed("mlperf-v3.1-eos512-batch2048", "value", "1.69"))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        broken = [check["what"] for check in json.loads(answer.stdout)["checks"] if not check["holds"]]
        self.assertEqual(broken, ["(m + (p-1)/v) tau + c of nvidia-v3.1"])

    def test_a_job_that_would_not_fit_is_seen(self):
        answer = validate("--data", self.changed("korthikanti-table5-22B-full", "micro_batch", "64"))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        self.assertIn("korthikanti-table5-22B-full does not fit: job.", answer.stdout)

    def test_bounds_without_rows_are_not_judged(self):
        path = self.folder / "one.csv"
        path.write_text("".join(TABLE.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
        answer = validate("--data", path)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("None of 1 published step is a prediction. ", answer.stdout.splitlines()[0])
        self.assertTrue(answer.stdout.splitlines()[0].endswith("; 9 without rows are not judged."), answer.stdout)
        checks = json.loads(validate("--json", "--data", path).stdout)["checks"]
        self.assertEqual({check["holds"] for check in checks if check["rows"] == 0}, {None})

    def test_what_is_far_off_is_named_with_the_answer(self):
        lines = validate().stdout.splitlines()
        rows = [row for row in json.loads(validate("--json").stdout)["rows"] if row["error_of"] == "prediction"]
        worst = max(rows, key=lambda row: abs(row["error"]))
        self.assertIn(f"largest of {100 * abs(worst['error']):.1f}% ({worst['id']})", lines[0])
        self.assertTrue(lines[1].startswith("Predictions, mean and largest error by stack: "), lines[1])

    def test_bad_tables_are_refused(self):
        for column, value, complaint in (
            ("hardware", "a200", 'hardware = "a200" of bloom-176b is not in the catalogue'),
            ("stack", "blooom", 'stack = "blooom" is not a software stack that was fitted'),
            ("tp", "0", 'tp = "0" is zero'),
        ):
            answer = validate("--data", self.changed("bloom-176b", column, value))
            self.assertEqual(answer.returncode, 2, column)
            self.assertIn(complaint, answer.stderr)
        answer = validate("--data", self.folder / "missing.csv")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("missing.csv", answer.stderr)
        answer = validate("--data", self.folder)
        self.assertEqual(answer.returncode, 2)


if __name__ == "__main__":
    unittest.main()
