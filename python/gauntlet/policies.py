"""Policies in Python: a detector, a checkpoint policy or a recovery as a class.

A scenario names the class as it names a shipped policy; studies make one object of it for each replica:

    >>> class EveryTenMinutes(gauntlet.CheckpointPolicy):
    ...     def start(self, job):
    ...         self.checkpoint_every(10 * gauntlet.MINUTE)
    >>> gauntlet.run("tiny-8", checkpoint=EveryTenMinutes)

Times are ints of nanoseconds since the start of the run, and durations are ints of nanoseconds; orders take datetime.timedelta too. A
policy gives the same orders for the same observations: it has no clock, no random numbers, and no state outside of its object. Replicas
run on several threads. An order that breaks a rule, and an exception, end the study with a PolicyError.
"""

from __future__ import annotations

import datetime
import difflib
import warnings
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Type, Union

from . import _gauntlet
from ._gauntlet import Outcome, Seen

SECOND = 1_000_000_000  #: in nanoseconds
MINUTE = 60 * SECOND  #: in nanoseconds
HOUR = 60 * MINUTE  #: in nanoseconds
DAY = 24 * HOUR  #: in nanoseconds

#: Nanoseconds, or a timedelta.
Duration = Union[int, datetime.timedelta]
#: "all" hosts, the hosts of the "job", the number of a host, or ("stage", its number) with, third, how many of its hosts at most.
Who = Union[str, int, Tuple[str, int], Tuple[str, int, int]]
#: "restart", "examine", "ask", or ("replace", hosts).
Decision = Union[str, Tuple[str, List[int]]]


def to_ns(seconds: float) -> int:
    """Seconds as the nearest nanosecond, as shipped policies round. Zero below zero; 292 years at most."""
    return _gauntlet.seconds_to_ns(seconds)


class CheckpointConstants(NamedTuple):
    """The scenario's table [checkpoint]. Durations are ints of nanoseconds; None: not given, or for ever."""

    interval: Optional[int]  # between checkpoints to storage
    memory_interval: Optional[int]  # ... to the memory of each host
    peers_interval: Optional[int]  # ... to peers' memory
    prior_mtbf: Optional[int]  # mean time between failures before anything is observed
    prior_weight: float  # for how many failures that expectation counts
    prior_cost: Optional[int]  # expected time for which one checkpoint to storage blocks training
    prior_quick_cost: Optional[int]  # ... to the quickest tier
    host_loss: float  # share of the failures that quicker tiers do not outlive
    shortest: Optional[int]  # no interval is to be below it
    hysteresis: float  # a new interval is worth an order when it differs by more than this share


class DetectionConstants(NamedTuple):
    """The scenario's table [detection]. Durations are ints of nanoseconds. `lines`: (pattern, what it asks for) of each log line."""

    heartbeat_timeout: int
    hang_timeout: int
    collective_timeout: int
    gather: int
    clock_error: int
    lines: Tuple[Tuple[int, str], ...]


class RecoveryConstants(NamedTuple):
    """The scenario's table [recovery]. Durations are ints of nanoseconds; None: for ever."""

    restarts_in_place: int
    relapse_window: Optional[int]
    save_timeout: Optional[int]
    wait_for_spare: Optional[int]


class Job(NamedTuple):
    """What a policy is given at the start. Hosts 0 to hosts-1 carry the job; the next `spares` stand by."""

    hosts: int
    spares: int
    gpus_per_host: int
    hosts_per_tor: int
    tp: int
    pp: int
    dp: int
    cp: int
    ep: int
    constants: Any  # CheckpointConstants, DetectionConstants or RecoveryConstants


class FaultStop(NamedTuple):
    """A job that has stopped because of a fault, as its recovery knows it."""

    now: int  # nanoseconds since the start of the run
    suspects: List[int]  # hosts of the job that were named in this incident, in the order of naming
    slow: List[int]  # hosts that slow the job: they are replaced in any case
    restarts: int  # starts in this incident on hosts that no probe found faulty
    examine: bool  # the reports call for an examination; False: a restart cures it, or only slow hosts are replaced


class Policy:
    """What all policies have: the time."""

    _kind = ""
    _desk: Any = None

    def __init_subclass__(cls, **keywords: Any):
        """Warns of a method that reads like a hook and is none, which nothing would ever call."""
        super().__init_subclass__(**keywords)
        if cls.__module__ == __name__:
            return
        kinds = [base for base in cls.__mro__ if base.__module__ == __name__ and base not in (Policy, _Orders)]
        hooks = [name for kind in kinds for name, value in vars(kind).items() if callable(value) and not name.startswith("_")]
        for name, value in vars(cls).items():
            close = [] if name.startswith("_") or name in hooks or not callable(value) else difflib.get_close_matches(name, hooks, 1, 0.75)
            if close:
                warnings.warn(f"{cls.__name__}.{name} is not a hook, so nothing calls it; did you mean {close[0]}? "
                              f"(A method of your own may be named _{name}.)", stacklevel=2)

    @property
    def now(self) -> int:
        """The time of the observation that is answered, in nanoseconds since the start of the run."""
        return self._turn().now

    def _turn(self) -> Any:
        if self._desk is None:
            raise RuntimeError("a policy has a time and gives orders only while one of its hooks runs")
        return self._desk


class _Orders(Policy):
    """Orders of detectors and of checkpoint policies. Each returns the id of the order, and has one outcome later on."""

    def watch_id(self) -> int:
        """A new id for a watch. In `start` alone: all watches of a policy have ids that it took there."""
        return self._turn().watch_id()

    def watch(self, id: int, signal: str, who: Optional[Who] = None, *, silence: Optional[Duration] = None,  # noqa: A002
              outside: Optional[Tuple[float, float]] = None, pattern: Optional[int] = None, samples: Optional[int] = None,
              first: Optional[int] = None) -> int:
        """Watches a signal. What passes the filter arrives in `seen`, until `unwatch`.

        Args:
            id: from `watch_id`.
            signal: a name of gauntlet.listing("signals").
            who: of a signal of hosts: "all" (the default), "job", the number of a host, or ("stage", number, at most).
            silence: reports once when samples stay away for longer ("began"), and when they return ("ended").
            outside: reports when a value leaves the band (low, high) ("began"), and when it returns ("ended").
            pattern: reports each log line of this pattern.
            samples: reports the next so many values.
            first: after so many members that report one event the rest arrive as one report with a count.
        """
        return self._turn().watch(id, signal, who, silence, outside, pattern, samples, first)

    def unwatch(self, id: int) -> int:  # noqa: A002
        """Ends a watch."""
        return self._turn().unwatch(id)

    def wake(self, at: int) -> int:
        """Sets a timer. `outcome` is called when it expires."""
        return self._turn().wake(at)

    def cancel(self, order: int) -> int:
        """Cancels an order of this policy that has no outcome yet."""
        return self._turn().cancel(order)


class CheckpointPolicy(_Orders):
    """Decides when checkpoints are taken. Derive from it and write the hooks that you need; each returns None."""

    _kind = "checkpoint"

    def start(self, job: Job) -> None:
        """The run starts. `job.constants` are CheckpointConstants."""

    def training_began(self) -> None:
        """The job trains, after each of its starts."""

    def seen(self, seen: Seen) -> None:
        """A watch of this policy reports."""

    def outcome(self, outcome: Outcome) -> None:
        """An order of this policy has its outcome."""

    def stopped_by_fault(self) -> None:
        """An incident opened: a fault stopped the job, or will be the reason to stop it."""

    def checkpoint_every(self, interval: Optional[Duration], tier: str = "storage") -> int:
        """Takes checkpoints at this interval of training time from now on; None: none any more. `tier`: "memory", "peers" or
        "storage"."""
        return self._turn().checkpoint_every(interval, tier)

    def checkpoint(self) -> int:
        """Takes one checkpoint to storage at the next step boundary. It is done when it is durable: outcome.step."""
        return self._turn().checkpoint()


class Detector(_Orders):
    """Turns what its watches report into suspicions. Derive from it and write the hooks that you need; each returns None."""

    _kind = "detector"

    def start(self, job: Job) -> None:
        """The run starts. `job.constants` are DetectionConstants. Takes the ids of all watches."""

    def seen(self, seen: Seen) -> None:
        """A watch of this detector reports."""

    def outcome(self, outcome: Outcome) -> None:
        """An order of this detector has its outcome."""

    def job_began(self) -> None:
        """The job starts."""

    def job_ended(self) -> None:
        """The job is to stop. Also called right before `job_began`: reports that were on their way are of the job before."""

    def job_resized(self, dp: int, hosts: int) -> None:
        """The job starts with another number of data-parallel replicas, and of hosts."""

    def suspect(self, host: Optional[int] = None, kind: str = "stopped", *, quarantine: Optional[Duration] = None, wrong: bool = False,
                of_host: bool = False) -> None:
        """Raises a suspicion, in `seen` and `outcome`.

        Args:
            host: its number; None where the culprit is not known.
            kind: "stopped" (the job is down, or must stop), "restart" (likewise, and a restart cures it), "degraded" (the job goes on
                slowly; the host is replaced), "unusual" (a person is told) or "warning" (the job may fail soon: it is saved).
            quarantine: the shortest time out of service once the host is evicted.
            wrong: the job computes wrong values.
            of_host: the host fails, not its ranks alone.
        """
        self._turn().suspect(host, kind, quarantine, wrong, of_host)

    def probe(self, probe: int, who: Who, report: int) -> int:
        """Runs a probe of diagnosis.suite by its number in [probes] (names in alphabetical order). Hosts that fail are reported through
        the watch id `report`."""
        return self._turn().probe(probe, who, report)


class Recovery(Policy):
    """Decides what happens to a stop. The orders that follow, and their sequence, are those of every recovery.

    Both hooks return "restart" (start on the same hosts), "examine" (run the probes on the suspects, on every host where there are
    none, and replace whoever fails), "ask" (ask a person) or ("replace", hosts).
    """

    _kind = "recovery"

    def start(self, job: Job) -> None:
        """The run starts. `job.constants` are RecoveryConstants."""

    def stopped(self, stop: FaultStop) -> Decision:
        """A fault stopped the job, and its ranks are gone."""
        raise NotImplementedError

    def found_nothing(self, stop: FaultStop) -> Decision:
        """The examination found no host. "examine" is not an answer."""
        raise NotImplementedError


#: What `gauntlet.load` and studies take for a policy.
PolicyClass = Type[Policy]


def is_policy(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Policy) and bool(value._kind)


def policies_in(value: object) -> Iterable[PolicyClass]:
    """The classes of policies in a value of a setting or an option."""
    if is_policy(value):
        yield value  # type: ignore[misc]
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from policies_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from policies_in(each)


def by_name(classes: Iterable[PolicyClass]) -> Dict[str, PolicyClass]:
    """Classes by their names, each of which is of one class."""
    out: Dict[str, PolicyClass] = {}
    for each in classes:
        if out.setdefault(each.__name__, each) is not each:
            raise ValueError(f"two policies are called {each.__name__}: {out[each.__name__]!r} and {each!r}; give one another name")
    return out


def known_to_module(classes: Mapping[str, PolicyClass]) -> List[Tuple[str, str, PolicyClass]]:
    return [(each._kind, name, each) for name, each in classes.items()]
