#!/usr/bin/env python3
"""Shows why tests of the last run of CTest in a build folder failed, once more, at the end: a program of many cases prints much else.

    scripts/failed_tests.py build

It reads CTest's log, and takes the failures of GoogleTest and of unittest out of the output of each program that failed; of any other
program its last lines.
"""
import pathlib
import re
import sys

PROGRAM = re.compile(r"\d+/\d+ Test: (.*)")
PASSED = re.compile(r"Test (Passed|Skipped)\.")
END = "<end of output>"
GTEST_FAILURE = re.compile(r"\S+:\d+: Failure$|unknown file: Failure$")
UNITTEST_FAILURE = re.compile(r"(FAIL|ERROR): ")
UNITTEST_END = re.compile(r"Ran \d+ tests? in ")
LAST_LINES = 40
MOST_LINES = 150  # of one program


def programs(log):
    """(name, output, whether it passed) of each, in the log's order."""
    name, output, over = "", [], False
    for line in log.splitlines():
        if found := PROGRAM.fullmatch(line):
            if name:
                yield name, output, False
            name, output, over = found[1], [], False
        elif name and over and line.startswith("Test ") and not line.startswith("Test time"):
            yield name, output, bool(PASSED.match(line))
            name = ""
        elif line == END:
            over = True
        elif name and not over:
            output.append(line)
    if name:
        yield name, output, False


def why(output):
    """The lines that say so."""
    found, takes = [], ""
    for line in output:
        if GTEST_FAILURE.match(line):
            takes = "gtest"
        elif UNITTEST_FAILURE.match(line):
            takes = "unittest"
        elif (takes == "gtest" and line.startswith("[ ")) or (takes == "unittest" and UNITTEST_END.match(line)):
            found.append(line)
            takes = ""
        if takes:
            found.append(line)
    found = found or output[-LAST_LINES:]
    return found if len(found) <= MOST_LINES else [*found[:MOST_LINES], f"({len(found) - MOST_LINES} more lines)"]


def report(log):
    return "\n".join("\n".join([f"{name} failed:", *("  " + line for line in why(output))])
                     for name, output, passed in programs(log) if not passed)


if __name__ == "__main__":
    text = report((pathlib.Path(sys.argv[1]) / "Testing/Temporary/LastTest.log").read_text(errors="replace"))
    if text:
        print(text)
