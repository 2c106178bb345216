"""The user's own job: a small data-parallel trainer in Python is killed and stopped, and ends as if nothing had happened."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

FOLDER = "scenarios/drills/python/"
TRAINER = FOLDER + "train.py"

HEADER_USER = """
#define _POSIX_C_SOURCE 200809L
#include "gauntlet_rank.h"
int main(void) {
  gauntlet_rank rank;
  int64_t began;
  uint64_t sequence;
  gauntlet_rank_open(&rank);
  gauntlet_rank_resumed(&rank, 0);
  began = gauntlet_rank_begin_step(&rank, 1);
  gauntlet_rank_segment(&rank, "forward", began);
  gauntlet_rank_device_segment(&rank, 1, "backward", 1000);
  sequence = gauntlet_rank_enter(&rank, "all_reduce", "dp");
  gauntlet_rank_leave(&rank, sequence, "all_reduce", "dp");
  gauntlet_rank_end_step(&rank, 1, began);
  gauntlet_rank_loss(&rank, 1, 0.5);
  gauntlet_rank_mfu(&rank, 1, 0.5);
  gauntlet_rank_stall(&rank, 1, began);
  gauntlet_rank_saved(&rank, 1);
  gauntlet_rank_finished(&rank, 1, 0);
  gauntlet_rank_close(&rank);
  return gauntlet_rank_stop_wanted(&rank) || gauntlet_rank_checkpoint_wanted(&rank, 1);
}
"""


class Job(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)

    def undisturbed(self, steps):
        """The digest of the final parameters of two ranks without a drill."""
        result = self.place.path / "undisturbed"
        kept = self.place.path / "kept"
        kept.mkdir()
        command = [sys.executable, TRAINER, "--steps", str(steps), "--save-every", "0", "--step-time", "0",
                   "--checkpoints", str(kept), "--result", str(result)]
        # A port of the kernel's choice, which the first rank takes over.
        port = drills.free_port()
        ranks = [subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(
            os.environ, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))) for rank in range(2)]
        for rank in ranks:
            self.assertEqual(rank.wait(timeout=drills.SECONDS_MAX), 0)
        return result.read_text(encoding="ascii")

    def drill(self, scenario, *more, steps=90):
        result = self.place.path / "result"
        words = f'["python3", "{TRAINER}", "--result", "{result}"]'
        command = [drills.GAUNTLET, "drill", FOLDER + scenario, "--hosts", "2", *drills.run_as("root"), "--no-faults", "--set", f"job.steps={steps}",
                   "--set", f"drill.command.arguments={words}", *more]
        return result, subprocess.Popen(command, env=self.place.environment(), text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def wait_for(self, what, holds, process):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not holds():
            self.assertIsNone(process.poll(), "the drill ended before " + what)
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.02)

    def progress(self):
        """(start, step) of each complete step that rank 0 told the driver."""
        found = []
        for progress in self.place.path.glob("gauntlet-drill-*/progress"):
            for start, step in re.findall(r"^(\d+) 0 \d+ step (\d+) ", progress.read_text(errors="replace"), re.M):
                found.append((int(start), int(step)))
        return found

    def strike(self, rank, number, process, after):
        """Signals that rank once its start has done 20 steps more than all before it; returns the number of the start."""
        def reached():
            steps = self.progress()
            last = max([start for start, _ in steps], default=0)
            before = [step for start, step in steps if start < last]
            return last > after and any(start == last and step >= max(before, default=0) + 20 for start, step in steps)
        self.wait_for(f"20 new steps of a start after {after}", reached, process)
        (pid,) = [pid for pid, line in self.place.processes().items() if TRAINER in line and self.rank_of(pid) == rank]
        os.kill(pid, number)
        return max(start for start, _ in self.progress())

    @staticmethod
    def rank_of(pid):
        """None of a process that has just begun or ended."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                found = re.search(rb"\0RANK=(\d+)\0", b"\0" + environment.read())
        except OSError:
            return None
        return int(found[1]) if found else None

    def survives(self, scenario, *more):
        result, process = self.drill(scenario, *more)
        killed = self.strike(1, signal.SIGKILL, process, after=0)
        stopped = self.strike(0, signal.SIGSTOP, process, after=killed)
        self.assertGreater(stopped, killed)
        run = drills.finish(process)
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("rank 1 on host 1 ended with 137; it last printed: ", run.err)
        self.assertEqual(result.read_text(encoding="ascii"), self.undisturbed(90), str(run))
        self.assertEqual(self.place.processes(), {})
        self.assertEqual([p.name for p in self.place.path.iterdir() if p.name.startswith("gauntlet-drill-")], [])
        return run

    def test_a_job_that_only_prints_lines(self):
        self.survives("lines.toml")

    def test_a_job_that_speaks(self):
        run = self.survives("marks.toml")
        self.assertRegex(run.err, r"rank 1 on host 1 ended with 137; it last printed: step \d+ loss [0-9.]+; "
                                  r"it was (inside|after) (step|collective) \d+")
        self.assertRegex(run.err, r"\ngauntlet: loss [0-9.e-]+ at step 90\n")
        self.assertIsNotNone(run.final_hash, "both ranks gave a hash of their parameters")

    def test_a_job_that_speaks_saves_before_a_planned_stop(self):
        out = self.place.path / "out"
        # The stop comes long after the start, and ranks are not killed before they have saved, on a machine however busy.
        result, process = self.drill("marks.toml", "--set", 'job.planned={times=["8s"], hold="200ms"}', "--set", 'checkpoint.interval="3s"',
                                     "--set", 'policies.checkpoint="fixed"', "--set", 'drill.command.grace="60s"', "--out", str(out), steps=400)
        run = drills.finish(process)
        self.assertEqual(run.code, 0, str(run))
        metrics = json.loads((out / "result.json").read_text())["metrics"]
        self.assertEqual(metrics["planned_stops"]["mean"], 1, str(run))
        self.assertEqual(metrics["lost_s.recomputing"]["mean"], 0, str(run))
        self.assertEqual(metrics["false_alarms"]["mean"], 0, str(run))
        self.assertGreater(metrics["lost_s.by_cause.planned_stop"]["mean"], 0.2, str(run))
        self.assertEqual(result.read_text(encoding="ascii"), self.undisturbed(400), str(run))
        _, process = self.drill("lines.toml", "--set", 'job.planned={times=["3s"], hold="200ms"}')
        refused = drills.finish(process)
        self.assertEqual(refused.code, 2)
        self.assertIn("job.planned cannot be drilled with a job that is not told to save before a stop", refused.err)

    def test_each_start_gets_a_port_of_its_own(self):
        seen = self.place.path / "ports"
        script = self.place.path / "once"
        script.write_text(f'#!/bin/sh\necho "$MASTER_PORT $GAUNTLET_RUN $TORCHELASTIC_RESTART_COUNT" >>{seen}\n'
                          '[ "$GAUNTLET_RUN" -ge 3 ] || exit 1\necho "step 20 "\n', encoding="ascii")
        script.chmod(0o700)
        _, process = self.drill("lines.toml", "--set", f'drill.command.arguments=["{script}"]', steps=20)
        run = drills.finish(process)
        self.assertEqual(run.code, 0, str(run))
        ports = {}
        for port, start, restarts in map(str.split, seen.read_text(encoding="ascii").splitlines()):
            self.assertEqual(int(restarts), int(start) - 1)
            ports.setdefault(int(start), set()).add(port)
        self.assertGreaterEqual(len(ports), 3)  # more where the policies hear late that a rank has ended
        self.assertTrue(all(len(each) == 1 for each in ports.values()), ports)
        for start in ports:
            self.assertNotEqual(ports[start], ports.get(start + 1), ports)

    def test_the_header_is_c99_and_does_nothing_outside_a_drill(self):
        source, program = self.place.path / "rank.c", self.place.path / "rank"
        source.write_text(HEADER_USER, encoding="ascii")
        built = subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I", "real/rank",
                                str(source), "-o", str(program)], text=True, capture_output=True, check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        outside = {name: value for name, value in os.environ.items() if not name.startswith("GAUNTLET_")}
        self.assertEqual(subprocess.run([str(program)], env=outside, check=False).returncode, 0)

    def test_a_dry_run_names_the_command(self):
        _, process = self.drill("marks.toml", "--dry-run")
        run = drills.finish(process)
        self.assertEqual(run.code, 0, str(run))
        self.assertIn(f"python3 {TRAINER} --result", " ".join(run.out.split()))
        self.assertEqual(list(self.place.path.iterdir()), [])

    def test_the_example_of_pytorch_is_valid(self):
        """make drill-torch runs it."""
        folder = pathlib.Path("scenarios/drills/pytorch")
        compile((folder / "train.py").read_text(encoding="utf-8"), "train.py", "exec")
        scenarios = sorted(map(str, folder.glob("*.toml")))
        self.assertGreater(len(scenarios), 0)
        checked = subprocess.run([drills.GAUNTLET, "check", *scenarios], text=True, capture_output=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def refused(self, words, *more):
        _, process = self.drill("lines.toml", *more)
        run = drills.finish(process)
        self.assertEqual(run.code, 2, str(run))
        for word in words:
            self.assertIn(word, run.err)
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(list(self.place.path.iterdir()), [])

    def test_what_cannot_be_started_is_refused_at_its_place(self):
        scenario = self.place.path.parent / (self.place.path.name + ".toml")
        text = (f'extends = "{os.getcwd()}/{FOLDER}lines.toml"\n[drill.command]\n'
                'arguments = ["no-such-program-of-this-name"]\n')
        scenario.write_text(text, encoding="ascii")
        self.addCleanup(scenario.unlink)
        ran = subprocess.run([drills.GAUNTLET, "drill", str(scenario), "--hosts", "2", *drills.run_as()], text=True, capture_output=True, check=False)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn(f"{scenario}:3:13: drill.command.arguments = [\"no-such-program-of-this-name\"] cannot be started: "
                      "no-such-program-of-this-name: is in no directory of PATH", ran.stderr)
        self.refused(["lines.toml: is not executable"], "--set", f'drill.command.arguments=["./{FOLDER}lines.toml"]')
        self.refused(["drill.command.directory", "which is not a directory"], "--set", 'drill.command.directory="nowhere"')

    def test_orders_that_lines_cannot_carry_are_refused_by_name(self):
        self.refused(['policies.checkpoint = "young" cannot be drilled with drill.command.lines'], "--set",
                     'policies.checkpoint="young"')
        self.refused(["checkpoint.memory_interval cannot be drilled; a job of your own keeps no checkpoints in memory"], "--set",
                     "checkpoint.memory_interval=100ms")


if __name__ == "__main__":
    unittest.main()
