"""A drill that is disturbed by a schedule, continued whenever its driver died, and held to what may come of it."""
import contextlib
import functools
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import models
import remains
import victims

LOOK = 0.02  # seconds between two looks at a drill
SECONDS_MAX = 300  # a guard against hanging: a drill takes half a minute
SETTLES = 1.0  # seconds in which a folder that is read while it changes shows what it holds
ENDS_WITHIN = 60  # seconds for what ends by itself once no driver came for half a minute
LOST_DRIVERS = 40  # a guard too: on a full disk one driver after the other ends
DISK = "64m"
TRAINING_SEED = "1"  # the seeds of these drills choose faults and disturbances


class Disk:
    """A folder with a small disk of its own, for the files of drills."""

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="gauntlet-chaos-")
        self.folder = pathlib.Path(self.kept.name)
        self.folder.chmod(0o711)  # ranks of another user pass through
        self.place = self.folder / "disk"
        self.place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=711", "gauntlet-chaos", self.place], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.place], check=True)
        self.kept.cleanup()


def command(scenario, *more):
    return [models.GAUNTLET, "drill", str(scenario), "--hosts", str(models.HOSTS), "--run-as", "nobody", "--seed", TRAINING_SEED, *more]


@functools.cache
def undisturbed_hash(scenario, *settings):
    """What the same training gives without any fault: it does not depend on the time of a step."""
    with Disk() as disk:
        file = disk.folder / "scenario.toml"
        file.write_text(scenario)
        quick = ("--no-faults", "--set", "job.step_time=20ms", "--set", "checkpoint.interval=200ms", "--set", 'policies.detect=["exit"]')
        done = subprocess.run(command(file, *settings, *quick), capture_output=True, text=True, check=True,
                              env=dict(os.environ, TMPDIR=str(disk.place)))
    return re.search(r"final parameters ([0-9a-f]{16})", done.stderr)[1]


class Disturbed:
    """One drill. `problems` names what it must not have done, and `story` what happened, once run() returned."""

    def __init__(self, disk, scenario, disturbances, *settings, log=None, tells=False):
        self.text, self.disk, self.settings, self.log_file = scenario, disk, settings, log
        self.scenario = disk.folder / "scenario.toml"
        self.scenario.write_text(scenario)
        self.tells, self.story = tells, []  # what happened, a line each
        self.record = disk.folder / "drill.rec"
        self.todo = list(disturbances)
        self.undo = []  # (when, what lasts until then)
        self.problems, self.said = [], ""
        self.ids, self.newest, self.lost_at = set(), -1, None
        self.driver, self.drivers, self.excused = None, 0, False
        self.damages = "checkpoint_damaged" in scenario  # a fault of the plan

    def run(self):
        self.begin = time.monotonic()
        try:
            while self.go_on():
                time.sleep(LOOK)
        finally:
            self.driver.kill()
            self.driver.wait()
            for _, what in self.undo:
                what.undo()
        self.took = self.now()
        self.judge()
        return self

    def now(self):
        return time.monotonic() - self.begin

    def log(self, text):
        self.story.append(f"{self.now():7.2f} s  {text}")
        if self.tells:
            print(self.story[-1], flush=True)

    # --- the drill and its drivers

    def start(self):
        self.drivers += 1
        self.excused, self.said = False, ""
        out, err = (open(self.disk.folder / f"driver-{self.drivers}.{end}", "wb") for end in ("out", "err"))
        with out, err:
            log = ("--log", str(self.log_file)) if self.log_file else ()
            self.driver = subprocess.Popen(command(self.scenario, *self.settings, "--launch", "lab", "--record", str(self.record), *log),
                                           stdout=out, stderr=err, env=dict(os.environ, TMPDIR=str(self.disk.place)))

    def go_on(self):
        """False once the drill is over."""
        if self.driver is None:
            self.start()
        if self.now() > SECONDS_MAX:
            self.problems.append(f"it is not over after {SECONDS_MAX} s")
            return False
        code = self.driver.poll()
        self.look()
        if code is not None:
            if code == 0:
                return False
            full = any(isinstance(what, victims.FullDisk) for _, what in self.undo)
            if not (self.excused or full) or self.drivers > LOST_DRIVERS:
                self.problems.append(f"driver {self.drivers} ended with {code}")
                return False
            self.log(f"driver {self.drivers} ended with {code}")
            self.start()
        while self.todo and self.todo[0].at <= self.now():
            self.carry_out(self.todo.pop(0))
        for each in [each for each in self.undo if each[0] <= self.now()]:
            self.undo.remove(each)
            each[1].undo()
        return True

    def directory(self):
        """Of the drill; nothing before it is there."""
        with contextlib.suppress(OSError):
            found = self.record.with_name(self.record.name + ".state").read_text(encoding="utf-8").splitlines()
            return pathlib.Path(found[-1]) if found else None
        return None

    def hear(self):
        """What the driver has said since."""
        said = (self.disk.folder / f"driver-{self.drivers}.err").read_text(errors="replace")
        for line in said[len(self.said):].splitlines():
            self.log(line.removeprefix("gauntlet: "))
        self.said = said

    def look(self):
        """What the driver said, which drills there were, and that the newest whole checkpoint stays until there is a newer one."""
        self.hear()
        self.ids |= {path.name.rsplit("-", 1)[1] for path in self.disk.place.glob("gauntlet-drill-*")}
        directory = self.directory()
        if directory is None or not directory.exists():
            return
        try:
            steps = [int(path.parent.name.rsplit("-", 1)[1]) for path in directory.glob("checkpoints/gauntlet-step-*/manifest")]
        except FileNotFoundError:  # a folder was deleted while it was listed; the next look sees what is left
            return
        newest = max(steps, default=-1)
        if newest >= self.newest or self.damages:
            self.newest, self.lost_at = newest, None
        elif self.lost_at is None:
            self.lost_at = self.now()
        elif self.now() > self.lost_at + SETTLES and directory.exists():
            self.problems.append(f"the checkpoint of step {self.newest} is gone, and the newest is of step {newest}")
            self.newest = newest

    # --- disturbances

    def carry_out(self, what):
        done = self.done(what)
        self.log(what.text + ("" if done else ": nothing is there"))
        if done and what.lasts:
            self.undo.append((self.now() + what.lasts, done))
            self.undo.sort(key=lambda each: each[0])

    def done(self, what):
        """What lasts, or True; nothing where there is nobody to do it to."""
        directory = self.directory()
        if what.whom == "disk":
            self.excused = True
            return victims.FullDisk(self.disk.place)
        if what.whom == "driver":
            process = victims.Process(self.driver.pid) if self.driver.poll() is None else None
        elif directory is None:
            return None
        else:
            find = {"agent": victims.agent, "watchdog": victims.watchdog, "rank": victims.rank, "keeper": victims.keeper,
                    "control link": victims.agent}[what.whom]
            process = find(directory, what.host)
        if process is None:
            return None
        if what.act == "stop":
            return victims.Stopped(process)
        with process:
            if what.act == "cut":
                return victims.ControlLink(process)
            self.excused = self.excused or what.whom == "driver"
            process.send(signal.SIGKILL)
        return True

    # --- what came of it

    def judge(self):
        if self.driver.returncode == 0:
            found = re.search(r"final parameters ([0-9a-f]{16})", self.said)
            wanted = undisturbed_hash(self.text.partition("\n[faults.")[0], *self.settings)
            if not found or found[1] != wanted:
                self.problems.append(f"the final parameters are {found and found[1]}, not {wanted}")
            output = (self.disk.folder / f"driver-{self.drivers}.out").read_text(errors="replace")
            if "is damaged" in output and not self.damages:
                self.problems.append("a checkpoint is damaged")
            replay = subprocess.run([models.GAUNTLET, "replay", self.record], capture_output=True, text=True, check=False)
            if replay.returncode != 0:
                self.problems.append(f"its recording does not replay: {replay.stdout}{replay.stderr}")
        until = time.monotonic() + ENDS_WITHIN
        while (left := remains.of(self.disk.place, self.ids)) and time.monotonic() < until:
            time.sleep(0.25)
        if left:
            self.problems.append(f"left behind: {left}")
