"""Writes tests/cli/lanl_sample.csv, and into lanl_sample.json what the program must find in it.

The columns are those of LANL's release of its failure records (LA-UR-05-7318, https://www.usenix.org/cfdr-data). Every value is
drawn here: nothing is copied from the release. The figures are computed here, from what was drawn and not from the file, with
Python's standard library alone. trace_test.cpp compares the program's figures with them; lanl_sample_test.py draws again and
compares both files with the committed ones.

    python3 tests/cli/lanl_sample.py
"""
import csv
import datetime
import io
import json
import math
import pathlib
import random
import statistics

SAMPLE = pathlib.Path(__file__).with_name("lanl_sample.csv")
FIGURES = SAMPLE.with_suffix(".json")
SEED = 7318
DECIMALS = 6  # of the figures; the test's tolerance is a unit of the last one
BEGIN, DAYS = datetime.datetime(2003, 1, 1), 730
CAUSES = ("Facilities", "Hardware", "Human Error", "Network", "Undetermined", "Software")
SHARES = (0.05, 0.55, 0.03, 0.07, 0.1, 0.15)  # the rest names no cause
COLUMNS = ("System", "machine type", "nodes", "nodenum", "Prob Started", "Prob Fixed", "Down Time", *CAUSES, "Same Event")
NODES = 100
SYSTEMS = {"18": 2.0, "20": 3.5}  # mean failures of a node that is like the others
MINUTES = DAYS * 24 * 60


def text(minute):
    at = BEGIN + datetime.timedelta(minutes=minute)
    return f"{at.month}/{at.day}/{at.year} {at.hour}:{at.minute:02}"


def drawn(random_):
    """(system, node, start minute, repair minutes, cause), node by node."""
    for system, mean in SYSTEMS.items():
        together = []
        for node in range(NODES):
            starts = set()
            at, scale = 0.0, MINUTES / mean / random_.lognormvariate(0, 1.1)
            while (at := at + random_.weibullvariate(scale, 0.75)) < MINUTES:
                starts.add(int(at))
                if random_.random() < 0.03:
                    together.append(int(at))
            if node >= NODES // 2 and together:  # fails in the minute of an earlier node
                starts.add(together.pop())
            for start in sorted(starts):
                cause = random_.choices((*CAUSES, ""), (*SHARES, 1 - sum(SHARES)))[0]
                yield system, node, start, 1 + int(random_.lognormvariate(4.1, 1.3)), cause


def sample_text(records):
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for system, node, start, repair, cause in records:
        named = [f"{cause} 1" if cause == each else "" for each in CAUSES]
        rows.writerow([system, "cluster", NODES, node, text(start), text(start + repair), repair, *named, "No"])
    return out.getvalue()


def weibull_shape(values):
    """The root of the likelihood equation in the shape, by bisection."""
    def slope(k):
        powers = [x**k for x in values]
        return sum(p * math.log(x) for p, x in zip(powers, values)) / sum(powers) - 1 / k - statistics.fmean(map(math.log, values))

    low, high = 0.01, 20.0
    for _ in range(60):  # a double has 53 binary digits
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return low


def shape_error(values, shape):
    """From the observed information: minus the second derivative of the profile likelihood, whose scale is (sum x^k / n)^(1/k)."""
    logs = [math.log(x) for x in values]
    powers = [x**shape for x in values]
    total = sum(powers)
    first = sum(p * log for p, log in zip(powers, logs)) / total
    second = sum(p * log**2 for p, log in zip(powers, logs)) / total
    return 1 / math.sqrt(len(values) * (1 / shape**2 + second - first**2))


def times_between(starts):
    starts = sorted(starts)
    return [b - a for a, b in zip(starts, starts[1:])]


def figures_of_system(records):
    whole = times_between(r[2] for r in records)
    by_node = [time for node in range(NODES) for time in times_between(r[2] for r in records if r[1] == node)]
    above_zero = [time for time in whole if time > 0]
    counts = sorted((sum(r[1] == node for r in records) for node in range(NODES)), reverse=True)
    shape = weibull_shape(above_zero)
    return {
        "shape": shape,
        "shape_error": shape_error(above_zero, shape),
        "shape_of_nodes": weibull_shape([time for time in by_node if time > 0]),
        "shape_with_minutes": weibull_shape([time or 1 for time in whole]),
        "zeros": whole.count(0) / len(whole),
        "mean_h": statistics.fmean(whole) / 60,
        "on_top_1": counts[0] / len(records),
        "on_top_5": sum(counts[:5]) / len(records),
        "dispersion": statistics.variance(counts) / statistics.fmean(counts),
    }


def figures_of_repairs(records):
    times = [r[3] for r in records]
    logs = [math.log(time) for time in times]
    return {"mean": statistics.fmean(times), "median": statistics.median(times), "mu": statistics.fmean(logs),
            "sigma": statistics.pstdev(logs)}


def name_of(cause):
    return cause.lower().replace(" ", "_") or "unrecorded"


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return round(value, DECIMALS) if isinstance(value, float) else value


def figures(records):
    causes = sorted({r[4] for r in records})
    return rounded({
        "records": len(records),
        "nodes": NODES,
        "shares": {name_of(cause): sum(r[4] == cause for r in records) / len(records) for cause in causes},
        "systems": {system: figures_of_system([r for r in records if r[0] == system]) for system in SYSTEMS},
        "repairs": {"": figures_of_repairs(records)} |
                   {name_of(cause): figures_of_repairs([r for r in records if r[4] == cause]) for cause in causes},
    })


def figures_text(records):
    return json.dumps(figures(records), indent=1) + "\n"


def records_of_sample():
    return list(drawn(random.Random(SEED)))


if __name__ == "__main__":
    RECORDS = records_of_sample()
    SAMPLE.write_text(sample_text(RECORDS), encoding="ascii")
    FIGURES.write_text(figures_text(RECORDS), encoding="ascii")
