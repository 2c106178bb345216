"""Recordings: one replica with all that its policies saw and ordered."""

from __future__ import annotations

import dataclasses
import functools
import os
import tomllib
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _gauntlet
from .errors import Error, InputError, problems_of
from .policies import PolicyClass, by_name, is_policy, known_to_module, policies_in
from .scenario import ScenarioLike, as_scenario

if TYPE_CHECKING:
    import pandas as pd

REPLICA_MAX = 1_000_000_000
SEED_MAX = 2**63 - 1


@dataclasses.dataclass(frozen=True)
class Replayed:
    """What the policies of this program made of a recording.

    Attributes:
        identical: they gave the recorded orders.
        observations, orders: how many were compared.
        difference: the first order that differs, in words; empty where none does.
    """

    identical: bool
    observations: int
    orders: int
    difference: str


class Recording:
    """One replica: its observations, and the orders that answer them."""

    def __init__(self, recording: Any, name: str):
        self._recording = recording
        self.name = name
        self.seed: int = recording.seed
        self.replica: int = recording.replica
        self.version: str = recording.version  #: of the program that made it
        self.scenario: str = recording.scenario  #: the whole scenario as TOML

    @functools.cached_property
    def observations(self) -> pd.DataFrame:
        """One row an observation, in their order: time_ns (int64, nanoseconds since the start), kind ("Seen", "Outcome"), and its members,
        missing where it has none of that name. Times end in `_ns`; components are text: "host:17"."""
        from . import frames
        return frames.of_rows(self._recording.observations(), ["time_ns", "kind"])

    @functools.cached_property
    def orders(self) -> pd.DataFrame:
        """One row an order: time_ns (of the observation that it answers), answers (the row of that observation), order_id, kind
        ("Stop", "Evict"), and its members."""
        from . import frames
        return frames.of_rows(self._recording.orders(), ["time_ns", "answers", "order_id", "kind"])

    @property
    def story(self) -> str:
        """Each observation on a line, followed by the orders that answer it."""
        return self._recording.story()

    def save(self, path: Union[str, os.PathLike], force: bool = False) -> None:
        """Writes it as `gauntlet run --record` does. What is there is replaced with `force` alone."""
        name = os.fspath(path)
        if not force and os.path.lexists(name):
            raise InputError(f"{name}: exists and is not overwritten; choose another file, or replace it with force=True")
        problems = problems_of(self._recording.save(name))
        if problems:
            raise Error("\n".join(map(str, problems)), problems)

    def replay(self, *policies: PolicyClass) -> Replayed:
        """Runs the policies of its scenario on its observations, and compares their orders with the recorded ones. `policies`: the
        classes of those in Python."""
        named = str(tomllib.loads(self.scenario).get("policies", {}))
        for name in by_name(policies):
            if repr(name) not in named:
                raise InputError(f"{self.name}: the policies of its scenario do not name {name}: {named}; record a replica with that policy")
        loaded = _gauntlet.load_text(self.scenario, f"{self.name} (its scenario)", known_to_module(by_name(policies)))
        problems = problems_of(loaded.problems())
        if problems:
            raise InputError("\n".join(map(str, problems)), problems)
        found = self._recording.replay(loaded)
        difference = "" if found["past_the_end"] else found["difference"]
        return Replayed(identical=not difference, observations=found["observations"], orders=found["orders"],
                        difference=difference)

    def __repr__(self) -> str:
        return f"<gauntlet recording of replica {self.replica}, seed {self.seed}>"


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f'{name}: {value!r} is not a whole number')
    if not 0 <= value <= most:
        raise ValueError(f'{name}: "{value}" is not a whole number from 0 to {most}')
    return value.__index__()


def record(scenario: ScenarioLike, replica: int = 0, *, seed: Optional[int] = None, full_telemetry: bool = False,
           checkpoint: Union[None, str, PolicyClass] = None, detectors: Optional[Sequence[Union[str, PolicyClass]]] = None,
           recovery: Union[None, str, PolicyClass] = None) -> Recording:
    """Runs one replica, counted from 0, and keeps what its policies saw and ordered. `seed`: the scenario's, where not given. The
    policies are those of `run`."""
    loaded = as_scenario(scenario).with_policies(checkpoint=checkpoint, detectors=detectors, recovery=recovery)
    seed = loaded._loaded.seed() if seed is None else _whole("seed", seed, SEED_MAX)
    replica = _whole("replica", replica, REPLICA_MAX)
    return Recording(_gauntlet.record(loaded._loaded, seed, replica, bool(full_telemetry)), loaded.path)


def read_recording(path: Union[str, os.PathLike], *, cut_short: bool = False) -> Recording:
    """Reads a recording that `gauntlet run --record` or `gauntlet drill --record` wrote. Raises InputError where it is damaged, or does
    not hold a whole run and `cut_short` is False."""
    name = os.fspath(path)
    found, problems = _gauntlet.read_recording(name)
    if problems and (found is None or not cut_short):
        problems = problems_of(problems)
        raise InputError("\n".join(map(str, problems)), problems)
    return Recording(found, name)


def replay(path: Union[str, os.PathLike], *, checkpoint: Optional[PolicyClass] = None, detectors: Sequence[PolicyClass] = (),
           recovery: Optional[PolicyClass] = None, cut_short: bool = False) -> Replayed:
    """Runs policies on a recording, and compares their orders with the recorded ones: those of this program, and the classes that the
    recording names. `cut_short`: up to where a recording ends that does not hold a whole run, such as that of a PolicyError."""
    given = [each for each in (checkpoint, *detectors, recovery) if each is not None]
    for each in given:
        if not is_policy(each):
            raise TypeError(f"{each!r} is not a class of a policy; derive from gauntlet.Detector, CheckpointPolicy or Recovery")
    return read_recording(path, cut_short=cut_short).replay(*given)
