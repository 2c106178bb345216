"""Filters of GoogleTest in tests/CMakeLists.txt name cases that are there: one that was renamed would run, or not run, unnoticed.

    python3 tests/tree/filters_test.py
"""

import fnmatch
import re
import unittest

from house import read_tree

CASE = re.compile(r"\b(?:TYPED_|)TEST(?:_F|_P|)\(\s*(\w+),\s*(\w+)\s*\)|\bRC_GTEST_(?:FIXTURE_)?PROP\(\s*(\w+),\s*(\w+)")
# A quoted text that has the form of one: Suite.Case, with * for anything, joined by colons; after a hyphen what is left out.
FILTER = re.compile(r'"([\w*][\w*/]*\.[\w*]+(?:[:-][\w*][\w*/]*\.[\w*]+)*)"')


def complaints(cmake, sources):
    cases = {".".join(filter(None, found)) for text in sources for found in CASE.findall(text)}
    wanted = {one for text in FILTER.findall(cmake) for one in re.split("[:-]", text)}
    wanted = {one for one in wanted if not one.split(".")[1] in ("cpp", "txt", "py", "sh")}
    # Parametrised suites have a prefix, and their cases a suffix.
    return [f"{one} names no case" for one in sorted(wanted)
            if not any(fnmatch.fnmatchcase(case, one) or fnmatch.fnmatchcase("/" + case, one) for case in cases)]


class Filters(unittest.TestCase):
    def test_of_the_tree(self):
        tree = read_tree()
        self.assertEqual([], complaints(tree["tests/CMakeLists.txt"], [text for path, text in tree.items() if path.endswith("_test.cpp")]))

    def test_flags_a_name_that_no_case_has(self):
        source = 'TEST(Plan, IsTheSame) {}\nRC_GTEST_PROP(Draft, OfAnyWords, ()) {}\n'
        self.assertEqual(["Plan.Was* names no case"], complaints('set(x "Plan.Is*:Plan.Was*-Draft.*")', [source]))
        self.assertEqual([], complaints('set(x "*.IsTheSame")', [source]))


if __name__ == "__main__":
    unittest.main()
