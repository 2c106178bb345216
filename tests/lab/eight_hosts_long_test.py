"""scenarios/drills/lab.toml as a whole: the detectors find on eight separate hosts what they find in simulation.

    GAUNTLET=build/gauntlet python3 tests/lab/eight_hosts_long_test.py
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import labs  # noqa: E402

SCENARIO = "scenarios/drills/lab.toml"


def story(record):
    """The orders and operators' actions that say what became of the events, and the signals that people were told of."""
    done = subprocess.run([drills.GAUNTLET, "replay", record, "--print"], capture_output=True, text=True, check=True)
    signals, lines, told, cause = {}, [], set(), None
    causes = {}  # by order, which count from 1: the signal that it answers, or that the order answers whose outcome it answers
    for line in done.stdout.splitlines():
        what = line.strip()
        if seen := re.match(r"Seen\{watch=(\d+) ", line):
            cause = signals[seen[1]]
        elif outcome := re.match(r"Outcome\{order=(\d+) ", line):
            cause = causes[int(outcome[1])]
        elif what == line:
            cause = None
        else:
            causes[len(causes) + 1] = cause
        if watch := re.match(r"Watch\{id=(\d+) signal=(\w+) ", what):
            signals[watch[1]] = watch[2]
        elif what.startswith("Alert{"):
            told.add(cause)
        elif found := re.match(r"(StopRequest|OperatorActed|Stop\{job=0 reason=planned|Evict|Readmit)", what):
            lines.append(found[1])
    return lines, told


def recoveries(record):
    """Of each stop: the signals of silence that came before it, that of the last observation, and which host was probed after it."""
    done = subprocess.run([drills.GAUNTLET, "replay", record, "--print"], capture_output=True, text=True, check=True)
    signals, silences, found, silent, last = {}, set(), [], set(), None
    for line in done.stdout.splitlines():
        if watch := re.match(r" +Watch\{id=(\d+) signal=(\w+) .*until=(\w+)", line):
            signals[watch[1]] = watch[2]
            if watch[3] == "Silence":
                silences.add(watch[1])
        elif seen := re.match(r"Seen\{watch=(\d+) ", line):
            last = signals[seen[1]]
            if seen[1] in silences:
                silent.add(last)
        elif re.match(r" +Stop\{.*reason=fault", line):
            found.append((silent, last))
            silent = set()
        elif probe := re.match(r" +Probe\{.* who=(host:\d+) ", line):
            found[-1] += (probe[1],)
    return found


@unittest.skipIf(labs.missing(), labs.missing())
class EightHosts(labs.Case):
    drill = (SCENARIO, 8)

    def test_every_event_ends_as_in_simulation_and_nothing_is_lost(self):
        record, simulated, out = (str(self.place.path / name) for name in ("drill.rec", "simulated.rec", "out"))
        run = self.place.run("--launch", "lab", "--record", record, "--out", out)
        self.assertEqual(run.code, 0, str(run))
        self.nothing_is_left()
        self.assertEqual(run.injected, (4, 4), str(run))
        with open(os.path.join(out, "result.json"), encoding="utf-8") as result:
            metrics = json.load(result)["metrics"]
        self.assertEqual(metrics["interruptions"]["mean"], 4, str(run))  # a slow rank and a lost link only slow the job
        self.assertEqual(metrics["planned_stops"]["mean"], 2, str(run))
        self.assertEqual(metrics["false_alarms"]["mean"], 0, str(run))
        self.assertEqual(metrics["missed_faults"]["mean"], 0, str(run))
        self.assertEqual(metrics["false_alerts"]["mean"], 0, str(run))

        subprocess.run([drills.GAUNTLET, "run", SCENARIO, "--replica", "0", "--record", simulated], capture_output=True, check=True)
        for killed, stopped, lost in (recoveries(record), recoveries(simulated)):
            self.assertEqual(killed, (set(), "process_exit", "host:1"))
            self.assertIn("traffic", stopped[0])
            self.assertEqual(stopped[1:], ("last_collective", "host:6"))
            self.assertIn("traffic", lost[0])
            self.assertEqual(lost[1:], ("last_collective", "host:5"))

        real, in_simulation = story(record), story(simulated)
        self.assertEqual(real[0], in_simulation[0])
        self.assertEqual(in_simulation[1], {"step", "traffic", "traffic_period"})
        self.assertIn("step", real[1], "nobody was told of the slow rank")

        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place, "--launch", "lab"))


if __name__ == "__main__":
    unittest.main()
