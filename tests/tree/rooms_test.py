"""ARCHITECTURE.md, "The size of each folder": the table that scripts/rooms.py writes names every folder of code, and its numbers are
about right. No file is long, and a folder of many files has its reason there.

    python3 tests/tree/rooms_test.py
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import rooms  # noqa: E402
from house import is_cpp, read_tree, room_of  # noqa: E402

MOST_LINES = 500
MOST_FILES = 30
# The table is written anew where a number of lines or members is off by more than this share; files are counted exactly.
TOLERANCE = 0.3


def rows(table):
    """{folder: [files, median lines, lines of the longest file, members of the largest class]}"""
    out = {}
    for line in table.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) == 7 and cells[1].isdigit():
            out[cells[0]] = [int(cells[1]), int(cells[2]), int(cells[4]), int(cells[6])]
    return out


def section(page):
    return page.partition("## The size of each folder\n")[2].partition("\n## ")[0]


def differences(written, found):
    """Sentences on what the table says and the tree does not."""
    for folder in sorted(written.keys() ^ found.keys()):
        yield f"{folder} is {'missing in' if folder in found else 'only in'} the table"
    for folder in sorted(written.keys() & found.keys()):
        for index, (what, slack) in enumerate((("files", 0), ("median lines", TOLERANCE), ("longest file", TOLERANCE), ("members", TOLERANCE))):
            now = found[folder][index]
            if abs(written[folder][index] - now) > slack * now + (1 if slack else 0):
                yield f"{folder}: {what}: the table says {written[folder][index]}, the tree has {now}"


class Rooms(unittest.TestCase):
    def setUp(self):
        self.tree = read_tree()
        self.section = section(self.tree["ARCHITECTURE.md"])

    def test_finds_differences(self):
        self.assertEqual(list(differences({"sim/": [4, 100, 200, 9]}, {"sim/": [4, 110, 190, 9]})), [])
        self.assertEqual(len(list(differences({"sim/": [4, 100, 200, 9], "a/": [1, 1, 1, 1]}, {"sim/": [5, 100, 300, 9]}))), 3)

    def test_the_table_is_that_of_the_tree(self):
        found = list(differences(rows(self.section), rows(rooms.table(self.tree))))
        self.assertEqual(found, [], "run scripts/rooms.py --write\n" + "\n".join(found))

    def test_a_folder_of_many_files_has_its_reason(self):
        reasons = self.section.partition(rooms.END)[2]
        for folder, (files, *_) in rows(rooms.table(self.tree)).items():
            if files > MOST_FILES:
                self.assertRegex(reasons, rf"(?m)^- `{re.escape(folder)}`: ", f"{folder} has {files} files, and no reason for them")

    def test_no_file_is_long(self):
        long = [f"{path}: {text.count(chr(10))}" for path, text in self.tree.items()
                if is_cpp(path) and room_of(path) not in ("bench", "tests") and text.count("\n") > MOST_LINES]
        self.assertEqual(long, [], f"more than {MOST_LINES} lines")


if __name__ == "__main__":
    unittest.main()
