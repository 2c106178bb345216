#!/usr/bin/env python3
"""Writes the table "The size of each folder" of ARCHITECTURE.md: for each folder of code its files, their lines, its largest class.

    scripts/rooms.py            print the table
    scripts/rooms.py --write    write it into ARCHITECTURE.md

A file is a .cpp or a .hpp. Members are the data members of a class or struct, without those of its bases.
"""
import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tree"))
from house import is_cpp, read_tree  # noqa: E402
from members_test import classes  # noqa: E402

BEGIN, END = "<!-- scripts/rooms.py --write -->\n", "<!-- end -->\n"


def table(tree):
    folders = {}
    for path, text in tree.items():
        if is_cpp(path) and path.split("/")[0] not in ("bench", "tests"):
            folders.setdefault(path.rpartition("/")[0], []).append((path.rpartition("/")[2], text))
    rows = ["| folder | files | median lines | longest file | lines | largest class | members |", "|---|---:|---:|---|---:|---|---:|"]
    for folder, files in sorted(folders.items()):
        lengths = {name: text.count("\n") for name, text in files}
        longest = max(sorted(lengths), key=lengths.get)
        largest, members = max(((name, count) for _, text in files for name, count, _ in classes(text)), key=lambda each: each[1],
                               default=("-", 0))
        rows.append(f"| `{folder}/` | {len(files)} | {statistics.median(lengths.values()):.0f} | `{longest}` | {lengths[longest]} | "
                    f"`{largest}` | {members} |")
    return "\n".join(rows) + "\n"


def replaced(page, rows):
    """The page with these rows in the place of those that it had."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"ARCHITECTURE.md: has no lines '{BEGIN.strip()}' and '{END.strip()}', between which the table stands")
    return before + begin + "\n" + rows + "\n" + end + after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into ARCHITECTURE.md")
    rows = table(read_tree())
    if not parser.parse_args().write:
        print(rows, end="")
        return
    page = ROOT / "ARCHITECTURE.md"
    page.write_text(replaced(page.read_text(), rows))


if __name__ == "__main__":
    main()
