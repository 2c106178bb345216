"""docs/validation.md has the table that `gauntlet validate coverage` prints, and every interval in it holds."""

import os
import pathlib
import subprocess
import unittest

GAUNTLET = os.environ.get("GAUNTLET", "build/gauntlet")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/validation.md"


class CoverageTable(unittest.TestCase):
    def test_the_page_has_the_table(self):
        answer = subprocess.run([GAUNTLET, "validate", "coverage", "--markdown", "--quiet"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertIn(answer.stdout, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
