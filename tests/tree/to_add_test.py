"""ARCHITECTURE.md, "To add": the files that it lists for a fault model, a detector, a checkpoint policy, a study and a signal are
those that the examples of each kind touch, found by their names in the tree.

    python3 tests/tree/to_add_test.py
"""

import fnmatch
import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("core", "models", "flow", "policies", "sim", "real", "score", "config", "study", "report", "shell", "commands", "cli", "python")
READ = ("*.cpp", "*.hpp", "*.py", "*.sh", "*.toml", "*.proto", "CMakeLists.txt", "*.cmake")

# The words by which code names an example; `{}` is what the file names have.
EXAMPLES = {
    "A fault model": {name: rf"(?<![\w.-]){name}\b" for name in ("disk_slow", "spine_lost", "ecmp_collision")},
    "A detector": {
        "learned-hang": r"learned.hang|LearnedHang",
        "change-point": r"change.point|ChangePoint",
        "traffic-stopped": r"traffic.stopped|TrafficStopped",
    },
    "A checkpoint policy": {
        "daly": r"\bdaly\b|daly_interval",
        "two-level": r"two-level|TwoLevelInterval|two_level_optimum",
    },
    "A study": {
        name: rf"\b{name.capitalize()}(Request|Result|Plan)\b|\badd_{name}\b|\b{name}(_command)?\((request|const)"
              rf"|commands/{name}[/\"]|commands_{name}\b|add_subdirectory\({name}\)|[^<]\"{name}[\" ]"
        for name in ("scale", "sweep")
    },
    "A signal": {
        "forward_time": r"Signal::forward_time|\"forward_time\"",
        "traffic": r"Signal::traffic\b|traffic_interval",
        "log_line": r"Signal::log_line|\"log_line\"",
        "checkpoint_stall": r"Signal::checkpoint_stall",
    },
}
# Every member of a kind, by the file that lists them, or their folder, and a pattern of its names. All "always" files name all of them.
MEMBERS = {
    "A fault model": ("scenarios/catalog/fault-models/", r"(\w+)\.toml", r"(?<![\w.-]){0}\b"),
    "A detector": ("policies/controller/registry.cpp", r'^    \{"([\w-]+)",\s*"[^"]*",\s*\{Signal', r"(?<![\w-]){0}(?![\w-])|{1}_detector"),
    "A signal": ("core/signal.hpp", r'"(\w+)"[,}]', r"\b{0}\b"),
}
# Files that name the kind and not its members: an array with one element for each.
ONE_FOR_EACH = {"A signal": re.compile(r"array<[^>]*, kSignals> k\w+ = \{")}
# Words that happen to be those of an example.
OTHER_MEANINGS = {
    "A detector": {"commands/new/draft.cpp"},  # sets the constants of some
    "A checkpoint policy": {
        "commands/new/draft.cpp",                      # what a draft begins with
        "config/toml/toml_errors.cpp",                      # `policy = daly`, an example of TOML
        "study/uncertainty/two_level.cpp", "study/uncertainty/two_level.hpp",  # a statistical model with two levels
    },
    "A signal": {"commands/step/traffic.cpp", "commands/step/traffic.hpp"},  # of other jobs on the fabric
    "A study": {
        "core/random/law.cpp", "config/fields/laws.cpp", "study/levers/stretched.cpp", "commands/validate/oracles/renewals.cpp",  # of a distribution
        "report/page/chart_json.cpp",                    # of an axis
        "shell/workbench.hpp", "study/store/store.hpp",  # comments that give a sweep as an example
    },
}


@functools.cache
def read_tree():
    paths = [path for folder in (*ROOMS, "cmake", "tests", "scenarios") for kind in READ for path in (ROOT / folder).rglob(kind)]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in paths}


def sections(architecture):
    """{kind: (examples, {file: when})} of "To add"."""
    found = {}
    for section in architecture.partition("\n## To add\n")[2].split("\n### ")[1:]:
        kind, _, text = section.partition("\n")
        files = {}
        for line in text.splitlines():
            if (row := re.match(r"\| `([^`]+)` \| ([^|]+) \|", line)):
                files[row[1]] = row[2].strip()
        examples = re.findall(r"`([^`]+)`", (re.search(r"^Examples: (.*)$", text, re.M) or ["", ""])[1])
        found[kind] = (examples, files)
    return found


def spelt(name):
    """As file names have it."""
    return name.replace("-", "_")


@functools.cache
def touched(kind, name):
    """The files that name an example, or are named by it."""
    tree = read_tree()
    own = re.compile(rf"(^|/){spelt(name)}((_[a-z_]+)?\.\w+$|/)")  # a file, or a folder
    words = re.compile(EXAMPLES[kind][name])
    return {path for path, text in tree.items() if own.search(path) or words.search(text)}


@functools.cache
def one_for_each(kind):
    """The files that have an element for each member, without its name."""
    return {path for path, text in read_tree().items() if kind in ONE_FOR_EACH and ONE_FOR_EACH[kind].search(text)}


def listed(files, name):
    return {file.replace("NAME", spelt(name)): when for file, when in files.items()}


def covers(patterns, path):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def complaints(kind, files):
    met = set()
    own_rooms = {path for path in read_tree() if path.startswith(tuple(room + "/" for room in ROOMS))}
    nameless = one_for_each(kind)
    for path in nameless - set(files):
        yield f"{kind}: {path} has one element for each, and is not listed"
    for name in EXAMPLES[kind]:
        these, at = listed(files, name), (touched(kind, name) - OTHER_MEANINGS.get(kind, set())) | nameless
        for path in sorted((at & own_rooms)):
            if not covers(these, path):
                yield f"{kind}: {path} names {name}, and is not listed"
        for (pattern, when), file in zip(these.items(), files):
            hit = any(fnmatch.fnmatchcase(path, pattern) for path in at)
            if hit:
                met.add(file)
            elif when == "always":
                yield f"{kind}: {pattern} is listed as \"always\", and does not name {name}"
    for file in files:
        if file not in met:
            yield f"{kind}: {file} is listed, and no example touches it"


def complaints_of_members(kind, files):
    tree = read_tree()
    source, pattern, words = MEMBERS[kind]
    listing = "\n".join(path.removeprefix(source) for path in tree if path.startswith(source)) if source.endswith("/") else tree[source]
    members = re.findall(pattern, listing, re.M)
    if len(members) < 10:
        yield f"{kind}: {source} has {members}"
    for name in members:
        for file, when in files.items():
            path = file.replace("NAME", name)
            if when != "always" or "_detector" in file or file in one_for_each(kind):
                continue
            named = "NAME" in file or re.search(words.format(name, spelt(name)), tree.get(path, ""))
            if path not in tree or not named:
                yield f"{kind}: {path} is listed as \"always\", and does not name {name}"


class ToAdd(unittest.TestCase):
    def setUp(self):
        self.sections = sections((ROOT / "ARCHITECTURE.md").read_text())

    def test_the_lists_are_those_of_the_examples(self):
        for kind in EXAMPLES:
            examples, files = self.sections[kind]
            self.assertEqual(set(examples), set(EXAMPLES[kind]), kind)
            found = list(complaints(kind, files))
            self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_what_is_always_touched_names_every_member(self):
        for kind in MEMBERS:
            found = list(complaints_of_members(kind, self.sections[kind][1]))
            self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_file_that_the_map_names_exists(self):
        text = (ROOT / "ARCHITECTURE.md").read_text().partition("\n### Other parts\n")[2]
        for path in re.findall(r"`([a-z_]+/[\w./-]+)`", text):
            self.assertTrue((ROOT / path).exists(), path)
        self.assertGreater(len(re.findall(r"`([a-z_]+/[\w./-]+)`", text)), 8)

    def test_every_file_to_start_reading_at_exists(self):
        found = re.findall(r"^\| `([\w/]+)/` \| .* \| ([^|]*) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.M)
        self.assertGreater(len(found), 20)
        for room, files in found:
            for file in re.findall(r"`([^`]+)`", files):
                self.assertTrue((ROOT / room / file).exists(), f"{room}/{file}")

    def test_no_exception_is_out_of_date(self):
        for kind, paths in OTHER_MEANINGS.items():
            self.assertEqual(paths - set().union(*(touched(kind, name) for name in EXAMPLES[kind])), set(), kind)

    def test_a_list_that_is_wrong_is_flagged(self):
        for kind in EXAMPLES:
            _, files = self.sections[kind]
            for file, when in files.items():
                fewer = {each: when for each, when in files.items() if each != file}
                in_rooms = file.startswith(ROOMS)
                if in_rooms and not covers(fewer, file):
                    self.assertNotEqual(list(complaints(kind, fewer)), [], f"{kind} without {file}")
            more = {**files, "sim/engine/engine.hpp": "always"}
            self.assertNotEqual(list(complaints(kind, more)), [], kind)
            self.assertNotEqual(list(complaints(kind, {**files, "sim/engine/engine.hpp": "sometimes"})), [], kind)


if __name__ == "__main__":
    unittest.main()
