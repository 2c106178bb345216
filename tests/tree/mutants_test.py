"""The mutants of tests/mutants apply to the sources as they are, name tests that exist, and reach every room.

    python3 tests/tree/mutants_test.py
"""

import fnmatch
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))
import mutants  # noqa: E402

ROOMS = {"core", "models", "flow", "policies", "sim", "real", "score", "config", "study", "report", "shell", "commands", "cli"}
FEWEST = 100
MOST_SURVIVORS = 0.05  # of all
CASE = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\((\w+),\s*(\w+)", re.M)
TYPED_CASE = re.compile(r"^TYPED_TEST_P\((\w+),\s*(\w+)", re.M)
TYPED_SUITE = re.compile(r"^INSTANTIATE_TYPED_TEST_SUITE_P\((\w+),\s*(\w+)", re.M)


def folders():
    """{program: its folder of tests}, as tests/CMakeLists.txt has them."""
    listed = dict(re.findall(r"^gauntlet_tests\((\w+) FOLDER ([\w/]+)", (ROOT / "tests/CMakeLists.txt").read_text(), re.M))
    rooms = {folder.split("/")[0] for folder in listed.values()}
    crossing = {path.parent.name for path in (ROOT / "tests").glob("*/*_test.cpp")} - rooms
    folders_of = listed | {name: name for name in crossing}
    return {f"{name}_test": ROOT / "tests" / folder for name, folder in folders_of.items()}


def cases_of(folder):
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.?pp")))
    typed = {f"{name}/{suite}/0.{case}" for name, suite in TYPED_SUITE.findall(text) for other, case in TYPED_CASE.findall(text)
             if other == suite}
    return {f"{suite}.{case}" for suite, case in CASE.findall(text)} | typed


def problem_of_test(test, programs):
    """Why there is no such test; nothing where there is."""
    program, _, filters = test.partition(":")
    if "/" in program:
        found = any((ROOT / "tests" / f"{program}{kind}").is_file() for kind in (".py", ".sh"))
        return "" if found and not filters else f"there is no script {program}"
    if program not in programs:
        return f"there is no program {program}"
    cases = cases_of(programs[program])
    missing = [each for each in filters.split(":") if filters and not fnmatch.filter(cases, each)]
    return f"{program} has no case {', '.join(missing)}" if missing else ""


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = mutants.load()

    def test_every_anchor_occurs_exactly_once(self):
        problems = [f"{each.room}.toml: {each.what} {problem}" for each in self.all if (problem := each.problem())]
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_every_replacement_changes_something(self):
        for each in self.all:
            self.assertNotEqual(each.find.split(), each.replace.split(), each.what)

    def test_every_test_exists(self):
        programs = folders()
        problems = {f"{each.room}.toml: {problem}" for each in self.all for test in each.tests
                    if (problem := problem_of_test(test, programs))}
        self.assertEqual(problems, set())
        self.assertTrue(all(each.tests for each in self.all))

    def test_there_are_many_and_each_room_has_some(self):
        self.assertGreaterEqual(len(self.all), FEWEST)
        self.assertEqual({each.room for each in self.all}, ROOMS)
        self.assertEqual([each.file for each in self.all if not each.file.startswith(each.room + "/")], [])
        self.assertEqual([each.what for each in self.all if not re.fullmatch(r"[A-Z`0-9].*\.", each.what)], [])

    def test_no_two_are_the_same(self):
        self.assertEqual(len({(each.file, each.find, each.replace) for each in self.all}), len(self.all))
        self.assertEqual(len({each.what for each in self.all}), len(self.all))

    def test_few_survive(self):
        survivors = [each.what for each in self.all if each.survives]
        self.assertLessEqual(len(survivors), MOST_SURVIVORS * len(self.all), survivors)

    def test_what_is_wrong_is_flagged(self):
        sound = self.all[0]
        for changed in ({"find": "no such text"}, {"find": "{"}, {"file": "score/no_such_file.cpp"}):
            self.assertNotEqual(mutants.dataclasses.replace(sound, **changed).problem(), "")
        programs = folders()
        for test in ("no_test", "score_test:NoSuite.*", "cli/no_test", "score_test:Phases.*:NoSuite.*"):
            self.assertNotEqual(problem_of_test(test, programs), "", test)


if __name__ == "__main__":
    unittest.main()
