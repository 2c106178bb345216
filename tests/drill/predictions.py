"""Drills, and what simulations with measured times say of them: the same fault plan, and everything else drawn."""
import csv
import json
import pathlib
import re
import subprocess

import drills

SCENARIO = "scenarios/drills/predict.toml"
STEP_S = 0.2  # of the scenario; the ETTR counts each step as long as it is meant to take
KINDS = ("rank_killed", "rank_stopped")


def gauntlet(*arguments):
    done = subprocess.run([drills.GAUNTLET, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def ettr(wall_s, steps):
    return steps * STEP_S / wall_s if wall_s > 0 else float("inf")


def takes(steps):
    return "--set", f"job.steps={steps}"


def incidents_s(directory):
    """From the stop until the lost progress is regained, of each incident."""
    with open(directory / "incidents.csv", newline="") as file:
        return [(int(row["closed_ns"]) - int(row["opened_ns"])) / 1e9 for row in csv.DictReader(file)]


class Drilled:
    """One drill, recorded and scored."""

    def __init__(self, place, seed, steps):
        self.seed, self.steps = seed, steps
        self.record = place.path / f"{seed}.rec"
        out = place.path / f"drill-{seed}"
        run = place.run("--seed", str(seed), *takes(steps), "--record", str(self.record), "--out", str(out))
        assert run.code == 0, str(run)
        self.wall_s = json.loads((out / "result.json").read_text())["metrics"]["wall_time_s"]["mean"]
        self.incidents_s = incidents_s(out)


def plan_of(place, seed, steps):
    """The faults that the drill of this seed meets, as tables of a scenario: by the plan alone."""
    text = place.run("--seed", str(seed), *takes(steps), "--dry-run").out
    traces = {}
    for at, kind, component in re.findall(r"^ *(\S+) +(\w+) +gpu (\d+)  ", text, re.M):
        traces.setdefault(kind, []).append(f'{{ at = "{at}", component = {component} }}')
    assert set(traces) <= set(KINDS), text
    effects = dict(zip(KINDS, ("crash", "hang")))
    return "".join(f'[faults.{kind}]\ncomponent = "gpu"\neffect = "{effects[kind]}"\nremedy = "restart"\n'
                   f"trace = [{', '.join(traces[kind])}]\n" for kind in traces)


class Predicted:
    """What the calibrated simulation says of one fault plan."""

    def __init__(self, place, seed, steps, measured, replicas, uncertain=True):
        scenario = place.path / f"predicted-{seed}.toml"
        base = pathlib.Path(SCENARIO).resolve()
        scenario.write_text(f'extends = ["{base}", "{measured}"]\ninherit_faults = false\nname = "predicted"\n'
                            f'question = "What does this fault plan cost?"\n[job]\nsteps = {steps}\n{plan_of(place, seed, steps)}')
        runs = place.path / f"predicted-{seed}"
        gauntlet("run", scenario, "--replicas", replicas, "--incidents", replicas, "--quiet", "--out", runs)
        self.incidents_s = incidents_s(runs)
        self.wall_low_s, self.wall_high_s = 0, float("inf")
        self.wall_s = json.loads((runs / "result.json").read_text())["metrics"]["wall_time_s"]["mean"]
        if not uncertain:  # of few drills, which leave nearly anything possible
            return
        # One run more, with the uncertainty of what was measured: a slower run may meet a fault that a quicker one does not live to see.
        plan = json.loads(gauntlet("plan", scenario, "--uncertainty", "--replicas", replicas, "--quiet", "--json"))
        finish = plan["uncertainty"]["finish_s"]
        self.wall_s = plan["uncertainty"]["metrics"]["wall_time_s"]["mean"]
        self.wall_low_s, self.wall_high_s = finish["p5"], finish["p95"]

    def holds(self, drilled):
        return self.wall_low_s <= drilled.wall_s <= self.wall_high_s


def row(drilled, predicted):
    mean = [sum(each) / len(each) if each else 0 for each in (drilled.incidents_s, predicted.incidents_s)]
    real, said, low, high = (ettr(wall_s, drilled.steps) for wall_s in
                             (drilled.wall_s, predicted.wall_s, predicted.wall_high_s, predicted.wall_low_s))
    return (f"seed {drilled.seed}: ETTR {real:.4f}, predicted {said:.4f} [{low:.4f}, {high:.4f}]{'' if predicted.holds(drilled) else ' OUTSIDE'}; "
            f"{len(drilled.incidents_s)} incidents of {mean[0]:.2f} s, predicted {mean[1]:.2f} s")


def calibrate(place, drilled):
    measured = place.path / "measured.toml"
    text = gauntlet("calibrate", *(each.record for each in drilled), "--out", measured)
    return measured, text
