#!/usr/bin/env python3
"""Random scenarios through every command ("swarm testing").

    python3 tests/swarm/swarm.py --seconds 1800            new seeds, which it prints, until the time is over
    python3 tests/swarm/swarm.py --seed 17                 the scenario of one seed, with all its properties
    python3 tests/swarm/swarm.py --file found.toml --property threads
    python3 tests/swarm/swarm.py --seed 17 --print         the scenario itself

A scenario that fails is made as small as it can be, and written beside the command that repeats the failure.
"""
import argparse
import collections
import pathlib
import random
import shutil
import sys
import tempfile
import time
import tomllib

import commands
import distributions
import properties
import runner
import schema
import studies
import timelines
from case import SKIPPED, Case, Failure, TooLong
from generator import Generator, Scenario
from shrink import shrink
from toml_text import drop, to_toml

# Each with the share of the scenarios that it is tried on.
PROPERTIES = {"adds_up": (properties.adds_up, 1.0), "shown": (properties.shown, 0.3), "threads": (properties.threads, 0.3),
              "resumed": (properties.resumed, 0.25), "replayed": (properties.replayed, 0.4), "drawn": (timelines.drawn, 0.3),
              "telemetry": (properties.telemetry, 0.4),
              "read_again": (properties.read_again, 0.2), "step_and_network": (properties.step_and_network, 0.3), "viewed": (properties.viewed, 0.2),
              "tails": (distributions.tails, 0.2), "over_time": (distributions.over_time, 0.3),
              "set_again": (properties.set_again, 0.2), "refuses_to_overwrite": (properties.refuses_to_overwrite, 0.05),
              "compared": (studies.compared, 0.15), "swept": (studies.swept, 0.15), "tuned": (studies.tuned, 0.06),
              "planned": (studies.planned, 0.08), "ranked": (studies.ranked, 0.08), "scaled": (studies.scaled, 0.1), "without_faults": (studies.without_faults, 0.3),
              "no_worse": (studies.no_worse, 0.1), "traced": (commands.traced, 0.07), "not_drilled": (commands.not_drilled, 0.06),
              "validated": (commands.validated, 0.05), "listed": (commands.listed, 0.05)}
MOST_MENDS = 6


class Swarm:
    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.generator = Generator(schema.load(runner.GAUNTLET))
        self.counts = collections.Counter()

    def folder(self, scenario):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="gauntlet-swarm-"))
        scenario.write(folder)
        return folder

    def accepted(self, scenario):
        """The scenario without the keys that `check` refuses; None where that does not help. A refusal is held to its form."""
        for mend in range(MOST_MENDS):
            folder = self.folder(scenario)
            try:
                good, problems = Case(folder).check()
            finally:
                shutil.rmtree(folder)
            if good:
                return scenario
            self.counts["refused at first"] += mend == 0
            scenario = scenario.copy()
            if not any(drop(scenario.files[file], tuple(path.split("."))) for file, path, _ in problems if file in scenario.files):
                return None
        return None

    def try_properties(self, scenario, names):
        """Raises the first Failure."""
        folder = self.folder(scenario)
        try:
            case = Case(folder, scenario.main, scenario.seed)
            for name in names:
                self.counts[name] += PROPERTIES[name][0](case) is not SKIPPED
        except TooLong:
            self.counts["too many observations"] += 1
        finally:
            shutil.rmtree(folder)

    def fails_alike(self, names, failure):
        def still_fails(scenario):
            try:
                folder = self.folder(scenario)
                try:
                    if not Case(folder, scenario.main).check()[0]:
                        return failure.prop == "refusal"
                finally:
                    shutil.rmtree(folder)
                self.try_properties(scenario, names)
            except Failure as other:
                return other.prop == failure.prop and of_one_kind(other.what, failure.what)
            return False

        return still_fails

    def one(self, seed, names=None):
        """Tries the scenario of a seed; the text of what failed, or None."""
        scenario = self.generator.scenario(seed)
        self.counts["scenarios"] += 1
        chosen = random.Random(seed)
        names = names or [name for name, (_, share) in PROPERTIES.items() if chosen.random() < share]
        try:
            valid = self.accepted(scenario)
            if valid is None:
                self.counts["not valid"] += 1
                return None
            self.try_properties(valid, names)
        except Failure as failure:
            return self.report(valid if "valid" in locals() else scenario, names, failure)
        return None

    def report(self, scenario, names, failure):
        """Shrinks it, and says how to repeat it."""
        for name in names:  # mostly one property is enough
            if self.fails_alike([name], failure)(scenario):
                names = [name]
                break
        small = shrink(scenario, self.fails_alike(names, failure))
        self.place.mkdir(parents=True, exist_ok=True)
        target = self.place / f"swarm-{scenario.seed}"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        path = small.write(target)
        chosen = " ".join(f"--property {name}" for name in names)
        return (f"seed {scenario.seed}: {failure}\n  shrunk to {small.lines()} lines; repeat with\n"
                f"  python3 tests/swarm/swarm.py --seed {scenario.seed} --file {path} {chosen}")

    def summary(self):
        counts = self.counts
        share = 100 * counts["refused at first"] / max(1, counts["scenarios"])
        tried = ", ".join(f"{name} {counts[name]}" for name in PROPERTIES)
        return (f"{counts['scenarios']} scenarios, {share:.0f}% refused at first, {counts['not valid']} not valid in the end, "
                f"{counts['too many observations']} with too many observations; "
                f"properties tried: {tried}")


def of_one_kind(one, other):
    """Whether two messages differ in numbers alone, more or less: they begin alike."""
    def words(text):
        return [each for each in text.split() if not any(digit in each for digit in "0123456789")][:4]

    return words(one) == words(other)


def from_files(path, seed):
    folder = path.parent
    others = [each.name for each in folder.glob("*.toml") if each.name != path.name and path.name == "scenario.toml"]
    names = [path.name, *sorted(others)]
    return Scenario(seed, {name: tomllib.loads((folder / name).read_text(encoding="utf-8")) for name in names})


def run_for(swarm, seconds, seeds):
    end, failed = time.monotonic() + seconds, 0
    for seed in seeds:
        if time.monotonic() >= end:
            break
        failure = swarm.one(seed)
        if failure:
            failed += 1
            print(failure, flush=True)
    return failed


def main():
    options = argparse.ArgumentParser(description="random scenarios through every command")
    options.add_argument("--seconds", type=float, default=1800)
    options.add_argument("--first", type=int, help="the first seed; the next ones follow")
    options.add_argument("--seed", type=int, help="this scenario alone")
    options.add_argument("--file", type=pathlib.Path, help="a scenario that was found, with the files beside it")
    options.add_argument("--property", action="append", choices=PROPERTIES, help="these alone")
    options.add_argument("--print", action="store_true", help="print the scenario, and try nothing")
    options.add_argument("--found", type=pathlib.Path, default=pathlib.Path("swarm-found"), help="where what failed is written")
    asked = options.parse_args()
    swarm = Swarm(asked.found)
    if asked.print:
        for name, tree in swarm.generator.scenario(asked.seed).files.items():
            print(f"# {name}\n{to_toml(tree)}")
        return 0
    if asked.file:
        try:
            swarm.try_properties(from_files(asked.file, asked.seed or 0), asked.property or list(PROPERTIES))
        except Failure as failure:
            print(failure)
            return 1
        return 0
    if asked.seed is not None:
        failure = swarm.one(asked.seed, asked.property or list(PROPERTIES))
        print(failure or "all properties hold")
        return bool(failure)
    first = asked.first if asked.first is not None else random.SystemRandom().randrange(10**9)
    print(f"seeds from {first} on; the same ones again with --first {first}", flush=True)
    failed = run_for(swarm, asked.seconds, iter(range(first, first + 10**9)))
    print(f"{swarm.summary()}; {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
