"""Gauntlet: what will faults cost this training job, and which policies make them cost less?

    >>> import gauntlet
    >>> s = gauntlet.load("llama3-405b-54d", set={"checkpoint.interval": "10min"})
    >>> r = gauntlet.run(s, replicas=200, seed=1)
    >>> r.metrics.loc["ettr", "mean"]
    >>> r.values("ettr")              # one number a replica
    >>> print(r.text)                 # the report of the command

Each function runs a command of `gauntlet` in this process, on threads without the GIL, and gives the same bytes as the command.
"""

import os as _os

from . import _gauntlet

_here = _os.path.dirname(_os.path.abspath(__file__))
if _os.path.isdir(_os.path.join(_here, "scenarios")):
    _gauntlet.set_shipped_scenarios(_os.path.join(_here, "scenarios"))
_gauntlet.set_flow_program(_os.path.join(_here, "gauntlet-flow"))

from .errors import Error, InputError, Interrupted, PolicyError, Problem, ScenarioError, ScenarioWarning  # noqa: E402
from .policies import DAY, HOUR, MINUTE, SECOND, CheckpointPolicy, Detector, FaultStop, Job, Outcome, Recovery, Seen, to_ns  # noqa: E402
from .recordings import Recording, Replayed, read_recording, record, replay  # noqa: E402
from .results import (CompareResult, PlanResult, RankResult, Result, RunResult, ScaleResult, StepResult, StudyResult,  # noqa: E402
                      SweepResult, TuneResult)
from .scenario import Scenario, check, listing, load, schema  # noqa: E402
from .studies import command, compare, last_interrupted, plan, rank, run, scale, step, sweep, tune  # noqa: E402

__version__ = _gauntlet.version

__all__ = [
    "CheckpointPolicy", "CompareResult", "DAY", "Detector", "Error", "FaultStop", "HOUR", "InputError", "Interrupted", "Job",
    "MINUTE", "Outcome", "PlanResult", "PolicyError", "Problem", "RankResult", "Recording", "Recovery", "Replayed", "Result",
    "RunResult", "SECOND", "ScaleResult", "Scenario", "ScenarioError", "ScenarioWarning", "Seen", "StepResult", "StudyResult",
    "SweepResult", "TuneResult", "check", "command", "compare", "last_interrupted", "listing", "load", "plan", "rank",
    "read_recording", "record", "replay", "run", "scale", "schema", "step", "sweep", "to_ns", "tune",
]
