"""Scenarios: load, change, check."""

from __future__ import annotations

import datetime
import os
import re
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _gauntlet
from .errors import Problem, ScenarioWarning, problems_of, scenario_error
from .policies import PolicyClass, by_name, is_policy, known_to_module, policies_in

if TYPE_CHECKING:
    import pandas as pd

#: What a key of a scenario takes: a bool, a number, a list or a table, or a text as `--set` takes it ("10min", "400Gb/s"). A key that
#: names policies takes their classes too.
Setting = Union[str, bool, int, float, datetime.timedelta, list, tuple, dict, PolicyClass]


def _quoted(text: str) -> str:
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'


def toml(value: Any, within: bool = False) -> str:
    """The value as TOML. A text outside of lists and tables stays bare, as `--set` takes it."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a NumPy scalar
    if is_policy(value):
        return _quoted(value.__name__)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime.timedelta):
        return toml(f"{value // datetime.timedelta(microseconds=1)}us", within)
    if isinstance(value, (str, os.PathLike)):
        return _quoted(os.fspath(value)) if within else os.fspath(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(key))} = {toml(each, True)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(each, True) for each in value) + "]"
    raise TypeError(f"{value!r} is not a value of a scenario: a bool, a number, a text, a timedelta, a list or a dict")


def _settings(changes: Optional[Mapping[str, Setting]]) -> Dict[str, str]:
    for path in changes or {}:
        if not isinstance(path, str):
            raise TypeError(f"{path!r} is not the path of a key, such as \"checkpoint.interval\"")
    return {path: toml(value) for path, value in (changes or {}).items()}


class Scenario:
    """A scenario file, or a shipped scenario by its name, with settings over it. It never changes: `with_` gives another one.

    Studies read the file again, so a file that was edited meanwhile counts as it is then.

        >>> s = gauntlet.load("tiny-8", set={"checkpoint.interval": "10min"})
        >>> s["spares.count"]
        1
    """

    def __init__(self, path: Union[str, os.PathLike], set: Optional[Mapping[str, Setting]] = None):  # noqa: A002
        self.path: str = os.fspath(path)  #: the file, or the name of a shipped scenario
        self.settings: Dict[str, str] = _settings(set)  #: key -> value, as `--set` takes them
        self.policies: Dict[str, PolicyClass] = by_name(policies_in(set))  #: name -> class, of the policies in Python
        if not isinstance(self.path, str):
            raise TypeError(f"{path!r} is not the name of a scenario")
        check_words(self.path, *self.sets)
        self._loaded = _gauntlet.load(self.path, self.sets, known_to_module(self.policies))

    @property
    def sets(self) -> List[str]:
        """The settings as `--set` of the command takes them: "checkpoint.interval=10min"."""
        return [f"{path}={value}" for path, value in self.settings.items()]

    @property
    def problems(self) -> Tuple[Problem, ...]:
        """Every mistake, by position."""
        return problems_of(self._loaded.problems())

    @property
    def warnings(self) -> Tuple[Problem, ...]:
        """What is allowed, and has a consequence that is seldom meant."""
        return problems_of(self._loaded.warnings())

    @property
    def values(self) -> Dict[str, Any]:
        """The whole scenario with its default values, as nested dicts. Quantities are text with their unit: "10min"."""
        return self._loaded.values()

    def __getitem__(self, key: str) -> Any:
        """The value of a key ("checkpoint.interval"), as the scenario has it or by default."""
        found = self._loaded.value(key)
        if found is None:
            raise KeyError(f"the scenario {self.path} has no key {key!r}; show() prints all of them")
        return found[0]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._loaded.value(key) is not None

    def origin(self, key: str) -> str:
        """Where the value of a key comes from: "scenarios/tiny-8.toml:14", "--set", "default" or "computed"."""
        self[key]
        return self._loaded.value(key)[1]

    def with_(self, changes: Mapping[str, Setting]) -> "Scenario":
        """The same scenario with other values. Raises ScenarioError where these are mistakes."""
        after = Scenario.__new__(Scenario)
        changed = _settings(changes)
        after.path = self.path
        after.settings = {**{path: value for path, value in self.settings.items() if path not in changed}, **changed}
        check_words(*after.sets)
        after.policies = by_name([*self.policies.values(), *policies_in(changes)])
        after._loaded = _gauntlet.load(after.path, after.sets, known_to_module(after.policies))
        return after._checked()

    def with_policies(self, *, checkpoint: Union[None, str, PolicyClass] = None,
                      detectors: Optional[Sequence[Union[str, PolicyClass]]] = None,
                      recovery: Union[None, str, PolicyClass] = None) -> "Scenario":
        """The same scenario with other policies, shipped ones by name and classes of Python: policies.checkpoint, policies.detect (all
        of them, in their order) and policies.recover."""
        given = {"policies.checkpoint": checkpoint, "policies.detect": None if detectors is None else list(detectors),
                 "policies.recover": recovery}
        changes = {path: value for path, value in given.items() if value is not None}
        return self.with_(changes) if changes else self

    def show(self, comments: bool = True) -> str:
        """Every value as TOML, itself a scenario that needs no other file; with `comments` each with its meaning and its source."""
        return self._loaded.show(comments)

    def _checked(self) -> "Scenario":
        problems = self.problems
        if problems:
            raise scenario_error(problems)
        for warning in self.warnings:
            warnings.warn(str(warning), ScenarioWarning, stacklevel=3)
        return self

    def __repr__(self) -> str:
        return f"gauntlet.load({self.path!r}" + (f", set={self.settings!r})" if self.settings else ")")


def check_words(*words: str) -> None:
    """An argument of a command ends at a zero byte."""
    for word in words:
        if "\0" in word:
            raise ValueError(f"{word!r} has a zero byte")


#: What studies take for a scenario.
ScenarioLike = Union[Scenario, str, os.PathLike]


def as_scenario(scenario: ScenarioLike) -> Scenario:
    if isinstance(scenario, Scenario):
        if scenario.problems:
            raise scenario_error(scenario.problems)
        return scenario
    return load(scenario)


def load(path: Union[str, os.PathLike], set: Optional[Mapping[str, Setting]] = None) -> Scenario:  # noqa: A002
    """Loads a scenario: a file, or the name of a shipped one. `set` changes values: {"checkpoint.interval": "10min"}.

    Raises ScenarioError with every mistake, with its file and line. What the scenario is warned of is a ScenarioWarning.
    """
    return Scenario(path, set)._checked()


def check(path: Union[str, os.PathLike], set: Optional[Mapping[str, Setting]] = None) -> Tuple[Problem, ...]:  # noqa: A002
    """All mistakes of a scenario, by position; none for a scenario that can run."""
    return Scenario(path, set).problems


def schema() -> str:
    """The JSON Schema (draft-07) of scenario files, for editors."""
    return _gauntlet.schema()


_LISTINGS = {name[len("list_"):].replace("_", "-"): getattr(_gauntlet, name)
             for name in dir(_gauntlet) if name.startswith("list_")}


def listing(kind: str) -> pd.DataFrame:
    """The names that scenarios and studies can use: a row each, with the columns name and about, which are text.

    `kind`: scenarios, fault-models, faults, distributions, policies, detectors, signals, lines, probes, hardware, models or metrics.
    """
    if kind not in _LISTINGS:
        raise ValueError(f"there is nothing called {kind!r} to list; choose one of {', '.join(sorted(_LISTINGS))}")
    import pandas as pd
    return pd.DataFrame(_LISTINGS[kind](), columns=["name", "about"])
