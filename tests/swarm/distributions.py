"""What must hold of the scatter of single runs, and of what each of them does over time."""
import math

import figures
from case import FAILED, SKIPPED, SUCCESS, WRONG_INPUT
from properties import json_of, the_run

MOST_SECONDS = 3  # of CPU time
ENOUGH_FOR_P1, ENOUGH_FOR_WORST = 100, 20
MOST_ROWS = 20_000


def out_of_order(one, other):
    """Beyond what rounding does."""
    return one > other and not figures.near(one, other)


def never_ended(each, share):
    """Whether a percentile is of a run that gave up: those come after all others. None where rounding decides."""
    gave_up = each.get("gave_up", 0)
    place = (each["n"] - 1) * share
    if gave_up and abs(place - round(place)) < 1e-6:
        return None
    return math.ceil(place) > each["n"] - 1 - gave_up


def tail_problems(metrics, replicas):
    """Percentiles rise, the mean of the worst 5% lies beyond p5 or p95, and what few replicas, or runs that gave up, leave unknown is
    absent."""
    for name, each in metrics.items():
        for share, few in ((0.01, ENOUGH_FOR_P1), (0.05, 1), (0.5, 1), (0.95, 1), (0.99, ENOUGH_FOR_P1)):
            value = each[f"p{share * 100:.0f}"]
            unknown = each["n"] < few or never_ended(each, share)
            if unknown is not None and (value is None) != unknown:
                yield f"{name} of {each['n']} replicas, of which {each.get('gave_up', 0)} gave up, has p{share * 100:.0f} {value}"
        known = [each[key] for key in ("p1", "p5", "p50", "p95", "p99") if each[key] is not None]
        if any(out_of_order(low, high) for low, high in zip(known, known[1:])):
            yield f"{name} has percentiles that fall: {known}"
        worst = each["worst_5_mean"]
        if worst is not None and (each["n"] < ENOUGH_FOR_WORST or each.get("gave_up", 0) or
                                  out_of_order(each["p5"], worst) and out_of_order(worst, each["p95"])):
            yield f"{name} of {each['n']} replicas has worst 5% {worst} between p5 {each['p5']} and p95 {each['p95']}"
    for name, low in (("ettr", True), ("mfu", True), ("steps", True), ("wall_time_s", False), ("lost_s.recomputing", False)):
        each = metrics[name]
        if (each["worst_5_mean"] is None) != (each["n"] < ENOUGH_FOR_WORST or each.get("gave_up", 0) > 0):
            yield f"{name} of {each['n']} replicas has worst 5% {each['worst_5_mean']}"
        elif each["worst_5_mean"] is not None:
            worst, bound = (each["worst_5_mean"], each["p5"]) if low else (each["p95"], each["worst_5_mean"])
            if out_of_order(worst, bound):
                yield f"the mean of the worst 5% of {name}, {each['worst_5_mean']}, is not beyond {each['p5']} or {each['p95']}"
    if replicas < ENOUGH_FOR_WORST and any(each["worst_5_mean"] is not None for each in metrics.values()):
        yield f"{replicas} replicas have a mean of the worst 5%"


def tails(case):
    replicas, _, found, _ = the_run(case)
    for problem in tail_problems(found["metrics"], replicas):
        case.fail("tails", problem)
    more = next((count for count in (120, 33) if case.seconds * count < MOST_SECONDS), None)
    if more is None:
        return SKIPPED
    result = case.run("run", case.scenario, "--replicas", more, "--quiet", "--json", codes=(SUCCESS, FAILED))
    for problem in tail_problems(json_of(case, result)["metrics"], more):
        case.fail("tails", problem, result)
    return None


def over_time(case):
    """The parts of each replica's wall time add up to it, exactly, and the file is what it was."""
    replicas, _, found, rows = the_run(case)
    wall = sum(int(row["wall_ns"]) for row in rows)
    longest = max(int(row["wall_ns"]) for row in rows)
    bucket = case.chance.randrange(max(1, wall // MOST_ROWS), max(2, 2 * longest))
    result = case.run("run", case.scenario, "--replicas", replicas, "--quiet", "--json", "--out", "over-time", "--over-time", f"{bucket}ns",
                      codes=(SUCCESS, FAILED, WRONG_INPUT))
    if result.code == WRONG_INPUT and "rows, more than" in result.err:
        return SKIPPED  # of runs that all gave up long before the end of their window
    if json_of(case, result)["metrics"] != found["metrics"]:
        case.fail("over time", "the metrics differ", result)
    parts = figures.read_csv(case.folder / "over-time" / "over-time.csv")
    columns = ["steps", "effective_ns", *(phase + "_ns" for phase in figures.phase_columns(rows[0]))]
    for row in rows:
        own = [part for part in parts if part["replica"] == row["replica"]]
        if sum(int(part["end_ns"]) - int(part["start_ns"]) for part in own) != int(row["wall_ns"]):
            case.fail("over time", f"the parts of replica {row['replica']} are not its wall time", result)
        for column in columns:
            if sum(int(part[column]) for part in own) != int(row[column]):
                case.fail("over time", f"{column} of replica {row['replica']} is not the sum of its parts", result)
    for part in parts:
        length = int(part["end_ns"]) - int(part["start_ns"])
        if length > bucket or sum(int(part[column]) for column in columns[1:]) != length:
            case.fail("over time", f"a part is not full: {part}", result)
        if min(int(part[column]) for column in columns) < -1000:  # rounding of steps that were cut
            case.fail("over time", f"a part lost what it did not have: {part}", result)
    checked = case.run("results", "over-time", "--check")
    if "Every file is as it was written" not in checked.out:
        case.fail("over time", "--check does not say that all is well", checked)
    return None
