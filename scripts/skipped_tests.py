#!/usr/bin/env python3
"""Names every test that the last run of CTest in a build folder skipped, with its reason.

    scripts/skipped_tests.py build

A test program of many cases passes where some of them are skipped, and CTest prints nothing of a test that passed. So this reads
CTest's log, which has all output. It knows three forms: GoogleTest's GTEST_SKIP() << reason, unittest's self.skipTest(reason)
with -v, and `skip WHAT REASON` of tests/cli/common.sh.
"""
import ast
import pathlib
import re
import sys

PROGRAM = re.compile(r"\d+/\d+ Test: (.*)")
GTEST_REASON = re.compile(r".*:\d+: Skipped$")
GTEST_CASE = re.compile(r"\[  SKIPPED \] (\S+) \(\d+ ms\)$")
UNITTEST_CASE = re.compile(r"(test_\w+|setUpClass) \(\S+\)")
UNITTEST_SKIPPED = re.compile(r"(?:.*\.\.\. )?skipped (['\"].*['\"])$")
SHELL_SKIPPED = re.compile(r"SKIPPED: (.*?): (.*)")


def skipped(log):
    """(program, case, reason) of each, in the log's order."""
    program, case, reason, reads_reason = "", "", [], False
    for line in log.splitlines():
        if found := PROGRAM.fullmatch(line):
            program, case, reason, reads_reason = found[1], "", [], False
        elif found := GTEST_CASE.match(line):
            yield program, found[1], " ".join(reason) or "no reason given"
            reason, reads_reason = [], False
        elif GTEST_REASON.match(line):
            reason, reads_reason = [], True
        elif reads_reason and line.strip():
            reason.append(line.strip())
        elif found := SHELL_SKIPPED.fullmatch(line):
            yield program, found[1], found[2]
        else:
            reads_reason = False
            if found := UNITTEST_CASE.match(line):
                case = found[1]
            if found := UNITTEST_SKIPPED.match(line):
                yield program, case, ast.literal_eval(found[1])


def report(log):
    found = list(skipped(log))
    if not found:
        return "No test was skipped."
    count = "1 test was skipped:" if len(found) == 1 else f"{len(found)} tests were skipped:"
    return "\n".join([count, *(f"  {program}: {case}: {reason}" for program, case, reason in found)])


if __name__ == "__main__":
    print(report((pathlib.Path(sys.argv[1]) / "Testing/Temporary/LastTest.log").read_text(errors="replace")))
