"""What must hold of the commands beside the studies: trace, validate, list, and what drill refuses."""
import csv
import datetime
import pathlib

import figures
from case import FAILED, SKIPPED, SUCCESS, WRONG_INPUT
from properties import effective, json_of, the_run
from studies import MOST_SECONDS

CAUSES = ("recorded hardware", "recorded-software", "Recorded.Network", "überhitzt", "unknown")
KINDS = ("fault-models", "faults", "distributions", "policies", "detectors", "signals", "lines", "probes", "hardware", "models",
         "metrics")
BEGIN = datetime.datetime(2024, 1, 1)
PUBLISHED = pathlib.Path(__file__).parents[2] / "models/calibration/published.csv"
# Numbers of its rows that a test may change; the others name things.
CHANGED = ("layers", "hidden", "heads", "sequence", "tp", "pp", "dp", "global_batch", "micro_batch", "value")


def all_hosts(settings):
    spares = settings["spares"]
    return settings["cluster"]["hosts"] + sum(spares.get(key, 0) for key in ("count", "cold", "pool"))


# --- trace -----------------------------------------------------------------------------------------------------------


def failure_records(chance, nodes):
    """Rows of failure records: start, end, node, cause. Some are no records, and some say less than others."""
    rows, at = [], 0
    for _ in range(chance.choice((1, 2, 5, 40, 200))):
        at += chance.choice((0, chance.whole(0, 300), chance.whole(1, 100_000)))
        start = BEGIN + datetime.timedelta(minutes=at)
        end = start + datetime.timedelta(minutes=chance.choice((0, chance.whole(0, 20_000))))
        row = [start.isoformat(), chance.choice((end.isoformat(),) * 4 + ("", "NA")), f"node{chance.randrange(nodes)}",
               chance.choice(CAUSES)]
        if chance.happens(0.02):
            row[chance.randrange(3)] = chance.choice(("", "?", "2024-13-77T00:00", "-5", "a,b", '"'))
        rows.append(row)
    if chance.happens(0.2):
        chance.shuffle(rows)
    return rows


def onsets(path):
    """Fault -> its trace, of what `trace import` wrote."""
    return {name: fault["trace"] for name, fault in figures.parse_toml(path.read_text(encoding="utf-8"))["faults"].items()}


def traced(case):
    """Failure records become faults, each onset once; the scenario that extends them meets no more than these."""
    hosts = all_hosts(effective(case))
    rows = failure_records(case.chance, max(1, min(hosts, 50)))
    with (case.folder / "records.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["start", "end", "node", "cause"], *rows])
    fitted(case)
    done = case.run("trace", "import", "records.csv", "--max-rejected", 0.5, "--out", "records.toml", "--json",
                    codes=(SUCCESS, WRONG_INPUT))
    if done.code == WRONG_INPUT:
        return SKIPPED  # most lines are no records
    found = json_of(case, done)
    source = found["source"]
    if source["read"] != len(rows) or source["used"] + source["rejected"] != len(rows):
        case.fail("trace", f"{source['read']} read, {source['used']} used and {source['rejected']} rejected of {len(rows)}", done)
    onset_count = sum(len(trace) for trace in onsets(case.folder / "records.toml").values())
    if onset_count != found["written"] or sum(found["causes"].values()) != source["selected"]:
        case.fail("trace", f"{onset_count} onsets are in the file, {found['written']} by the JSON: {found['causes']}", done)
    again = case.run("trace", "import", "records.toml", "--out", "again.toml", "--json", codes=(SUCCESS, WRONG_INPUT))
    if again.code == SUCCESS and json_of(case, again)["written"] != onset_count:
        case.fail("trace", f"read again, {onset_count} onsets are {json_of(case, again)['written']}", again)
    return extended(case, "records.toml", onsets(case.folder / "records.toml"))


def fitted(case):
    """The fit of the same records: JSON, and a profile that is a scenario where anything can be said."""
    words = ("trace", "fit", "records.csv", "--max-rejected", 0.5, "--zero-gaps", case.chance.choice(("drop", "minute", "keep")),
             *(("--by-node",) if case.chance.happens(0.5) else ()))
    done = case.run(*words, "--json", codes=(SUCCESS, FAILED, WRONG_INPUT))
    if done.code != SUCCESS:
        return
    json_of(case, done)
    written = case.run(*words, "--out", "profile.toml", codes=(SUCCESS, FAILED, WRONG_INPUT))
    if written.code == SUCCESS and (case.folder / "profile.toml").exists():
        extended(case, "profile.toml", {})


def extended(case, profile, traces):
    """The scenario with these faults beside its own, where both fit each other and it is quick."""
    the_run(case)
    if case.seconds > MOST_SECONDS:
        return SKIPPED
    top = f'extends = ["{case.scenario}", "{profile}"]\n'
    (case.folder / "with-trace.toml").write_text(top, encoding="utf-8")
    checked = case.run("check", "with-trace.toml", codes=(SUCCESS, FAILED, WRONG_INPUT))
    if checked.code != SUCCESS:
        return SKIPPED
    done = case.run("run", "with-trace.toml", "--replicas", 2, "--quiet", "--json", codes=(SUCCESS, FAILED))
    metrics = json_of(case, done)["metrics"]
    for name, trace in traces.items():
        met = metrics[f"faults.{name}"]["mean"]
        if met > len(trace):
            case.fail("trace", f"{name} struck {met} times, and its trace has {len(trace)} onsets", done)
    return None


# --- drill, validate, list -------------------------------------------------------------------------------------------


def not_drilled(case):
    """A drill on another number of hosts than the scenario has is refused before anything is started or written."""
    hosts = all_hosts(effective(case)) + 1
    if hosts > 1000:
        return SKIPPED
    refused = case.run("drill", case.scenario, "--hosts", hosts, "--out", "drilled", "--record", "drilled.rec", codes=(WRONG_INPUT,))
    if "--hosts" not in refused.err:
        case.fail("drill", "does not say which number of hosts fits", refused)
    if (case.folder / "drilled").exists() or (case.folder / "drilled.rec").exists():
        case.fail("drill", "a refused drill wrote something", refused)


def validated(case):
    """Published steps with other numbers in their rows: an answer, or the row that cannot be."""
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    some = case.chance.sample(rows, case.chance.choice((1, 3, len(rows))))
    for row in some:
        for key in CHANGED:
            if row[key] and case.chance.happens(0.1):
                row[key] = case.chance.choice(("0", "1", "-1", "", "7", "1e30", str(case.chance.whole(1, 100_000))))
    with (case.folder / "published.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(some)
    done = case.run("validate", "step", "--data", "published.csv", "--json", codes=(SUCCESS, FAILED, WRONG_INPUT))
    if done.code != WRONG_INPUT and json_of(case, done)["holds"] != (done.code == SUCCESS):
        case.fail("validate", f"ends with {done.code}, and the JSON says {json_of(case, done)['holds']}", done)


def listed(case):
    """Every metric of a run has its line in `list metrics`, and every other list has something in it."""
    listed_metrics = case.run("list", "metrics").out
    for name in the_run(case)[2]["metrics"]:
        first = name.split(".")[0]
        if first not in listed_metrics:
            case.fail("list", f"`list metrics` does not have {first}")
    other = case.run("list", case.chance.choice(KINDS))
    if not other.out.strip():
        case.fail("list", f"`{' '.join(other.words)}` prints nothing", other)
