"""Studies: each runs a command of `gauntlet` in this process, with its options as keywords, on threads without the GIL."""

from __future__ import annotations

import os
import sys
import warnings as python_warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _gauntlet
from .errors import Error, InputError, Interrupted, ScenarioError, ScenarioWarning, problems_of
from .policies import PolicyClass, by_name, known_to_module, policies_in
from .results import (CompareResult, PlanResult, RankResult, Result, RunResult, ScaleResult, StepResult, StudyResult,
                      SweepResult, TuneResult)
from .scenario import Scenario, ScenarioLike, Setting, as_scenario, check_words, toml

#: True: a line on standard error. A function: is called with (replicas done, replicas left of those asked for last).
Progress = Union[bool, None, Callable[[int, int], object]]
PathLike = Union[str, os.PathLike]
Kind = TypeVar("Kind", bound=Result)

_interrupted: List[Optional[Result]] = [None]


def last_interrupted() -> Optional[Result]:
    """The result of the study that was interrupted last: of the replicas that were done by then. None where no study was."""
    return _interrupted[0]


class _Line:
    """The progress of a study on standard error."""

    def __init__(self) -> None:
        self.drawn = False

    def __call__(self, done: int, left: int) -> None:
        self.drawn = True
        print(f"\r{done:,} replicas are done, {left:,} are left\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _words(options: Mapping[str, Any]) -> List[str]:
    """Keywords as options of the command: finish_by="60d" is --finish-by=60d, a list gives the option again for each of its values."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each == "":
                raise InputError(f'{option}: "" is not a value; leave it out')
            if isinstance(each, bool):
                words += [option] if each else []
            elif each is not None:
                words.append(f"{option}={toml(each)}")
    return words


def _operand(path: str) -> str:
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def _call(command: str, operands: Sequence[str], options: Mapping[str, Any], kind: Type[Kind], progress: Progress = None,
          policies: Sequence[PolicyClass] = ()) -> Kind:
    words = [*command.split(), *map(_operand, operands), *_words(options)]
    check_words(*words)
    line = _Line() if progress is True else None
    told = line or (progress if callable(progress) else None)
    if told is None and progress not in (None, False):
        raise TypeError(f"progress={progress!r} is not a bool and cannot be called")
    known = known_to_module(by_name(policies))
    if known and options.get("resume"):
        raise InputError("resume: a result directory does not hold the code of the policies in Python, which may have changed since; start anew")
    answer = _gauntlet.call(words, told, known)
    if line:
        line.clear()
    return _result(command, answer, kind, options.get("out"))


def _result(command: str, answer: Dict[str, Any], kind: Type[Kind], out: Optional[PathLike]) -> Kind:
    problems = problems_of(answer["problems"])
    warned = problems_of(answer["warnings"])
    result = kind(command, answer, warned, os.fspath(out) if out else None) if answer["answered"] else None
    raised = answer["raised"]
    if answer["policy_error"] is not None:
        raise answer["policy_error"]
    if isinstance(raised, KeyboardInterrupt):
        _interrupted[0] = result
        raise Interrupted("\n".join(answer["messages"]) or "interrupted before a replica was done", result) from None
    if raised is not None:
        raise raised
    text = "\n".join([*map(str, problems), *answer["messages"]])
    if problems and answer["exit_code"] == 2:
        raise ScenarioError("\n".join(map(str, problems)), problems)
    if problems or result is None:
        raise (InputError if answer["exit_code"] == 2 else Error)(text, problems, result)
    for message in result.messages:
        python_warnings.warn(message, stacklevel=4)
    return result


def _study(command: str, scenario: ScenarioLike, options: Mapping[str, Any], kind: Type[Kind], progress: Progress = None,
           policies: Sequence[PolicyClass] = ()) -> Kind:
    loaded = as_scenario(scenario)
    return _call(command, [loaded.path], {**options, "set": loaded.sets}, kind, progress, [*loaded.policies.values(), *policies])


def command(name: str, *operands: ScenarioLike, progress: Progress = None, **options: Any) -> StudyResult:
    """Runs a command that has no function of its own, with its options as keywords: command("trace fit", "failures.csv", by_node=True).

    Args:
        name: the command: "trace fit", "trace import", "validate step", "validate policies", "validate coverage", "topology" or "explain"; also one that has
            a function.
        operands: its files; a Scenario brings its settings.
        options: underscores stand for hyphens, True for an option without a value, and a list gives an option several times.
    """
    sets = [each for operand in operands if isinstance(operand, Scenario) for each in as_scenario(operand).sets]
    files = [operand.path if isinstance(operand, Scenario) else os.fspath(operand) for operand in operands]
    policies = [each for operand in operands if isinstance(operand, Scenario) for each in operand.policies.values()]
    return _call(name, files, {**options, "set": sets}, StudyResult, progress, policies)


def run(scenario: ScenarioLike, *, replicas: Optional[int] = None, precision: Union[None, str, Mapping[str, float]] = None,
        replica: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None, out: Optional[PathLike] = None,
        force: bool = False, resume: bool = False, incidents: Optional[int] = None, plain: bool = False,
        over_time: Optional[str] = None, record: Optional[PathLike] = None, full_telemetry: bool = False,
        checkpoint: Union[None, str, PolicyClass] = None,
        detectors: Optional[Sequence[Union[str, PolicyClass]]] = None, recovery: Union[None, str, PolicyClass] = None,
        progress: Progress = None) -> RunResult:
    """Runs a scenario and says what its faults cost.

    Args:
        scenario: a Scenario, a file, or the name of a shipped scenario.
        replicas: how many random runs (default: the scenario's); with `precision` at most.
        precision: run until the 95% intervals are as narrow: "0.05%" of ETTR, or {"wall_time_s": 3600}, half-widths.
        replica: this one alone, counted from 0.
        seed: of all randomness (default: the scenario's). Equal seeds meet equal faults.
        threads: of this process (default: its cores). The result does not depend on it.
        out: a directory for the results, as the command writes it. An interrupted study goes on from there with resume=True.
        force: replace what is in `out`.
        resume: go on with what is in `out`.
        incidents: keep the incidents of the first so many replicas (default: `run` 10, with `out` 100; other studies 1 for
            each point).
        plain: compute means of the replicas as they are, without control variates: wider intervals.
        over_time: write over-time.csv into `out`: ETTR, MFU and phases of each replica in parts of this length, such as "6h".
        record: a file for what the policies saw and ordered; needs `replica`.
        full_telemetry: generate every raw sample: slower, with the same result.
        checkpoint, detectors, recovery: policies in place of the scenario's, by name or as classes (gauntlet.policies). `detectors` are
            all detectors, in their order.
        progress: True, or a function of (replicas done, replicas left).

    Raises:
        ScenarioError: the scenario has mistakes.
        PolicyError: a policy in Python broke a rule.
        Interrupted: Ctrl-C; its `result` is of the replicas that were done.
    """
    scenario = as_scenario(scenario).with_policies(checkpoint=checkpoint, detectors=detectors, recovery=recovery)
    return _study("run", scenario, dict(replicas=replicas, precision=None if precision is None else _assigned(precision, toml),
                                        replica=replica, seed=seed, threads=threads, out=out, force=force, resume=resume,
                                        incidents=incidents, plain=plain, over_time=over_time, record=record,
                                        full_telemetry=full_telemetry), RunResult, progress)


def _changes(first: Scenario, other: Scenario) -> str:
    """What of `other` differs from `first`, as compare --with takes it."""
    gone = [path for path in first.settings if path not in other.settings]
    if gone:
        raise ValueError(f"{other!r} does not set {gone[0]}, which the first scenario sets; set it to the value that it is to have")
    changed = {path: value for path, value in other.settings.items() if first.settings.get(path) != value}
    return " ".join(f"{path}={value}" for path, value in changed.items())


def compare(scenario: ScenarioLike, *others: ScenarioLike, changes: Sequence[Mapping[str, Setting]] = (),
            replicas: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None,
            out: Optional[PathLike] = None, force: bool = False, resume: bool = False, incidents: Optional[int] = None,
            plain: bool = False,
            progress: Progress = None) -> CompareResult:
    """Compares scenarios under the same faults, and says which faults make the difference.

    Args:
        scenario: the one that the others are compared with.
        others: other files, or the same file with other settings: compare(s, s.with_({"spares.count": 4})).
        changes: settings of variants of the one scenario: [{"spares.count": 4}, {"checkpoint.interval": "5min"}].

    The other arguments are those of `run`.
    """
    first, *rest = [as_scenario(each) for each in (scenario, *others)]
    policies = [each for one in (first, *rest) for each in one.policies.values()] + list(policies_in(list(changes)))
    variants = [_changes(first, first.with_(each)) for each in changes]
    if all(each.path == first.path and each.settings != first.settings for each in rest):
        variants = [_changes(first, each) for each in rest] + variants
        rest = []
    elif any(each.settings != first.settings for each in rest):
        raise ValueError("different files are compared with the same settings; write the others into a file that extends one of them")
    options: Dict[str, Any] = {"with": variants}
    options.update(replicas=replicas, seed=seed, threads=threads, out=out, force=force, resume=resume, incidents=incidents,
                   plain=plain)
    return _call("compare", [first.path, *(each.path for each in rest)], {**options, "set": first.sets}, CompareResult, progress,
                 policies)


def _assigned(values: Union[str, Sequence[str], Mapping[str, Any]], text: Callable[[Any], str]) -> List[str]:
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable):
        raise TypeError(f"{values!r} is neither a text, nor several, nor a mapping of names to values")
    if isinstance(values, Mapping):
        return [path + ("" if value is None else f"={text(value)}") for path, value in values.items()]
    return list(values)


def _values(value: Any) -> str:
    return ",".join(toml(each) for each in value) if isinstance(value, (list, tuple)) else toml(value)


def _range(value: Any) -> str:
    return ":".join(toml(each) for each in value) if isinstance(value, (list, tuple)) else toml(value)


def sweep(scenario: ScenarioLike, vary: Union[str, Sequence[str], Mapping[str, Any]], *, design: Optional[str] = None,
          points: Optional[int] = None, replicas: Optional[int] = None, precision: Union[None, str, Mapping[str, float]] = None,
          budget: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None, out: Optional[PathLike] = None,
          force: bool = False, resume: bool = False, incidents: Optional[int] = None, plain: bool = False, progress: Progress = None) -> SweepResult:
    """Runs a scenario at many values of its keys.

    Args:
        vary: values by key: {"checkpoint.interval": "1min:2h:log20", "spares.count": [1, 2, 4]}.
        design: "grid" (every combination) or "latin-hypercube".
        points: of a Latin hypercube.
        precision: half-width of the 95% interval of a mean, by metric: {"ettr": 0.002}; replicas are added until it is met.
        budget: replicas in all.

    The other arguments are those of `run`.
    """
    return _study("sweep", scenario, dict(vary=_assigned(vary, _values), design=design, points=points, replicas=replicas,
                                          precision=None if precision is None else _assigned(precision, toml), budget=budget,
                                          seed=seed, threads=threads, out=out, force=force, resume=resume, incidents=incidents,
                                          plain=plain),
                  SweepResult, progress, list(policies_in(vary)))


def tune(scenario: ScenarioLike, over: Union[str, Sequence[str], Mapping[str, Any]], *, minimize: Optional[str] = None,
         maximize: Optional[str] = None, subject_to: Union[None, str, Sequence[str]] = None, budget: Optional[int] = None,
         seed: Optional[int] = None, threads: Optional[int] = None, out: Optional[PathLike] = None, force: bool = False,
         resume: bool = False, incidents: Optional[int] = None, plain: bool = False, progress: Progress = None) -> TuneResult:
    """Finds the best values of keys for a metric.

    Args:
        over: keys, with a range or None: {"checkpoint.interval": ("1min", "2h"), "detection.hang_timeout": None}.
        minimize, maximize: the metric (default: maximize ettr).
        subject_to: bounds that must hold: "wall_time_s.p95<60d".
        budget: replicas in all, at most.

    The other arguments are those of `run`.
    """
    return _study("tune", scenario, dict(over=_assigned(over, _range), minimize=minimize, maximize=maximize, subject_to=subject_to,
                                         budget=budget, seed=seed, threads=threads, out=out, force=force, resume=resume,
                                         incidents=incidents, plain=plain), TuneResult, progress)


def plan(scenario: ScenarioLike, *, tokens: Union[None, str, float] = None, finish_by: Optional[str] = None,
         start: Optional[str] = None, confidence: Optional[float] = None, percentile: Union[None, int, Sequence[int]] = None,
         uncertainty: bool = False, replicas: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None,
         out: Optional[PathLike] = None, force: bool = False, resume: bool = False, incidents: Optional[int] = None,
            plain: bool = False,
         progress: Progress = None) -> PlanResult:
    """Says when the job finishes, and how many GPUs and spare hosts finish it by a date.

    Args:
        tokens: the work, such as "15.6T" (default: the scenario's).
        finish_by: time limit from the start ("60d"), or the last day where there is a first one ("2027-03-31").
        start: the first day of the job ("2027-01-15"); the report then has calendar dates.
        confidence: share of the simulated runs that must finish in time.
        percentile: also when so many percent of the runs are done.
        uncertainty: carry what is not known of the parameters into the results.

    The other arguments are those of `run`.
    """
    return _study("plan", scenario, dict(tokens=tokens, finish_by=finish_by, start=start, confidence=confidence,
                                         percentile=percentile, uncertainty=uncertainty, replicas=replicas, seed=seed,
                                         threads=threads, out=out, force=force, resume=resume, incidents=incidents,
                                          plain=plain),
                  PlanResult, progress)


def rank(scenario: ScenarioLike, *, lever: Union[None, str, Sequence[str]] = None, separate: Optional[int] = None,
         replicas: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None, out: Optional[PathLike] = None,
         force: bool = False, resume: bool = False, incidents: Optional[int] = None, plain: bool = False, progress: Progress = None) -> RankResult:
    """Says which improvement of a scenario is worth the most: what each one gains, made alone.

    Args:
        lever: only this lever ("spares.count"), or those of a part ("job.start"); default: all.
        separate: add replicas until the order of the first so many levers is certain (default: 5).
        replicas: of every lever, and no more.

    The other arguments are those of `run`.
    """
    return _study("rank", scenario, dict(lever=lever, separate=separate, replicas=replicas, seed=seed, threads=threads, out=out,
                                         force=force, resume=resume, incidents=incidents, plain=plain), RankResult, progress)


def scale(scenario: ScenarioLike, *, gpus: Union[None, str, Sequence[int]] = None, keep_batch: bool = False,
          replicas: Optional[int] = None, seed: Optional[int] = None, threads: Optional[int] = None, out: Optional[PathLike] = None,
          force: bool = False, resume: bool = False, incidents: Optional[int] = None, plain: bool = False, progress: Progress = None) -> ScaleResult:
    """Runs a scenario at many sizes of its job.

    Args:
        gpus: the sizes: "1k:128k:log8", or [1024, 16384] (default: from a 16th of the job to 8 times the job).
        keep_batch: keep the global batch (default: it grows with the job).

    The other arguments are those of `run`.
    """
    return _study("scale", scenario, dict(gpus=None if gpus is None else _values(gpus), keep_batch=keep_batch, replicas=replicas,
                                          seed=seed, threads=threads, out=out, force=force, resume=resume, incidents=incidents,
                                          plain=plain),
                  ScaleResult, progress)


def step(scenario: ScenarioLike, *, degrade: Union[None, str, Sequence[str]] = None, network: Optional[str] = None,
         ecmp: Optional[str] = None, beside: Union[None, str, Sequence[str]] = None,
         storm: Union[None, str, Sequence[str]] = None, page: Optional[PathLike] = None, trace: Optional[PathLike] = None,
         steps: Optional[int] = None, heatmap: Optional[PathLike] = None) -> StepResult:
    """Says how long one training step takes, and where its time goes.

    Args:
        degrade: slower parts: "host:17.slow=1.10", "host:17.nic:2.degrade=lost".
        network: "closed-form", "max-min" or "simgrid" (default: what fits).
        ecmp: how switches choose among equal paths: "spread" or "hashed".
        beside: transfers of other jobs on the same fabric: "host:3-host:8".
        storm: restores from storage at a host to all hosts of the job: "host:8".
        page: a file for the report as a page with charts.
        trace: a file for a time line, for https://ui.perfetto.dev.
        steps: how many steps the time line has (default: 1).
        heatmap: a file for a map of which stage waits for which, as SVG.
    """
    return _study("step", scenario, dict(degrade=degrade, network=network, ecmp=ecmp, beside=beside, storm=storm, page=page, trace=trace,
                                         steps=steps, heatmap=heatmap), StepResult)
