"""One scenario under test: where its files are, what was run of it, and what counts as a failure of the program."""
import re
import signal

import runner
from chance import Chance

SUCCESS, FAILED, WRONG_INPUT = 0, 1, 2
SKIPPED = "skipped"  # what a property returns that says nothing of a scenario
# What is wrong, and where; or what to try. Of some mistakes there is nothing to try but what the message says.
PROBLEM = re.compile(r"\S.*(: |; |, so )\S.*")
POSITIONED = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<path>[\w.\[\]]+)(?P<rest>.*)")
TOO_LONG = re.compile(r"^gauntlet: the run failed: replica \d+ \(seed \d+\) has 4 million observations and faults on record after ", re.M)
SANITIZER = re.compile(r"(AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:)[^\n]*")


class Failure(Exception):
    """A property that does not hold. `what` is of the same form for the same failure of a smaller scenario."""

    def __init__(self, prop, what, command=""):
        super().__init__(f"{prop}: {what}" + (f"\n  {command}" if command else ""))
        self.prop, self.what, self.command = prop, what, command


class TooLong(Exception):
    """A run has more observations than a run may have, and the program said so. What else it does cannot be tried."""


class Case:
    def __init__(self, folder, scenario="scenario.toml", seed=0):
        self.folder, self.scenario, self.chance = folder, scenario, Chance(seed)
        self.kept = {}
        self.seconds = 0.0  # of CPU time, of the first run

    def fail(self, prop, what, result=None):
        raise Failure(prop, what, result.command if result else "")

    def run(self, *words, codes=(SUCCESS,)):
        """Runs a command that must end with one of these codes. However it ends, it must not crash."""
        result = runner.run(self.folder, *words)
        if result.code < 0:
            name = signal.Signals(-result.code).name
            kind = "hang" if name in ("SIGXCPU", "SIGKILL") else "crash"
            self.fail(kind, f"`{words[0]}` ended by {name}: {last_line(result.err)}", result)
        for text in (result.out, result.err):
            if any("\udc80" <= letter <= "\udcff" for letter in text):
                line = next(each for each in text.splitlines() if not each.isprintable())
                self.fail("encoding", f"`{words[0]}` prints what is not UTF-8: {line!r}", result)
        sanitizer = SANITIZER.search(result.err)
        if sanitizer:
            self.fail("crash", f"`{words[0]}`: {sanitizer[0]}", result)
        if TOO_LONG.search(result.err):
            raise TooLong
        if result.code not in codes or result.code > WRONG_INPUT:
            self.fail("exit code", f"`{words[0]}` ended with {result.code}, not {codes}: {last_line(result.err)}", result)
        if "the run failed" in result.err:
            self.fail("exit code", f"`{words[0]}`: {last_line(result.err)}", result)
        if result.code == WRONG_INPUT:
            self.check_refusal(result)
        return result

    def check_refusal(self, result):
        """A refusal says what is wrong, and where. A message without a place speaks of the command's own arguments."""
        problems = [line for line in result.err.splitlines() if line and not re.match(r"warning: |\d+ problems?$", line)]
        if not problems:
            self.fail("refusal", f"`{result.words[0]}` refuses and does not say why", result)
        for line in problems:
            if not PROBLEM.match(line):
                self.fail("refusal", f"is no message: {line}", result)

    def check(self):
        """Whether `gauntlet check` accepts the scenario. A refusal has file, line, what is wrong and, mostly, a remedy."""
        result = self.run("check", self.scenario, codes=(SUCCESS, FAILED, WRONG_INPUT))
        if result.code == SUCCESS:
            return True, []
        problems = [line for line in result.err.splitlines() if not re.match(r"warning: |\d+ problems?$", line)]
        found = [POSITIONED.match(line) for line in problems]
        if not problems or not all(found):
            self.fail("refusal", f"has no place: {(problems or ['nothing'])[0]}", result)
        for each in found:
            lines = (self.folder / each["file"]).read_text(encoding="utf-8").splitlines()
            if not 1 <= int(each["line"]) <= len(lines):
                self.fail("refusal", f"names a line that is not there: {each[0]}", result)
            if not each["rest"].strip():
                self.fail("refusal", f"does not say why: {each[0]}", result)
        return False, [(each["file"], each["path"], each["rest"]) for each in found]


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip() and not re.fullmatch(r"\d+ problems?", line)]
    return lines[-1] if lines else "(silent)"
