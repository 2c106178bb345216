"""What must hold of one run of any scenario: each property is a function that raises Failure."""
import filecmp
import functools
import json
import os
import re
import resource

import figures
import runner
from case import FAILED, SKIPPED, SUCCESS, WRONG_INPUT

FILES = ("result.json", "report.txt", "points.csv", "replicas.csv", "incidents.csv", "results.sqlite", "manifest.txt",
         "scenario.toml")
# Of CPU time, of a process that simulates nothing, where the limits of `case.seconds` were chosen: they are of that machine's seconds.
USUAL_STARTUP_SECONDS = 0.02
# Beyond that, samples one by one take minutes.
MOST_SAMPLES = 2e7


def json_of(case, result):
    try:
        return figures.parse_json(result.out)
    except ValueError as error:
        case.fail("json", f"`{result.words[0]}`: {error}", result)


def first_of(case, prop, problems, result):
    for problem in problems:
        case.fail(prop, problem, result)


def same_directories(case, prop, one, other, result):
    for name in FILES:
        first, second = case.folder / one / name, case.folder / other / name
        if first.exists() != second.exists():
            case.fail(prop, f"{name} is in one of the directories only", result)
        if first.exists() and not filecmp.cmp(first, second, shallow=False):
            case.fail(prop, f"{name} differs", result)


def with_cpu_seconds(run):
    """What it gives, and the CPU time of the processes that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    given = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return given, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@functools.cache
def startup_seconds():
    """Of CPU time, of a process that simulates nothing: the quickest of five."""
    return min(with_cpu_seconds(lambda: runner.run(os.curdir, "list", "fault-models"))[1] for _ in range(5))


def the_run(case):
    """The run that the others are compared with: its directory, JSON and rows."""
    if "run" in case.kept:
        return case.kept["run"]
    replicas = case.chance.choice((1, 2, 3, 6))
    result, used = with_cpu_seconds(lambda: case.run("run", case.scenario, "--replicas", replicas, "--threads", 1, "--quiet", "--json",
                                                     "--out", "out", codes=(SUCCESS, FAILED)))
    case.seconds = max(0.0, used / startup_seconds() - 1) * USUAL_STARTUP_SECONDS / replicas
    case.kept["run"] = (replicas, result, json_of(case, result), figures.read_csv(case.folder / "out" / "replicas.csv"))
    return case.kept["run"]


def adds_up(case):
    """Headline = table = JSON = CSV = database, and every nanosecond of every replica has a phase and a cause."""
    replicas, result, found, rows = the_run(case)
    if result.out != (case.folder / "out/result.json").read_text(encoding="utf-8"):
        case.fail("json", "--json and result.json differ", result)
    if len(rows) != replicas or found["replicas"] != replicas:
        case.fail("replicas", f"{len(rows)} rows and {found['replicas']} replicas of {replicas}", result)
    for row in rows:
        first_of(case, "sums", figures.sum_problems(row), result)
    metrics = found["metrics"]
    first_of(case, "table", figures.table_problems((case.folder / "out/report.txt").read_text(encoding="utf-8"), metrics), result)
    first_of(case, "csv", figures.csv_problems(rows, metrics), result)
    first_of(case, "database", figures.store_problems(case.folder / "out/results.sqlite", rows), result)
    gave_up = any(row["ending"] == "gave_up" for row in rows)
    if (result.code == FAILED) != gave_up:
        case.fail("exit code", f"`run` ended with {result.code}, and {'a' if gave_up else 'no'} replica gave up", result)
    for name, each in metrics.items():
        if each["n"] > replicas or (each["ci95"] and not each["ci95"][0] <= each["mean"] <= each["ci95"][1]):
            case.fail("statistics", f"{name} is {each}", result)


def shown(case):
    """What `show` prints is a scenario, and the same one."""
    first = case.run("show", case.scenario)
    (case.folder / "shown.toml").write_text(first.out, encoding="utf-8")
    again = case.run("show", "shown.toml")
    if without_origins(first.out) != without_origins(again.out):
        lines = zip(without_origins(first.out), without_origins(again.out))
        case.fail("show", f"what is shown is shown otherwise: {next(each for each in lines if each[0] != each[1])}", again)
    replicas, result, _, _ = the_run(case)
    same = case.run("run", "shown.toml", "--replicas", replicas, "--quiet", "--json", codes=(SUCCESS, FAILED))
    if same.out != result.out:
        case.fail("show", "a run of what is shown differs", same)


def without_origins(text):
    return [re.sub(r"\s*\[[^\[\]]*\]$", "", line).rstrip() for line in text.splitlines() if line.strip()]


def threads(case):
    replicas, result, _, _ = the_run(case)
    other = case.run("run", case.scenario, "--replicas", replicas, "--threads", 3, "--quiet", "--json", "--out", "threads",
                     codes=(SUCCESS, FAILED))
    if other.out != result.out:
        case.fail("threads", "the JSON differs", other)
    same_directories(case, "threads", "out", "threads", other)


def resumed(case):
    """Fewer replicas first, then the rest; and a study that is complete stays as it is."""
    replicas, _, _, _ = the_run(case)
    words = ("run", case.scenario, "--quiet", "--out", "part")
    case.run(*words, "--replicas", max(1, replicas // 2), codes=(SUCCESS, FAILED))
    more = case.run(*words, "--replicas", replicas, "--resume", codes=(SUCCESS, FAILED))
    same_directories(case, "resume", "out", "part", more)
    again = case.run(*words, "--replicas", replicas, "--resume", codes=(SUCCESS, FAILED))
    same_directories(case, "resume", "out", "part", again)


def replayed(case):
    """The policies give the recorded orders again, and a replica alone is the one among others."""
    replicas, _, _, rows = the_run(case)
    number = case.chance.randrange(replicas)
    alone = case.run("run", case.scenario, "--replica", number, "--record", "record", "--quiet", "--json", codes=(SUCCESS, FAILED))
    metrics = json_of(case, alone)["metrics"]
    first_of(case, "replica", figures.csv_problems([rows[number]], metrics), alone)
    again = case.run("replay", "record", codes=(SUCCESS, FAILED))
    if again.code != SUCCESS or ": identical" not in again.out:
        case.fail("replay", f"the orders differ: {again.out.splitlines()[:1]}", again)
    case.kept["record"] = (number, alone)
    if case.chance.happens(0.2):
        case.run("replay", "record", "--print")


def samples(case):
    """How many samples full telemetry produces of a replica, at most."""
    settings = effective(case)
    telemetry = settings["telemetry"]
    wall = max(int(row["wall_ns"]) for row in the_run(case)[3]) * figures.NS
    hosts = settings["cluster"]["hosts"] + 50
    steps = max(int(row["iterations"]) for row in the_run(case)[3])
    return hosts * (wall / seconds(telemetry["heartbeat_period"]) + wall / seconds(telemetry["traffic_interval"]) + 3 * steps)


def effective(case):
    """Every value that holds, as `show` has it."""
    if "settings" not in case.kept:
        case.kept["settings"] = figures.parse_toml(case.run("show", case.scenario).out)
    return case.kept["settings"]


def seconds(text):
    return figures.seconds_of(text)


def telemetry(case):
    """Every raw sample, or only what would pass the filters: the policies see the same."""
    if samples(case) > MOST_SAMPLES:
        return SKIPPED
    if "record" not in case.kept:
        replayed(case)
    number, alone = case.kept["record"]
    full = case.run("run", case.scenario, "--replica", number, "--full-telemetry", "--record", "full", "--quiet", "--json",
                    codes=(SUCCESS, FAILED))
    # The fingerprint is of the events of the simulation, of which there are more.
    if {**json_of(case, full), "fingerprint": ""} != {**json_of(case, alone), "fingerprint": ""}:
        case.fail("telemetry", "the figures differ", full)
    if not filecmp.cmp(case.folder / "record", case.folder / "full", shallow=False):
        case.fail("telemetry", "the records differ", full)
    return None


def read_again(case):
    """`results` prints what is in the directory."""
    _, result, found, rows = the_run(case)
    checked = case.run("results", "out", "--check")
    if "Every file is as it was written" not in checked.out:
        case.fail("results", "--check does not say that all is well", checked)
    if case.run("results", "out", "--json").out != result.out:
        case.fail("results", "--json differs", checked)
    table = case.run("results", "out", "--csv")
    lines = table.out.splitlines()
    cells = dict(zip(lines[0].split(","), lines[1].split(","))) if len(lines) == 2 and '"' not in table.out else {}
    for name, each in found["metrics"].items():
        text = cells.get(name + ".mean", None)
        if text is not None and (text == "") != (each["mean"] is None) or text and not figures.near(float(text), each["mean"]):
            case.fail("results", f"--csv has {text!r} for {name}, and the JSON {each['mean']}", table)
    total = case.run("results", "out", "--sql", "select sum(wall_ns) from replica", "--csv")
    if total.out.split()[-1] != str(sum(int(row["wall_ns"]) for row in rows)):
        case.fail("results", f"--sql gives {total.out.split()[-1]}", total)


def step_and_network(case):
    """How long a step takes, and the network: they answer, or say what is too large."""
    step = case.run("step", case.scenario, "--json", codes=(SUCCESS, WRONG_INPUT))
    if step.code == SUCCESS:
        found = json_of(case, step)
        if not 0 < found["step_time_s"] < 1e12:
            case.fail("step", f"takes {found['step_time_s']} s", step)
    case.run("topology", case.scenario, *(["--dot"] if case.chance.happens(0.3) else []), codes=(SUCCESS, WRONG_INPUT))


def viewed(case):
    """The page of a replica has its incidents, and the state of every rank in each of them."""
    the_run(case)
    page = case.folder / "view.html"
    replica = case.chance.choice((0, 1))
    done = case.run("view", case.scenario, "--replica", replica, "--out", page)
    text = page.read_text(encoding="utf-8")
    done = case.run("view", case.scenario, "--replica", replica, "--out", page)
    if page.read_text(encoding="utf-8") != text:
        case.fail("view", "is another page the second time", done)
    if len(text) > 3_000_000:
        case.fail("view", f"the page has {len(text)} characters", done)
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    layout = data["layout"]
    most = layout["tp"] * layout["cp"] * layout["pp"] * layout["dp"]
    before = 0
    for incident in data["incidents"]:
        ranks = sum(incident["spread"][::3])
        if incident["opened"] < before or ranks > most or any(first + count > most for first, count in zip(incident["culprits"][::2], incident["culprits"][1::2])):
            case.fail("view", f"incident after {incident['opened']} s: {ranks} ranks, culprits {incident['culprits']}", done)
        if incident["spread"] and incident["spread"][1::3].count(0) == 0:
            case.fail("view", f"incident after {incident['opened']} s spreads from nobody", done)
        before = incident["opened"]


def set_again(case):
    """A value that is set to itself changes nothing but the command."""
    settings = effective(case)
    replicas, result, _, _ = the_run(case)
    same = case.run("run", case.scenario, "--set", f"checkpoint.interval={settings['checkpoint']['interval']}", "--set",
                    f"study.seed={settings['study']['seed']}", "--replicas", replicas, "--quiet", "--json", codes=(SUCCESS, FAILED))
    if same.out != result.out:
        case.fail("set", "a value that is set to itself changes the result", same)


def refuses_to_overwrite(case):
    the_run(case)
    before = (case.folder / "out/manifest.txt").read_bytes()
    refused = case.run("run", case.scenario, "--replicas", 1, "--quiet", "--out", "out", codes=(WRONG_INPUT,))
    if (case.folder / "out/manifest.txt").read_bytes() != before or os.path.exists(case.folder / "out.part"):
        case.fail("overwrite", "a refused run changed the results", refused)


