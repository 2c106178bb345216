"""The same figures out of the headline, the table, the JSON, the CSV and the database of one run, and what must hold of them."""
import csv
import json
import re
import sqlite3
import tomllib

import schema

NS = 1e-9
RELATIVE = 1e-9  # sums of doubles in another order

# Labels of report.txt's table -> metrics.
LABELS = {"ETTR": "ettr", "training rate": "training_rate", "goodput": "goodput_tokens_per_s", "MFU": "mfu",
          "wall time": "wall_time_s", "interruptions": "interruptions", "preemptions": "preemptions", "MTTF": "mttf_s",
          "detection latency": "detection_latency_s", "false alarms": "false_alarms", "false alerts": "false_alerts",
          "correct evictions": "evictions.right", "wrong evictions": "evictions.wrong", "missed faults": "missed_faults",
          "escalations": "asked", "max spares in use": "spares.max_in_use", "waited for a spare": "spares.waited",
          "GPU-hours": "gpu_hours", "cost": "cost", "cost of lost time": "cost.lost"}
DIVISORS = {"": 1, "%": 0.01, "days": 86400, "h": 3600, "min": 60, "s": 1, "ms": 1e-3, "USD": 1, "tokens/s": 1}
PREFIXES = {"M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
ROW = re.compile(r"  (?P<label>\S.*?) +(?P<number>-?[\d,]+(\.\d+)?|unknown)"
                 r"(?: (?P<unit>%|days|h|min|s|ms|[MGTP](?: \S+)?|USD|tokens/s)(?= |$))?")


def refuse(text):
    raise ValueError(f"{text} is not JSON")


def parse_json(text):
    """Strictly: no NaN, no infinity, no key twice."""
    def once(pairs):
        keys = [key for key, _ in pairs]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a key comes twice: {sorted(key for key in keys if keys.count(key) > 1)[0]}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def near(one, other, relative=RELATIVE, absolute=1e-9):
    return abs(one - other) <= max(absolute, relative * max(abs(one), abs(other)))


def divisor(unit):
    if unit in DIVISORS:
        return DIVISORS[unit]
    return PREFIXES[unit.split(" ")[0]]


def shows(number, unit, value):
    """Whether a number as it is printed is the value, rounded."""
    digits = len(number.split(".")[1]) if "." in number else 0
    shown, exact = float(number.replace(",", "")), value / divisor(unit or "")
    return abs(shown - exact) <= 0.5000001 * 10.0**-digits + 1e-12 * abs(exact)


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mean_of(rows, column):
    return sum(int(row[column]) for row in rows) / len(rows)


def ratio(rows, above, below):
    total = sum(int(row[below]) for row in rows)
    return sum(int(row[above]) for row in rows) / total if total else None


def from_rows(rows):
    """The metrics that replicas.csv gives directly: metric -> value."""
    out = {"ettr": ratio(rows, "effective_ns", "wall_ns"), "training_rate": ratio(rows, "iteration_time_ns", "wall_ns"),
           "wall_time_s": mean_of(rows, "wall_ns") * NS, "gave_up": sum(row["ending"] == "gave_up" for row in rows) / len(rows)}
    for column, metric in (("steps", "steps"), ("interruptions", "interruptions"), ("planned_stops", "planned_stops"),
                           ("preemptions", "preemptions"), ("false_alarms", "false_alarms"), ("asked", "asked"),
                           ("evictions_right", "evictions.right"), ("evictions_wrong", "evictions.wrong"),
                           ("false_alerts", "false_alerts"), ("spares_max_in_use", "spares.max_in_use"),
                           ("shrunk", "replicas.shrunk")):
        out[metric] = mean_of(rows, column)
    for column in rows[0]:
        if column.startswith(("faults.", "met.", "detected.", "missed.")):
            kind, fault = column.split(".", 1)
            out[column if kind == "faults" else f"detection.by_kind.{fault}.{kind}"] = mean_of(rows, column)
    phases = phase_columns(rows[0])
    for phase in phases:
        out["lost_s." + phase] = mean_of(rows, phase + "_ns") * NS
    for cause in causes(rows[0], phases):
        out["lost_s.by_cause." + cause] = sum(mean_of(rows, f"lost.{cause}.{phase}_ns") for phase in phases) * NS
    return out


def phase_columns(row):
    names = list(row)
    return [name[:-3] for name in names[names.index("effective_ns") + 1:] if name.endswith("_ns") and "." not in name][:8]


def causes(row, phases):
    last = f".{phases[0]}_ns"
    return [name[len("lost."):-len(last)] for name in row if name.startswith("lost.") and name.endswith(last)]


def sum_problems(row):
    """What does not add up in one replica."""
    phases = phase_columns(row)
    wall, effective = int(row["wall_ns"]), int(row["effective_ns"])
    lost = {phase: int(row[phase + "_ns"]) for phase in phases}
    if wall != effective + sum(lost.values()):
        yield f"wall {wall} is not effective {effective} and the phases {sum(lost.values())} together"
    for phase in phases:
        by_cause = sum(int(row[f"lost.{cause}.{phase}_ns"]) for cause in causes(row, phases))
        if by_cause != lost[phase]:
            yield f"{phase} {lost[phase]} is not the sum of its causes {by_cause}"
    for column, value in row.items():
        if column.endswith("_ns") and not column.startswith("released") and value and int(value) < 0:
            yield f"{column} = {value} is negative"
    if int(row["effective_corrupt_ns"]) > effective:
        yield "more of the effective time is corrupt than there is"
    if int(row["steps"]) > int(row["iterations"]):
        yield f"{row['steps']} steps of {row['iterations']} iterations"


def table_problems(report, metrics):
    """Rows of the table that are not the JSON, rounded; the headline too."""
    headline = re.search(r"time was (?P<number>[\d.]+)%", report.splitlines()[0])
    ettr = metrics["ettr"]["mean"]
    if (headline is None) != (ettr is None):
        yield f"the headline is {report.splitlines()[0]!r}, and ettr is {ettr}"
    elif headline and not shows(headline["number"], "%", ettr):
        yield f"the headline says {headline['number']} %, and ettr is {ettr}"
    seen = set()
    for line in report.splitlines():
        row = ROW.match(line)
        metric = row and LABELS.get(row["label"])
        if not metric or metric in seen:
            continue
        seen.add(metric)
        mean = metrics[metric]["mean"]
        if row["number"] == "unknown":
            if mean is not None:
                yield f"{row['label']} is unknown, and {metric} is {mean}"
        elif mean is None or not shows(row["number"], row["unit"], mean):
            yield f"{row['label']} is {row['number']} {row['unit'] or ''}, and {metric} is {mean}"
    for name in ("ettr", "wall_time_s", "interruptions", "evictions.right", "gpu_hours"):
        if name not in seen:
            yield f"the table has no row for {name}"


def csv_problems(rows, metrics):
    for metric, value in from_rows(rows).items():
        given = metrics[metric]["mean"] if metric in metrics else None
        if (value is None) != (given is None) or (value is not None and not near(value, given)):
            yield f"{metric} is {given} in the JSON, and {value} from replicas.csv"


def store_problems(path, rows):
    """Every cell of replicas.csv is that of the database."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        store.row_factory = sqlite3.Row
        stored = store.execute("SELECT * FROM replica ORDER BY replica").fetchall()
    if len(stored) != len(rows):
        yield f"the database has {len(stored)} replicas, and replicas.csv {len(rows)}"
    for row, other in zip(rows, stored):
        for column, text in row.items():
            cell = other[column]
            same = float(text) == cell if isinstance(cell, float) else text == ("" if cell is None else str(cell))
            if not same:
                yield f"{column} is {cell!r} in the database, and {text!r} in replicas.csv"


def parse_toml(text):
    return tomllib.loads(text)


def seconds_of(text):
    """Of a duration as `show` writes it; of a distribution nothing."""
    return schema.seconds_of(text) if isinstance(text, str) else None
