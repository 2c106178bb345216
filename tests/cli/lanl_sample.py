"""Writes tests/cli/lanl_sample.csv, and prints what tests/cli/trace_test.cpp expects of it.

The columns are those of LANL's release of its failure records (LA-UR-05-7318, https://www.usenix.org/cfdr-data). Every value is
drawn here: nothing is copied from the release. The figures are computed here too, by other means than the program's.

    python3 tests/cli/lanl_sample.py
"""
import collections
import csv
import datetime
import math
import pathlib
import random
import statistics

OUT = pathlib.Path(__file__).with_name("lanl_sample.csv")
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


def write(records):
    with open(OUT, "w", newline="", encoding="ascii") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for system, node, start, repair, cause in records:
            named = [f"{cause} 1" if cause == each else "" for each in CAUSES]
            rows.writerow([system, "cluster", NODES, node, text(start), text(start + repair), repair, *named, "No"])


def weibull_shape(values):
    """The root of the likelihood equation in the shape, by bisection."""
    def slope(k):
        powers = [x**k for x in values]
        return sum(p * math.log(x) for p, x in zip(powers, values)) / sum(powers) - 1 / k - statistics.fmean(map(math.log, values))

    low, high = 0.01, 20.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return low


def gaps(starts):
    starts = sorted(starts)
    return [b - a for a, b in zip(starts, starts[1:])]


def figures(records):
    print(len(records), "records")
    print({cause or "unrecorded": round(count / len(records), 5) for cause, count in collections.Counter(r[4] for r in records).items()})
    for system in SYSTEMS:
        of_system = [r for r in records if r[0] == system]
        whole = gaps(r[2] for r in of_system)
        by_node = [gap for node in range(NODES) for gap in gaps(r[2] for r in of_system if r[1] == node)]
        counts = sorted(collections.Counter(r[1] for r in of_system).values(), reverse=True)
        print(f"{system}: shape {weibull_shape([g for g in whole if g > 0]):.5f} of the system,",
              f"{weibull_shape([g for g in by_node if g > 0]):.5f} of nodes, with zeros as a minute",
              f"{weibull_shape([g or 1 for g in whole]):.5f}; zeros {whole.count(0)} of {len(whole)};",
              f"mean {statistics.fmean(whole) / 60:.4f} h; top 1%: {counts[0] / len(of_system):.5f},",
              f"top 5%: {sum(counts[:5]) / len(of_system):.5f}")
    for cause in ("", *CAUSES):
        times = [r[3] for r in records if cause in ("", r[4])]
        logs = [math.log(t) for t in times]
        print(f"repair {cause or 'all'}: mean {statistics.fmean(times):.3f}, median {statistics.median(times)},",
              f"mu {statistics.fmean(logs):.5f}, sigma {statistics.pstdev(logs):.5f}")


if __name__ == "__main__":
    RECORDS = list(drawn(random.Random(7318)))
    write(RECORDS)
    figures(RECORDS)
