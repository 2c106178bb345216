"""What goes wrong, as exceptions with the command's own text."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple

if TYPE_CHECKING:
    from .recordings import Recording
    from .results import Result


@dataclasses.dataclass(frozen=True)
class Problem:
    """One mistake, or one warning: where, what, why, and what to try. `str()` of it is the line that the command prints."""

    file: str  # or the option; empty where there is none
    line: int  # from 1; 0 where there is none
    column: int
    what: str  # the field and the offending text
    why: str
    suggestion: str
    text: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """A study, or the reading or writing of a file, failed. `result` is what there is all the same, or None."""

    def __init__(self, text: str, problems: Iterable[Problem] = (), result: Optional[Result] = None):
        super().__init__(text)
        self.problems: Tuple[Problem, ...] = tuple(problems)
        self.result = result


class InputError(Error, ValueError):
    """An argument, a file or a scenario is wrong. Nothing was run and nothing written."""


class ScenarioError(InputError):
    """A scenario has mistakes, or an option does not fit it. `problems` has all of them, by position; the text is their lines."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or the stop button of a notebook, ended a study early. `result` is that of the replicas that were done by then; None
    where no replica was. `gauntlet.last_interrupted()` gives the same result later."""

    def __init__(self, text: str, result: Optional[Result]):
        super().__init__(text)
        self.result = result


class PolicyError(Error):
    """A policy broke a rule, or raised an exception, which is then the cause (`__cause__`).

    Attributes:
        policy, kind: its name, and "detector", "checkpoint policy" or "recovery".
        replica, seed: of the replica that ended.
        at_ns, observation: what the policy answered, and when, in nanoseconds since the start; None and "" before the first one.
        rule: the rule that it broke.
        order: the order that broke it; "" where it was something else.
        orders_before: its orders before that one, for the same observation.
        recording: the replica up to there; recording.replay(...) with the same policies comes to the same error.
    """

    def __init__(self, text: str, *, policy: str, kind: str, replica: int, seed: int, at_ns: Optional[int], observation: str, rule: str,
                 order: str, orders_before: Tuple[str, ...], recording: Any):
        super().__init__(text)
        self.policy, self.kind = policy, kind
        self.replica, self.seed = replica, seed
        self.at_ns, self.observation = at_ns, observation
        self.rule, self.order, self.orders_before = rule, order, orders_before
        self._recording = recording

    def __reduce__(self) -> tuple:
        return _policy_error, (str(self), {**self.__dict__, "_recording": None})

    @property
    def recording(self) -> Recording:
        """The replica up to the observation that the policy answered. A copy that came from another process has none."""
        from .recordings import Recording
        if self._recording is None:
            raise Error("the recording is in the process that ran the study; save it there: error.recording.save(...)")
        return Recording(self._recording, f"replica {self.replica}")


def _policy_error(text: str, members: dict) -> PolicyError:
    """What pickle makes one of."""
    error = PolicyError.__new__(PolicyError, text)
    error.__dict__.update(members)
    return error


class ScenarioWarning(UserWarning):
    """What is allowed in a scenario, and has a consequence that is seldom meant."""


def problems_of(found: Iterable[tuple]) -> Tuple[Problem, ...]:
    """Those of tuples that the module gives."""
    return tuple(Problem(*each) for each in found)


def scenario_error(problems: Iterable[Problem]) -> ScenarioError:
    problems = tuple(problems)
    return ScenarioError("\n".join(map(str, problems)), problems)
