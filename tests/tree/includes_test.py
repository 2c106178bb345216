"""Reads the tree and holds it to the house rules: who may include whom, what headers may name, where chance may come from.

Each rule is a function from a tree (path -> text) to complaints, and each is first shown a small offending tree that it
must flag, beside a harmless twin that it must not: a rule that cannot fail is a defect.

    python3 tests/tree/includes_test.py
"""

import re
import unittest

from house import CODE, DEVICE_ROOMS, JOINING, LEXEMES, ROOMS, TEXT, includes, is_cpp, read_tree, room_of, within, without_comments

STANDARD = set("""
algorithm any array atomic barrier bit bitset charconv chrono compare complex concepts condition_variable coroutine deque
exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges
ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf
string string_view syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
valarray variant vector version cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg
cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype
""".split())
# The rooms that use the standard library only, and what they may name beside it. Boost.Graph is algorithms on values.
STANDARD_ONLY = {"core": (), "core/math": (), "core/random": ("Random123/",), "core/record": (),
                 "policies": ("boost/graph/",)}

# A policy is a pure state machine: no thread, file, generator, clock or terminal.
POLICIES_NEVER = set("""
thread mutex shared_mutex condition_variable future stop_token semaphore latch barrier fstream filesystem iostream cstdio
random ctime
""".split())

EVERY_ROOM = {**ROOMS, **DEVICE_ROOMS}
# Headers that stay out of public headers: in .cpp files, or (not the ONE_FILE ones) in a room's own *_private.hpp.
HIDDEN = {
    "SimGrid": r"simgrid/|xbt",
    "Boost.Graph": r"boost/graph/",
    "Eigen": r"Eigen/",
    "gRPC": r"grpc",
    "OpenSSL": r"openssl/",
    "SQLite": r"sqlite3",
    "CUDA": r"cuda|nvml",
    "NCCL": r"nccl",
    "MPI": r"mpi\.h",
    "nlohmann-json": r"nlohmann/(?!json_fwd)",
    "librdkafka": r"librdkafka/",
}
# But a room that is about nothing else: what includes its headers is built where the library is.
ABOUT = {"real/cuda": "CUDA"}
# Heavy headers, each named by one .cpp of the tree.
ONE_FILE = {"CLI11": r"CLI/|CLI11", "toml++": r"toml\+\+/|toml\.hpp"}
# What only says or draws a result that is there: no simulator, no study, no terminal.
PURE = re.compile(r"^commands/(\w+)/(?:.*/)?(?:\w+_)?(text|page|table|words|answer|map|time_line|timeline)\.[ch]pp$")
PURE_MAY = ("core", "core/math", "core/record", "score", "study/summary", "report", "report/levers", "report/page", "report/sections", "report/trace_events")
PURE_OWN = re.compile(r"/(?:\w+_)?(assets|result|picture|text|page|table|words|answer|map|time_line|timeline)\.hpp$")

# What reaches results must not depend on the C library of the machine, nor on its clock.
RESULTS = ("core", "models", "policies", "sim", "score", "config", "study", "commands")
NO_CLOCK = ("core", "models", "policies", "sim", "score", "config", "study/summary", "study/store", "study/search", "study/published", "commands")

# Spelt so that this file does not trip over itself.
UNFINISHED = re.compile(
    r"\b(T[O]DO|F[I]XME|X{3}|H[A]CK|W[I]P)\b|(?i:\b(not (yet )?impl[e]mented|unimpl[e]mented|place[h]older|st[u]bs?|hard-?c[o]ded|for n[o]w)\b)")
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(w[o]rk|h[o]me|r[o]ot|t[m]p|U[s]ers|f[a]rm)/[\w.$-]")
CHANCE = re.compile(
    r"std::\w+_distribution|\bmt19937|\brandom_device|\bdefault_random_engine|\bminstd_rand|std::(shuffle|sample)\b|\bs?rand\s*\(|\b[dlm]rand48")
LIBM = re.compile(
    r"(?:\bstd|(?<![\w:>]))::(log|log2|log10|log1p|exp|exp2|expm1|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh"
    r"|tgamma|lgamma|erf|erfc|beta|riemann_zeta)[fl]?\s*\(")
LISTENS = re.compile(r"(?<![\w>])::(?:listen|bind)\s*\(|\bAddListeningPort\b")
MAY_LISTEN = ("real/stream/listening.cpp", "real/runner/rank_channels.cpp", "real/runner/host_checkpointer.cpp", "real/trainer/tcp.cpp",
              "real/probes/link/link_server.cpp", "real/launch/free_port.cpp")  # the last one binds and never listens
CLOCK = re.compile(r"(system|steady|high_resolution|utc)_clock|\btime\s*\(\s*(nullptr|NULL|0)\s*\)|clock_gettime|gettimeofday")

# How a policy would tell the simulated world from the real one, or be built differently for it.
TWO_WORLDS = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif|else)\b.*|\b(?:is_)?simulated\b|\bis_(?:real|simulation|drill)\b")
OWN_COMMAND = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef)\b.*")

def matches(tree, pattern, wanted, clean):
    """(path, line number, text) of every match of `pattern` in the wanted files, after cleaning."""
    for path, text in tree.items():
        if wanted(path):
            for number, line in enumerate(clean(text).splitlines(), 1):
                for found in pattern.finditer(line):
                    yield path, number, found[0]


def named_by(header, families):
    return [name for name, pattern in families.items() if re.match(pattern, header)]


# The rules.


def rooms_include_what_they_may(tree):
    for path, number, header, quoted in includes(tree):
        room = room_of(path)
        if not quoted:
            continue
        target = room_of(header)
        if "/" not in header or (target not in EVERY_ROOM and target not in JOINING):
            yield f'{path}:{number}: "{header}" is not rooted at the repository (project includes name room and file; others go in <>)'
        elif target in JOINING and target != room:
            yield f"{path}:{number}: {header}: nothing includes {target}"
        elif room in EVERY_ROOM and target != room and target not in EVERY_ROOM[room]:
            may = ", ".join(EVERY_ROOM[room]) or "nothing of ours"
            yield f"{path}:{number}: {header}: {room} may include {may}, not {target}"


def every_edge_is_used(tree):
    """Of the rooms that have files in the tree."""
    used = {}
    for path, _, header, quoted in includes(tree):
        if quoted:
            used.setdefault(room_of(path), set()).add(room_of(header))
    for room in used:
        for target in EVERY_ROOM.get(room, ()):
            if target not in used[room]:
                yield f"the table lets {room} include {target}, and no file of {room} does: remove the edge, here and from the link line"


def reports_of_commands_are_pure(tree):
    for path, number, header, quoted in includes(tree):
        command = PURE.match(path)
        if not command or not quoted or room_of(header) in PURE_MAY:
            continue
        if not (header.startswith(f"commands/{command[1]}/") and PURE_OWN.search(header)):
            yield (f"{path}:{number}: {header}: what says or draws a result includes core, score, study/summary, report and its own"
                   " command's result")


def circles(graph):
    """The sets of nodes that reach each other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = [stack.pop()]
            while circle[-1] != node:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def include_graph(tree, of):
    graph = {}
    for path, _, header, quoted in includes(tree):
        if quoted and room_of(path) in EVERY_ROOM and room_of(header) in EVERY_ROOM and of(path) != of(header):
            graph.setdefault(of(path), set()).add(of(header))
    return graph


def folders_include_one_way(tree):
    for circle in circles(include_graph(tree, lambda path: path.rpartition("/")[0])):
        yield f"the folders {', '.join(circle)} include each other"


def files_include_one_way(tree):
    """A header, its .cpp and its private header are one."""
    for circle in circles(include_graph(tree, lambda path: path.rpartition(".")[0].removesuffix("_private"))):
        yield f"{', '.join(circle)} include each other"


def every_folder_is_a_room(tree):
    for path in tree:
        if is_cpp(path) and room_of(path) not in EVERY_ROOM and room_of(path) not in JOINING:
            yield f"{path}: {room_of(path)} is not a room (add it to the table of this test and to CMakeLists.txt, or move the file)"


def core_and_policies_use_the_standard_library_alone(tree):
    for path, number, header, quoted in includes(tree):
        allowed = STANDARD_ONLY.get(room_of(path))
        if allowed is not None and not quoted and header not in STANDARD and not header.startswith(allowed):
            yield f"{path}:{number}: <{header}>: {room_of(path)} uses the standard library only"


def policies_are_pure(tree):
    for path, number, header, _ in includes(tree):
        if room_of(path) == "policies" and header in POLICIES_NEVER:
            yield f"{path}:{number}: <{header}>: a policy has no thread, file, generator, clock or terminal (order it, observe it later)"


def policies_know_one_world(tree):
    for path, number, text in matches(tree, TWO_WORLDS, lambda p: is_cpp(p) and within(p, ("policies",)), without_comments):
        yield f"{path}:{number}: '{text.strip()}': a policy cannot know which world it is in (nothing is left out of a build of it, nothing asks)"


def public_headers_hide_libraries(tree):
    for path, number, header, _ in includes(tree):
        if not path.endswith((".hpp", ".h")) or room_of(path) == "tests":
            continue
        for name in named_by(header, ONE_FILE):
            yield f"{path}:{number}: {header}: {name} is named in .cpp files only"
        for name in named_by(header, HIDDEN):
            if not path.endswith("_private.hpp") and ABOUT.get(room_of(path)) != name:
                yield f"{path}:{number}: {header}: {name} is named in .cpp files or in one *_private.hpp, never in a public header"


def private_headers_stay_in_their_room(tree):
    """A fuzzer may name them: the readers of bytes from elsewhere are often a room's own affair."""
    for path, number, header, _ in includes(tree):
        if header.endswith("_private.hpp") and not within(path, ("tests/fuzz",)) and (
            room_of(header) != room_of(path) or (path.endswith(".hpp") and not path.endswith("_private.hpp"))
        ):
            yield f"{path}:{number}: {header} is private to the .cpp files of {room_of(header)}"


def heavy_headers_have_one_file(tree):
    """The main.cpp of a small program, such as the trainer, may name them too."""
    users = {}
    for path, _, header, _ in includes(tree):
        if path.endswith(".cpp") and room_of(path) != "tests" and not path.endswith("/main.cpp"):
            for name in named_by(header, ONE_FILE):
                users.setdefault(name, set()).add(path)
    for name, files in users.items():
        if len(files) > 1:
            yield f"{name} is heavy and belongs in one .cpp, not in {', '.join(sorted(files))}"


def chance_comes_from_named_streams(tree):
    for path, number, text in matches(tree, CHANCE, lambda p: is_cpp(p) and room_of(p) != "bench", without_comments):
        yield f"{path}:{number}: {text}: randomness comes from core/random's named streams (its bytes are ours, on any machine)"


def results_use_our_own_functions(tree):
    for path, number, text in matches(tree, LIBM, lambda p: is_cpp(p) and within(p, RESULTS) and not PURE.match(p), without_comments):
        yield f"{path}:{number}: {text}...): the C library's last bit depends on the machine (use core/math)"


def only_the_real_world_has_a_clock(tree):
    for path, number, text in matches(tree, CLOCK, lambda p: is_cpp(p) and within(p, NO_CLOCK), without_comments):
        yield f"{path}:{number}: {text}: the wall clock is not read here (time is handed in)"


def whoever_listens_checks_who_comes(tree):
    """Each of these files accepts its connections itself, and looks at each before anything is read from it."""
    for path, number, text in matches(tree, LISTENS, lambda p: is_cpp(p) and p not in MAY_LISTEN and not within(p, ("tests",)), without_comments):
        yield f"{path}:{number}: {text}: nothing listens without a check of who connects (real/stream/acceptor.hpp)"


def nothing_is_unfinished(tree):
    for path, number, text in matches(tree, UNFINISHED, lambda p: p.endswith(CODE), str):
        yield f"{path}:{number}: '{text}' marks something unfinished (finish it, or say what holds)"


def no_machine_is_named(tree):
    for path, number, text in matches(tree, MACHINE_PATH, lambda p: p.endswith(TEXT), str):
        yield f"{path}:{number}: '{text}...' is a path of one machine"


TYPE_HEAD = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?([\w:]+)[^;(){}=]*$")


def named_types(text):
    """The types that a C++ file defines in a named namespace, where every other file's types are too."""
    text = LEXEMES.sub(" ", text)
    scopes, start = [], 0
    for brace in re.finditer(r"[{}]", text):
        head = text[start:brace.start()].strip()
        start = brace.end()
        if brace[0] == "}":
            if scopes:
                scopes.pop()
        elif found := re.search(r"\bnamespace\s*([\w:]*)\s*$", head):
            scopes.append(found[1])
        else:
            if (found := TYPE_HEAD.search(head)) and scopes and all(scopes):
                yield "::".join((*scopes, found[1]))
            scopes.append("")


def a_type_is_defined_once(tree):
    """Two types of one name in one namespace are one type to the linker: it keeps one of their constructors for both. Tests link rooms."""
    where = {}
    for path, text in tree.items():
        if is_cpp(path):
            for name in named_types(text):
                where.setdefault(name, set()).add(path)
    for name, paths in where.items():
        if len(paths) > 1:
            yield f"{name} is defined in {' and in '.join(sorted(paths))}"


def link_lines_are_the_include_rules(tree):
    target_of = {room: room.replace("/", "_") for room in ROOMS}
    for room, may in ROOMS.items():
        path = f"{room}/CMakeLists.txt"
        if path not in tree:
            if any(is_cpp(p) and room_of(p) == room for p in tree):
                yield f"{path}: missing: {room} has sources and no target"
            continue
        text = re.sub(r"#[^\n]*", "", tree[path])
        calls = re.findall(r"gauntlet_room\(([^)]*)\)", text)
        if len(calls) != 1 or calls[0].split()[0] != target_of[room]:
            yield f"{path}: holds one gauntlet_room({target_of[room]} ...)"
            continue
        links = re.split(r"\bUSES\b", " ".join(calls[0].split()))[0].partition("LINKS")[2].split()
        wanted = {target_of[other] for other in may}
        if set(links) != wanted:
            yield f"{path}: LINKS {' '.join(sorted(links))}, where the include rules say {' '.join(sorted(wanted)) or 'nothing'}"
        if "target_link_libraries" in text:
            yield f"{path}: target_link_libraries: link through gauntlet_room's LINKS and USES, which this test reads"


def the_controller_is_one_library(tree):
    """`gauntlet run` and `gauntlet drill` are one executable, which links the one target that compiles policies/."""
    programs = {}
    for path, text in tree.items():
        if not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        text = re.sub(r"#[^\n]*", "", text)
        for found in re.finditer(r"[^\s()\"]*\bpolicies/[^\s()\"]*(?:\.cpp|\*)", text):
            if not found[0].startswith("tests/"):
                yield f"{path}: {found[0]}: only the target policies compiles the policies; link it"
        for folders in re.findall(r"\bFOLDERS\s+(.*?)(?:LINKS|USES|\))", text, re.DOTALL):
            for folder in folders.split():
                if "policies" in folder.split("/"):
                    yield f"{path}: {folder}: only the target policies compiles the policies; link it"
        for name in re.findall(r"add_executable\(\s*(\S+)", text):
            linked = re.findall(r"target_link_libraries\(\s*%s\b([^)]*)\)" % re.escape(name), text)
            programs[path, name] = " ".join(linked).split()
        if room_of(path) == "policies" and re.search(r"\b(add_library|add_executable|target_sources)\b", text):
            yield f"{path}: the policies are the one library that gauntlet_room makes of them"
    commands = [(path, links) for (path, name), links in programs.items() if name == "gauntlet"]
    if any(room_of(path) == "cli" and is_cpp(path) for path in tree):
        if [path for path, _ in commands] != ["cli/CMakeLists.txt"]:
            yield "cli/CMakeLists.txt: makes the one executable gauntlet, whose commands are run and drill alike"
        rooms = re.search(r"set\(GAUNTLET_ALL_ROOMS\b([^)]*)\)", tree.get("cmake/rooms.cmake", ""))
        for path, links in commands:
            every = rooms[1].split() if rooms and "${GAUNTLET_ALL_ROOMS}" in links else []
            if "policies" not in links + every:
                yield f"{path}: gauntlet links policies"
    for path, number, text in matches(tree, OWN_COMMAND, lambda p: is_cpp(p) and room_of(p) == "cli", without_comments):
        yield f"{path}:{number}: '{text}': a command that chooses at compile time which controller it has"


ONE_CONTROLLER = {
    "policies/CMakeLists.txt": "gauntlet_room(policies SUBFOLDERS LINKS core core_math)  # policies/*.cpp",
    "policies/controller/controller.cpp": "",
    "cmake/rooms.cmake": "set(GAUNTLET_ALL_ROOMS\n    core\n    policies\n    real)",
    "cli/CMakeLists.txt": "add_executable(gauntlet ${sources})\ntarget_link_libraries(gauntlet PRIVATE ${GAUNTLET_ALL_ROOMS} fmt::fmt)\n",
    "cli/replay.cpp": "",
    "cli/drill.cpp": "",
}

# For each rule, trees that it must flag and twins that it must let pass.
EXAMPLES = {
    rooms_include_what_they_may: [
        ({"policies/a.cpp": '#include "sim/engine/engine.hpp"'}, {"policies/a.cpp": '#include "core/math/log.hpp"'}),
        ({"core/a.hpp": '#include "core/math/log.hpp"'}, {"core/math/a.hpp": '#include "core/time.hpp"'}),
        ({"score/a.cpp": '#include "core/random/stream.hpp"'}, {"score/a.cpp": '#include "core/record/truth.hpp"'}),
        ({"study/store/a.cpp": '#include "study/point.hpp"'}, {"study/a.cpp": '#include "study/store/store.hpp"'}),
        ({"commands/run/a.cpp": '#include "commands/plan/plan.hpp"'}, {"commands/run/a.cpp": '#include "commands/run/b.hpp"'}),
        ({"models/x/a.cpp": '  #  include "policies/a.hpp"'}, {"models/x/a.cpp": '// #include "policies/a.hpp"'}),
        ({"sim/a.cpp": '#include "cli/main.hpp"'}, {"cli/main.cpp": '#include "sim/a.hpp"'}),
        ({"sim/a.cpp": '#include "tests/support/a.hpp"'}, {"tests/sim/a.cpp": '#include "tests/support/a.hpp"'}),
        ({"sim/a.cpp": '#include "engine.hpp"'}, {"sim/a.cpp": '#include "sim/engine/engine.hpp"'}),
        ({"sim/a.cpp": '#include "../core/time.hpp"'}, {"sim/a.cpp": '#include "core/time.hpp"'}),
    ],
    every_edge_is_used: [
        ({"commands/topology/a.cpp": '#include "models/a.hpp"'},
         {"commands/topology/a.cpp": '#include "models/a.hpp"\n#include "config/a.hpp"\n#include "shell/a.hpp"'}),
    ],
    reports_of_commands_are_pure: [
        ({"commands/run/text.cpp": f'#include "{header}"'}, {"commands/run/text.cpp": f'#include "{twin}"'})
        for header, twin in (("study/point.hpp", "study/summary/summary.hpp"), ("commands/run/search.hpp", "commands/run/result.hpp"), ("commands/run/context.hpp", "commands/run/text.hpp"),
                             ("shell/terminal.hpp", "report/table.hpp"))
    ],
    folders_include_one_way: [
        ({"sim/a/x.hpp": '#include "sim/b/y.hpp"', "sim/b/z.hpp": '#include "sim/a/w.hpp"'},
         {"sim/a/x.hpp": '#include "sim/b/y.hpp"', "sim/b/z.hpp": '#include "sim/w.hpp"'}),
    ],
    files_include_one_way: [
        ({"sim/x.cpp": '#include "sim/y.hpp"', "sim/y.cpp": '#include "sim/x.hpp"'},
         {"sim/x.cpp": '#include "sim/y.hpp"', "sim/y.cpp": '#include "sim/y.hpp"'}),
    ],
    every_folder_is_a_room: [({"utils/a.hpp": ""}, {"sim/a.hpp": "", "bench/a.cpp": ""})],
    core_and_policies_use_the_standard_library_alone: [
        ({"core/a.cpp": "#include <fmt/core.h>"}, {"report/a.cpp": "#include <fmt/core.h>"}),
        ({"core/math/a.cpp": "#include <Random123/philox.h>"}, {"core/random/a.cpp": "#include <Random123/philox.h>"}),
        ({"policies/detect/a.cpp": "#include <unistd.h>"}, {"policies/detect/a.cpp": "#include <vector>"}),
    ],
    policies_are_pure: [
        ({"policies/detect/a.hpp": f"#include <{header}>"}, {"study/a.hpp": f"#include <{header}>"})
        for header in ("thread", "mutex", "fstream", "filesystem", "random", "iostream")
    ],
    policies_know_one_world: [
        ({"policies/recover/a.cpp": line}, {"sim/a.cpp": line, "policies/a.hpp": "#pragma once\n#include <vector>\n// " + line})
        for line in ("#if SIMULATED", "  # ifdef NDEBUG", "#ifndef A", "#elif B", "if (clock.simulated()) return;", "bool is_real = true;", "world.is_simulated()")
    ],
    the_controller_is_one_library: [
        ({**ONE_CONTROLLER, **change}, ONE_CONTROLLER)
        for change in (
            {"real/CMakeLists.txt": "target_sources(real PRIVATE ../policies/controller/controller.cpp)"},
            {"real/CMakeLists.txt": "gauntlet_room(real FOLDERS driver ../policies/controller LINKS core)"},
            {"cli/CMakeLists.txt": ONE_CONTROLLER["cli/CMakeLists.txt"] + 'file(GLOB more "${PROJECT_SOURCE_DIR}/policies/*/*.cpp")'},
            {"cli/CMakeLists.txt": "add_executable(gauntlet main.cpp)\ntarget_link_libraries(gauntlet PRIVATE sim)"},
            {"cli/CMakeLists.txt": "add_executable(gauntlet-run replay.cpp)\nadd_executable(gauntlet-drill drill.cpp)"},
            {"cmake/rooms.cmake": "set(GAUNTLET_ALL_ROOMS core sim real)"},
            {"policies/CMakeLists.txt": "gauntlet_room(policies)\nadd_library(policies_of_drills STATIC controller.cpp)"},
            {"cli/drill.cpp": "#ifdef GAUNTLET_DRILL\n#endif"},
        )
    ],
    public_headers_hide_libraries: [
        ({"sim/a.hpp": f"#include <{header}>"}, {"sim/a.cpp": f"#include <{header}>"})
        for header in ("simgrid/s4u.hpp", "boost/graph/adjacency_list.hpp", "Eigen/Dense", "grpcpp/grpcpp.h", "sqlite3.h",
                       "cuda_runtime.h", "nccl.h", "mpi.h", "CLI/CLI.hpp", "toml++/toml.h", "nlohmann/json.hpp")
    ] + [
        ({"config/a_private.hpp": "#include <toml++/toml.h>"}, {"study/store/a_private.hpp": "#include <sqlite3.h>"}),
        ({"real/cuda/a.hpp": "#include <nccl.h>"}, {"real/cuda/a.hpp": "#include <cuda_runtime.h>"}),
    ],
    private_headers_stay_in_their_room: [
        ({"study/a.cpp": '#include "study/store/db_private.hpp"'}, {"study/store/a.cpp": '#include "study/store/db_private.hpp"'}),
        ({"study/store/a.hpp": '#include "study/store/db_private.hpp"'}, {"study/store/a.cpp": '#include "study/store/a.hpp"'}),
        ({"tests/real/a.cpp": '#include "real/agent/a_private.hpp"'}, {"tests/fuzz/a.cpp": '#include "real/agent/a_private.hpp"'}),
    ],
    heavy_headers_have_one_file: [
        ({"cli/a.cpp": "#include <CLI/CLI.hpp>", "shell/b.cpp": "#include <CLI/CLI.hpp>"},
         {"cli/a.cpp": "#include <CLI/CLI.hpp>", "cli/b.cpp": "#include <nlohmann/json.hpp>", "cli/c.cpp": "#include <nlohmann/json.hpp>"}),
    ],
    chance_comes_from_named_streams: [
        ({"tests/sim/a.cpp": f"auto x = {use};"}, {"bench/a.cpp": f"auto x = {use};", "sim/a.cpp": f"// not {use}"})
        for use in ("std::normal_distribution<double>(0, 1)", "std::mt19937(7)", "std::random_device{}()", "rand()", "std::rand ()",
                    "std::shuffle(a, b, c)")
    ] + [({"sim/a.cpp": "int x = rand();"}, {"sim/a.cpp": "int x = operand(); int y = brand();"})],
    results_use_our_own_functions: [
        ({"sim/a.cpp": "return std::exp(x);"}, {"sim/a.cpp": "return gauntlet::exp(std::sqrt(x));"}),
        ({"core/math/a.cpp": "return ::pow(x, y);"}, {"tests/core/math/a.cpp": "return std::pow(x, y);"}),
    ],
    only_the_real_world_has_a_clock: [
        ({"sim/a.cpp": "std::chrono::steady_clock::now();"}, {"real/a.cpp": "std::chrono::steady_clock::now();"}),
    ],
    whoever_listens_checks_who_comes: [
        ({"real/a.cpp": line}, {"real/a.cpp": "rank.listen(); // ::listen(socket, 1)", "real/stream/listening.cpp": line})
        for line in ("::listen(socket, 1);", "if (::bind(socket, address, size) != 0) return;", 'builder.AddListeningPort("unix:a", credentials);')
    ],
    nothing_is_unfinished: [
        ({"sim/a.cpp": f"// {words}"}, {"sim/a.cpp": "// a stubborn fault, for nowhere; HACKING.md"})
        for words in ("T" + "ODO: more", "FIX" + "ME", "X" * 3, "not " + "implemented", "a st" + "ub", "for " + "now", "place" + "holder")
    ],
    no_machine_is_named: [
        ({"docs/a.md": f"see {path}"}, {"docs/a.md": "https://example.org/home/a/root/b ~/work/a models/world/a /usr/bin/env"})
        for path in ("/wo" + "rk/main/a", "/ho" + "me/me/a", "`/ro" + "ot/a`", "/t" + "mp/a.toml")
    ],
    a_type_is_defined_once: [
        ({"sim/a.hpp": "namespace gauntlet {\nstruct A { int x; };\n}", "real/b.cpp": "namespace gauntlet {\nenum class A : int { x };\n}"},
         {"sim/a.hpp": "namespace gauntlet {\nstruct A { struct B {}; }; struct C;\n}", "real/b.cpp": "namespace gauntlet {\nnamespace {\nstruct A {};\n}\nstruct A::B {}; struct C {};\n}"}),
        ({"sim/a.hpp": "namespace gauntlet {\nstruct A {};\n}", "tests/sim/b.hpp": "namespace gauntlet {\nstruct A {};\n}"},
         {"tests/sim/b.hpp": "namespace gauntlet {\nstruct A {};\n}"}),
    ],
    link_lines_are_the_include_rules: [
        ({"score/CMakeLists.txt": lines}, {"score/CMakeLists.txt": "gauntlet_room(\n  score # why\n  LINKS core_record core\n  USES fmt::fmt)"})
        for lines in ("gauntlet_room(score LINKS core core_record sim)", "gauntlet_room(score LINKS core)", "gauntlet_room(scores LINKS core core_record)",
                      "gauntlet_room(score LINKS core core_record)\ntarget_link_libraries(score PUBLIC sim)", "add_library(score a.cpp)")
    ] + [({"sim/a.cpp": ""}, {"cli/a.cpp": ""})],
}


class HouseRules(unittest.TestCase):
    def test_every_rule_flags_its_examples_and_spares_their_twins(self):
        for rule, examples in EXAMPLES.items():
            for offending, harmless in examples:
                with self.subTest(rule=rule.__name__, offending=offending):
                    self.assertTrue(list(rule(offending)), "let an offence pass")
                with self.subTest(rule=rule.__name__, harmless=harmless):
                    self.assertEqual(list(rule(harmless)), [], "flagged what is allowed")

    def test_the_include_rules_have_no_cycle(self):
        left = {room: set(may) for room, may in EVERY_ROOM.items()}
        while free := {room for room, may in left.items() if not may & left.keys()}:
            left = {room: may for room, may in left.items() if room not in free}
        self.assertEqual(left, {})

    def test_the_tree_keeps_the_rules(self):
        tree = read_tree()
        self.assertTrue(any(path.startswith("core/") and is_cpp(path) for path in tree), "read no sources")
        complaints = [complaint for rule in EXAMPLES for complaint in rule(tree)]
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))


if __name__ == "__main__":
    unittest.main()
