#!/usr/bin/env python3
"""Prints, for each room, how many of its lines and branches ran since the counters in a build folder were last removed.

    make coverage
    scripts/coverage.py build-coverage                        the table, as Markdown
    scripts/coverage.py build-coverage --missed real/agent    the lines of one folder that did not run, and the branches

A line of a template or of a header counts as run if any instance of it ran. Branches that only an exception takes are left out:
nearly every call has one. A process that is killed, or ends by _exit, does not write its counters.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess

# Every folder of the program's code has a CMakeLists.txt.
ROOMS = {each.parent.name for each in pathlib.Path(__file__).parents[1].glob("*/CMakeLists.txt")} - {"bench", "tests"}


def gcov(notes, build):
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], cwd=build, text=True,
                          capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class File:
    def __init__(self):
        self.lines = collections.Counter()
        self.branches = {}  # by line: how often each was taken

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        taken = [branch["count"] for branch in line.get("branches", []) if not branch["throw"]]
        known = self.branches.setdefault(number, [0] * len(taken))
        known.extend([0] * (len(taken) - len(known)))
        for place, count in enumerate(taken):
            known[place] += count


def counted(build):
    """What ran of each file of a room."""
    files = collections.defaultdict(File)
    notes = sorted(pathlib.Path(build).resolve().rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for documents in pool.map(lambda each: gcov(each, build), notes):
            for document in documents:
                for of in document["files"]:
                    if of["file"].split("/")[0] in ROOMS:
                        for line in of["lines"]:
                            files[of["file"]].add(line)
    return files


def share(run, count):
    return f"{100 * run / count:.1f}%" if count else "-"


def table(files):
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name, of in files.items():
        taken = [count for counts in of.branches.values() for count in counts]
        figures = (sum(count > 0 for count in of.lines.values()), len(of.lines), sum(count > 0 for count in taken), len(taken))
        for room in ("/".join(name.split("/")[:2] if name.count("/") > 1 else name.split("/")[:1]), "all"):
            rooms[room] = [a + b for a, b in zip(rooms[room], figures)]
    rows = ["| room | lines | run | branches | taken |", "|---|---:|---:|---:|---:|"]
    for room in sorted(rooms, key=lambda each: (each == "all", each)):
        run, lines, taken, branches = rooms[room]
        rows.append(f"| {room if room == 'all' else f'`{room}/`'} | {lines} | {share(run, lines)} | {branches} | {share(taken, branches)} |")
    return "\n".join(rows)


def missed(files, folder):
    for name in sorted(each for each in files if each.startswith(folder)):
        source = pathlib.Path(name).read_text().splitlines()
        for line, count in sorted(files[name].lines.items()):
            branches = files[name].branches.get(line, [])
            if count == 0 or 0 in branches:
                what = "line" if count == 0 else f"{branches.count(0)} of {len(branches)} branches"
                print(f"{name}:{line}: {what}: {source[line - 1].strip()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--missed", metavar="FOLDER")
    arguments = parser.parse_args()
    files = counted(arguments.build)
    if arguments.missed:
        missed(files, arguments.missed)
    else:
        print(table(files))


if __name__ == "__main__":
    main()
