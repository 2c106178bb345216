"""What must hold of the timeline of any scenario's replica."""
import collections
import pathlib
import re
import sys

from case import SKIPPED, SUCCESS, WRONG_INPUT
from properties import replayed, the_run

sys.path.append(str(pathlib.Path(__file__).parents[1] / "cli"))
import trace_reader  # noqa: E402

# To read a larger one takes minutes, and says nothing more.
MOST_BYTES = 30_000_000
PHASES = ("effective", "slowdown", "recomputing", "checkpoint_stall", "undetected", "diagnosing", "waiting_for_spare", "restarting",
          "planned")


def drawn(case):
    """The trace keeps the rules of its format, its phases are those of the score, and a recording gives the same bytes."""
    if "record" not in case.kept:
        replayed(case)
    number, _ = case.kept["record"]
    done = case.run("timeline", case.scenario, "--replica", number, "--out", "replica.json", codes=(SUCCESS, WRONG_INPUT))
    if done.code == WRONG_INPUT:
        if "events, and a trace has" not in done.err:
            case.fail("timeline", "refuses a scenario that runs", done)
        return SKIPPED
    again = case.run("timeline", "record", "--out", "recording.json")
    file = case.folder / "replica.json"
    if file.read_bytes() != (case.folder / "recording.json").read_bytes():
        case.fail("timeline", "a replica and its recording give other traces", again)
    if file.stat().st_size > MOST_BYTES:
        return SKIPPED
    try:
        trace = trace_reader.read(file)
    except trace_reader.Wrong as error:
        case.fail("timeline", re.sub(r"\d+", "N", str(error))[:60], done)
    check_phases(case, trace, the_run(case)[3][number], done)
    orders = sorted(each.arguments["order_id"] for each in trace.of("order"))
    if orders != list(range(1, len(orders) + 1)):
        case.fail("timeline", "orders are missing, or come twice", done)
    if len({each.end.place for each in trace.leading("answer")}) != len(orders):
        case.fail("timeline", "an order answers no observation", done)
    return None


def check_phases(case, trace, row, done):
    spans, sums = trace.of("phase"), collections.Counter()
    at = 0
    for each in spans:
        if each.begin != at:
            case.fail("timeline", "phases have a gap", done)
        at = each.end
        sums[each.name] += each.end - each.begin
    if at != int(row["wall_ns"]):
        case.fail("timeline", f"phases end at {at} ns, and the run at {row['wall_ns']}", done)
    for phase in PHASES:  # a step is rounded to nanoseconds in parts
        if abs(sums[phase] - int(row[f"{phase}_ns"])) > len(spans) + 1:
            case.fail("timeline", f"{phase} has {sums[phase]} ns, and {row[f'{phase}_ns']} in the score", done)
