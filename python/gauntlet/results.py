"""What studies answer: the report, the JSON, frames and arrays."""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _gauntlet
from .errors import Error, Problem

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Result:
    """The answer of a command.

    Attributes:
        text: the report, as the command prints it.
        json: the result as `--json` prints it, byte for byte; empty for a command without.
        exit_code: of the command: 0, or 1 where a replica gave up or nothing meets a bound or a date.
        warnings: what the scenario is warned of.
        messages: what else the command says on standard error.
        interrupted: more replicas were asked for than were done.
    """

    def __init__(self, command: str, answer: Dict[str, Any], warnings: Tuple[Problem, ...], out: Optional[str]):
        self.command = command
        self.text: str = answer["report"]
        self.json: str = answer["json"]
        self.exit_code: int = answer["exit_code"]
        self.messages: Tuple[str, ...] = tuple(answer["messages"])
        self.warnings = warnings
        self.interrupted: bool = answer["interrupted"]
        self.out = out  #: the result directory, where there is one
        self._kept = answer["store"]

    @functools.cached_property
    def data(self) -> Dict[str, Any]:
        """`json` as Python values; unknown is None."""
        return json.loads(self.json) if self.json else {}

    @functools.cached_property
    def tables(self) -> Dict[str, pd.DataFrame]:
        """Every list of objects in `data` as a frame, by its name, such as "points"; of the metrics of its entries "points.metrics"."""
        from . import frames
        return frames.tables(self.data)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<gauntlet {self.command}: {self.text.partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(self.text)}</pre>"


class StudyResult(Result):
    """The answer of a study, with its replicas."""

    def __getstate__(self) -> Dict[str, Any]:
        if self._kept is not None:
            raise TypeError("a result in memory does not leave its process; run the study with out=..., whose result does")
        return {name: value for name, value in self.__dict__.items() if name != "_store"}

    @functools.cached_property
    def _store(self) -> Any:
        if self._kept is not None:
            return self._kept
        file = os.path.join(self.out or "", "results.sqlite")
        if not self.out or not os.path.exists(file):
            raise Error("this result has no replicas: the study ended before any was kept")
        return _gauntlet.open_store(file)

    @functools.cached_property
    def points(self) -> pd.DataFrame:
        """The scenarios that were run, a row each: point (its number), label, scenario, replicas, and the settings that differ."""
        import pandas as pd
        rows = [{"label": each["label"], "scenario": each["scenario"], "replicas": each["replicas"], **each["settings"]}
                for each in self._store.points()]
        frame = pd.DataFrame.from_records(rows)
        frame.index.name = "point"
        return frame

    def _of_points(self, columns: Any) -> pd.DataFrame:
        import pandas as pd

        from . import frames
        points = range(len(self._store.points()))
        each = [frames.of_columns(columns(point)) for point in points]
        if len(each) == 1:
            return each[0]
        for point, frame in zip(points, each):
            frame.insert(0, "point", point)
        return pd.concat(each, ignore_index=True)

    @functools.cached_property
    def replicas(self) -> pd.DataFrame:
        """One row a replica, with the columns of replicas.csv: times in whole nanoseconds (`wall_ns`, `restarting_ns`), counts, the
        fingerprint as 16 hexadecimal digits. With several points `point` comes first. What a scenario does not have is missing."""
        return self._of_points(self._store.replicas)

    @functools.cached_property
    def incidents(self) -> pd.DataFrame:
        """One row an incident of the replicas whose incidents were kept (`incidents=`), with the columns of incidents.csv: times in
        whole nanoseconds since the start of the replica."""
        return self._of_points(self._store.incidents)

    def values(self, metric: str, point: int = 0) -> np.ndarray:
        """A metric of every replica of a point, in their order: float64 of shape (replicas,). The unit is in the name of the metric
        ("wall_time_s"); shares have none. NaN where a replica does not define it, such as a time to failure without a failure."""
        return self._store.values(point, metric)


class RunResult(StudyResult):
    """The answer of `run`."""

    @functools.cached_property
    def metrics(self) -> pd.DataFrame:
        """One row a metric (the index): n (replicas that define it), mean, sd, se, ci95_low, ci95_high, p5, p50, p95, float64. Times
        are in seconds, money in the currency of the scenario; unknown is NaN."""
        return self.tables["metrics"]


class CompareResult(StudyResult):
    """The answer of `compare`. Scenario 0 is the one that the others are compared with."""

    @functools.cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every scenario, by (scenario, metric); columns as in `run`."""
        return self.tables["scenarios.metrics"]

    @functools.cached_property
    def differences(self) -> pd.DataFrame:
        """By (difference, metric): first, second, difference (second - first), its se, ci95_low, ci95_high, and variance_factor, how
        much common faults cut the variance."""
        return self.tables["differences.metrics"]

    @functools.cached_property
    def because(self) -> pd.DataFrame:
        """What makes the first difference: a row for each cause and phase, in seconds a run."""
        from . import frames
        return frames.of_records(self.data["differences"][0]["because"])


class SweepResult(StudyResult):
    """The answer of `sweep`."""

    @functools.cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every point, by (point, metric); columns as in `run`."""
        return self.tables["points.metrics"]

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """A row for each point: settings.KEY (text), replicas, may_be_best, and by how much it trails the best."""
        return self.tables["points"]


class TuneResult(StudyResult):
    """The answer of `tune`."""

    @property
    def best(self) -> Dict[str, Any]:
        """The best point: its settings, mean, ci95, and how it differs from today's value."""
        return self.data["best"]

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """A row for each point that was tried: settings.KEY (text), replicas, mean, ci95_low, ci95_high, and by how much it is worse
        than the best."""
        return self.tables["points"]

    @functools.cached_property
    def fields(self) -> pd.DataFrame:
        """A row for each key: today's value, the best one, and how flat the metric is around it."""
        return self.tables["fields"]


class PlanResult(StudyResult):
    """The answer of `plan`."""

    @functools.cached_property
    def variants(self) -> pd.DataFrame:
        """A row for the scenario as given, and for what is enough and what is best for the date where one is named: GPUs, spare hosts,
        finish_s.p50 (seconds from the start), cost. All of it with the parameters as given, also in a plan with uncertainty=True, whose
        report has the finish of `uncertainty`."""
        return self._of_variants({name: name for name in ("as_given", "enough", "best")})

    @functools.cached_property
    def uncertainty(self) -> pd.DataFrame:
        """The same variants with parameter uncertainty, which the report of a plan with uncertainty=True has in its first line and in its
        table of the finish: finish_s.p50, share_by_date, runs_never_done. Its metrics, with mean, interval and range of one run, are
        tables["uncertainty.metrics"]. Empty without uncertainty=True."""
        return self._of_variants({"as_given": "uncertainty", "enough": "enough_uncertainty", "best": "best_uncertainty"})

    @functools.cached_property
    def parameters(self) -> pd.DataFrame:
        """What was drawn, a row a parameter, by path: given, low and high (its 5% and 95% values), distribution, and the share of the
        variance of the finish that it causes, with ci95_low and ci95_high: NaN where it is not known. Empty without uncertainty=True."""
        import pandas as pd
        found = self.data.get("uncertainty") or {}
        shares = {each["source"]: each for each in (found.get("finish_sources") or {}).get("shares", [])}
        rows = []
        for each in found.get("parameters", []):
            share = shares.get(each["path"], {})
            low, high = share.get("ci95") or (None, None)
            rows.append({**each, "share": share.get("share"), "ci95_low": low, "ci95_high": high})
        columns = ["path", "given", "low", "high", "distribution", "share", "ci95_low", "ci95_high"]
        frame = pd.DataFrame.from_records(rows, columns=columns + ["cut"] * any("cut" in row for row in rows)).set_index("path")
        return frame.astype({"share": float, "ci95_low": float, "ci95_high": float})

    def _of_variants(self, places: Dict[str, str]) -> pd.DataFrame:
        import pandas as pd

        from . import frames
        named = {name: frames.flat(self.data[place]) for name, place in places.items() if self.data.get(place)}
        frame = pd.DataFrame.from_dict(named, orient="index")
        frame.index.name = "variant"
        return frame

    @functools.cached_property
    def one_more(self) -> pd.DataFrame:
        """What one more of each resource changes, a row each, with intervals."""
        return self.tables["one_more"]


class RankResult(StudyResult):
    """The answer of `rank`."""

    @functools.cached_property
    def levers(self) -> pd.DataFrame:
        """A row for each lever with an effect, the best first: path, change, replicas, and what it gains (positive where it improves):
        time_s.by (seconds of wall time a run), tokens.by, cost.by, goodput.by (a share), each with ci95. effect: "gain" or "loss" where
        it is certain, with 95% for all levers together; "unclear"; "unmeasured" where too few events were seen."""
        from . import frames
        return frames.of_records(self.data["ranking"]["levers"])

    @property
    def without_effect(self) -> List[str]:
        """The paths of the levers that change no figure of any replica."""
        return [lever["path"] for lever in self.data["ranking"]["without_effect"]]


class ScaleResult(StudyResult):
    """The answer of `scale`."""

    @functools.cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every size, by (size, metric); columns as in `run`."""
        return self.tables["sizes.metrics"]

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """A row for each size of the job: gpus, step_s and checkpoint_stall_s (seconds), the best interval by formula."""
        return self.tables["sizes"]


class StepResult(Result):
    """The answer of `step`. `data` has all of it; times are in seconds."""

    @property
    def step_time_s(self) -> float:
        """One step, with the parts that are degraded, in seconds."""
        return self.data["step_time_s"]

    @functools.cached_property
    def breakdown(self) -> pd.Series:
        """Where the time of the step goes, in seconds, by part ("compute", "tp.latency")."""
        import pandas as pd

        from . import frames
        return pd.Series(frames.flat(self.data["breakdown"]), name="seconds", dtype="float64")
