"""Results as pandas frames."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional

import numpy as np
import pandas as pd

STATISTICS = ["n", "mean", "sd", "se", "ci95_low", "ci95_high", "p5", "p50", "p95"]


def of_columns(columns: Iterable[tuple]) -> pd.DataFrame:
    """Of (name, values, mask of what is missing or None), each of equal length. Whole numbers with gaps are Int64."""
    def series(values: Any, mask: Optional[np.ndarray]) -> Any:
        return values if mask is None else pd.arrays.IntegerArray(values, mask)

    return pd.DataFrame({name: series(values, mask) for name, values, mask in columns})


def of_rows(rows: List[Dict[str, Any]], first: List[str]) -> pd.DataFrame:
    """Of dicts with different keys: what a row lacks is missing. `first`: columns in front."""
    frame = pd.DataFrame.from_records(rows).convert_dtypes(convert_string=False)
    return frame[first + [name for name in frame.columns if name not in first]] if len(frame) else pd.DataFrame(columns=first)


def _is_interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(end, (int, float)) for end in value)


def flat(entry: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """One row: nested names joined by dots, and the two ends of an interval apart (ci95_low, ci95_high). No lists of rows, no metrics."""
    row: Dict[str, Any] = {}
    for name, value in entry.items():
        if name == "metrics":
            continue
        if isinstance(value, dict):
            row.update(flat(value, f"{prefix}{name}."))
        elif name.startswith("ci95") and (value is None or _is_interval(value)):
            row[f"{prefix}{name}_low"], row[f"{prefix}{name}_high"] = value or (None, None)
        elif not (isinstance(value, list) and value and isinstance(value[0], dict)):
            row[prefix + name] = value
    return row


def of_records(entries: List[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each entry of a list in a result."""
    return pd.DataFrame.from_records([flat(entry) for entry in entries])


def of_metrics(metrics: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each metric; unknown is NaN."""
    frame = pd.DataFrame.from_dict({name: flat(of) for name, of in metrics.items()}, orient="index")
    frame.index.name = "metric"
    known = [name for name in STATISTICS if name in frame.columns]
    frame = frame[known + [name for name in frame.columns if name not in known]]
    return frame.apply(lambda column: pd.to_numeric(column) if column.name != "n" else column.astype("int64"))


def of_all_metrics(entries: List[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """The same of several entries, by their number and the metric."""
    return pd.concat({i: of_metrics(entry["metrics"]) for i, entry in enumerate(entries) if entry.get("metrics")}, names=[name])


def tables(data: Any, prefix: str = "") -> Dict[str, pd.DataFrame]:
    """Every list of objects in a result as a frame, by its name; the metrics of its entries as another one: `points.metrics`."""
    found: Dict[str, pd.DataFrame] = {}
    for name, value in data.items():
        if name == "metrics" and isinstance(value, dict) and value:
            found[prefix + name] = of_metrics(value)
        elif isinstance(value, dict):
            found.update(tables(value, f"{prefix}{name}."))
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            found[prefix + name] = of_records(value)
            if any(entry.get("metrics") for entry in value):
                found[f"{prefix}{name}.metrics"] = of_all_metrics(value, name.rstrip("s"))
    return found
