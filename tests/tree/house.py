"""The tree as the rules of tests/tree read it: its rooms, its files, its includes."""

import functools
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Who may include whom, directly. CMake's link lines must say the same (rule `link_lines`).
CORE = ("core", "core/math", "core/random", "core/record")
ROOMS = {
    "core": (),
    "core/files": (),
    "core/math": ("core",),
    "core/random": ("core", "core/math"),
    "core/record": ("core", "core/files"),
    "core/sqlite": ("core",),
    "policies": ("core", "core/math"),
    "score": ("core", "core/record"),
    "models": ("core", "core/math", "core/random"),
    "flow": ("core", "models"),
    "sim": (*CORE, "models"),
    "real/system": ("core",),
    "real/certs": ("core", "core/files"),
    "real/checkpoint": ("core", "core/files", "core/record", "real/system"),
    "real/nvml": (),
    "real/probes": ("core", "core/files", "models", "real/system", "real/nvml"),
    "real/rank": ("core",),
    "real/stream": ("core", "core/record", "models", "real/system", "real/certs", "real/probes"),
    "real/signals": ("core", "models", "real/system", "real/nvml", "real/rank", "real/stream"),
    "real/telemetry": ("core", "core/sqlite", "real/system"),
    "real/runner": ("core", "real/system", "real/rank", "real/stream", "real/signals"),
    "real/agent": ("core", "core/files", "real/system", "real/certs", "real/nvml", "real/probes", "real/rank", "real/stream", "real/signals", "real/runner"),
    "real/fault_disk": ("core", "real/system"),
    "real/watchdog": ("core/files", "real/system", "real/fault_disk", "real/checkpoint", "real/stream", "real/signals", "real/runner", "real/agent"),
    "real/lab": ("core", "core/files", "models", "real/system", "real/agent", "real/watchdog"),
    "real/trainer": ("core", "core/random", "core/record", "models", "real/system", "real/rank", "real/checkpoint"),
    "real/checkpointer": ("core", "real/system", "real/checkpoint", "real/trainer"),
    "real/clocks": ("core", "core/files", "real/rank", "real/stream"),
    "real/injectors": ("core", "core/files", "models", "real/stream", "real/lab", "real/trainer"),
    "real/control": ("core", "real/system", "real/stream"),
    "real/driver": ("core", "core/files", "core/random", "core/record", "models", "real/system", "real/probes", "real/rank",
                    "real/stream", "real/telemetry", "real/runner", "real/trainer", "real/clocks", "real/injectors", "real/control"),
    "real/launch": ("core", "core/files", "models", "real/system", "real/certs", "real/stream", "real/agent", "real/lab",
                    "real/injectors", "real/driver"),
    "config": ("core", "core/random", "models", "policies"),
    "study/summary": ("core", "score"),
    "study/store": ("core", "core/files", "core/record", "core/sqlite", "score", "study/summary"),
    "study/search": ("core", "core/math"),
    "study/published": ("core/math", "models", "config"),
    "study": (*CORE, "models", "policies", "sim", "score", "config", "study/summary", "study/store"),
    "study/levers": ("core", "core/math", "core/random", "models", "policies", "config", "study", "study/summary"),
    "study/finish": ("core", "core/math", "core/random", "study", "study/summary"),
    "study/uncertainty": ("core", "core/math", "core/random", "models", "config", "study", "study/finish", "study/summary",
                          "study/published"),
    "study/mpi": ("core", "core/record", "score", "config", "study"),
    "report": ("core", "core/record", "score", "study/summary"),
    "report/page": ("core", "core/math", "study/summary"),
    "report/sections": ("core", "score", "study/summary", "report", "report/page"),
    "report/levers": ("report", "report/page", "study/summary"),
    "report/trace_events": ("core",),
    "report/worlds": ("core", "score", "study", "study/summary", "report", "report/page"),
    "shell": ("core", "core/files", "config", "study", "study/store", "study/mpi", "report", "report/page"),
    # No command includes another: what two need moves down.
    "commands/new": ("core", "models", "policies", "config", "study", "shell"),
    "commands/run": ("core", "core/record", "study", "study/summary", "study/published", "study/store", "report", "report/page",
                     "report/sections", "shell"),
    "commands/sweep": ("core", "core/math", "score", "config", "study", "study/summary", "report", "report/page", "report/sections", "shell"),
    "commands/compare": ("core", "score", "study", "study/summary", "report", "report/page", "report/sections", "shell"),
    "commands/tune": ("core", "core/math", "core/random", "policies", "config", "study", "study/summary", "study/search", "report",
                      "report/page", "report/sections", "shell"),
    "commands/plan": ("core", "core/math", "models", "config", "study", "study/finish", "study/levers", "study/store", "study/summary",
                      "study/uncertainty", "report", "report/page", "report/levers", "shell"),
    "commands/rank": ("core", "study", "study/levers", "study/summary", "report", "report/page", "report/sections", "report/levers", "shell"),
    "commands/scale": ("core", "models", "policies", "score", "study", "study/summary", "report", "report/page", "report/sections", "shell"),
    "commands/step": ("core", "models", "flow", "config", "study/summary", "report", "report/page", "report/trace_events", "shell"),
    "commands/timeline": ("core", "core/record", "models", "sim", "score", "config", "study", "study/store", "report", "report/trace_events", "shell"),
    "commands/topology": ("models", "config", "shell"),
    "commands/view": ("core", "core/record", "models", "policies", "score", "config", "study", "study/store", "report", "report/page",
                      "shell"),
    "commands/trace": ("core", "core/math", "core/random", "config", "study/summary", "report", "shell"),
    "commands/calibrate": ("core", "core/math", "core/record", "models", "config", "study", "report", "shell"),
    "commands/validate": ("core", "core/math", "core/random", "models", "policies", "sim", "score", "config", "study", "study/finish",
                          "study/summary", "study/search", "study/uncertainty", "report", "shell"),
    "commands/explain": ("core", "policies", "score", "config", "study/summary", "report", "shell"),
}
# Programs for GPUs and what they share, which CMake builds where CUDA's toolkit is installed. No other room includes them.
DEVICE_ROOMS = {
    "real/cuda": (),
    "real/probes/cuda": ("real/cuda",),
    "real/injectors/cuda": ("real/cuda",),
    "real/device_trainer": ("real/cuda", "real/checkpoint", "real/rank"),
}
# These join the rooms; nothing includes them.
JOINING = ("cli", "python", "bench", "tests")

CODE = (".cpp", ".hpp", ".h", ".cu", ".py", ".sh", ".cmake", ".toml", "CMakeLists.txt", "Makefile")
TEXT = (*CODE, ".md", ".txt", ".json", ".ipynb", ".yml", ".csv", ".html", "run")


def is_cpp(path):
    return path.endswith((".cpp", ".hpp", ".h", ".cu"))


@functools.cache
def room_of(path):
    """The room a file is in (the deepest that contains it), or its top folder if that is not a room."""
    rooms = [room for room in (*ROOMS, *DEVICE_ROOMS, *JOINING) if path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else path.split("/")[0]


def within(path, rooms):
    return any(path.startswith(room + "/") for room in rooms)


LEXEMES = re.compile(
    r'R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)


INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


@functools.cache
def without_comments(text):
    """C++ with its comments blanked and its lines kept."""
    return LEXEMES.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0].startswith("/") else m[0], text)


@functools.cache
def includes_of(text):
    """(line number, header, whether it is in quotes) of every #include of a C++ file."""
    found = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if match := INCLUDE.match(line):
            found.append((number, match[2], match[1] == '"'))
    return found


def includes(tree):
    """(path, line number, header, whether it is in quotes) of every #include."""
    for path, text in tree.items():
        if is_cpp(path):
            for each in includes_of(text):
                yield path, *each


def read_tree():
    tree = {}
    for folder, below, files in os.walk(ROOT):
        below[:] = [name for name in below if name not in (".git", "out", "__pycache__") and not name.startswith(("build", "out-"))]
        for name in files:
            path = pathlib.Path(folder, name)
            if name.endswith(TEXT) and path.is_file():
                tree[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8", errors="replace")
    return dict(sorted(tree.items()))
