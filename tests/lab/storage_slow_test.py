"""Causes that a lab makes in truth: a disk that is full or fails, memory that runs out. A rank meets each, the job survives, and nothing is left.

    GAUNTLET=build/gauntlet python3 tests/lab/storage_slow_test.py
"""
import errno
import os
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import fault_disk_test  # noqa: E402
import labs  # noqa: E402

SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "lab-storage"
question = "Does a job survive full disks and memory that runs out?"

[job]
steps = {steps}
step_time = "50ms"

[checkpoint]
interval = "{interval}"

[detection]
timeout = "20s"
hang_timeout = "20s"
collective_timeout = "30s"

[faults.disk_full]
model = "disk_full"
remedy = "restart"
trace = [{full}]
"""
OTHERS = """
[faults.memory_pressure]
model = "memory_pressure"
trace = [{ at = "6s", component = 2 }]

[faults.mount_lost]
model = "mount_lost"
remedy = "restart"
trace = [{ at = "10s", component = 3 }]
"""


def disks_mounted():
    """In any mount namespace."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and "gauntlet-fault-disk" in (entry / "mounts").read_text(encoding="utf-8"):
                found.append(entry.name)
        except OSError:
            continue
    return found


@unittest.skipIf(labs.missing() or fault_disk_test.missing(), labs.missing() or fault_disk_test.missing())
class Storage(labs.Case):
    def write(self, others="", full=(), **settings):
        """The disk of host 1 is full at these seconds; what strikes before the ranks are up reaches none."""
        settings["full"] = ", ".join(f'{{ at = "{seconds}s", component = 1 }}' for seconds in full)
        scenario = self.place.path / "storage.toml"
        scenario.write_text(SCENARIO.format(base=os.path.abspath("scenarios/drill-tiny.toml"), **settings) + others)
        self.place.scenario = str(scenario)

    def wait_for(self, what, holds):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not (found := holds()):
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.02)
        return found

    def test_ranks_meet_the_cause_and_the_job_survives(self):
        self.write(OTHERS, steps=200, interval="500ms", full=(2,))
        run = self.place.run("--launch", "lab")
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (3, 3), str(run))
        said = run.out + run.err
        self.assertIn("No space left on device", said, str(run))
        self.assertIn("Input/output error", said, str(run))
        self.assertIn("rank 2 on host 2, start", said, str(run))
        self.assertIn("ended by signal 9", said, "the kernel killed a rank")
        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place), str(run))
        self.nothing_is_left()
        self.assertEqual(disks_mounted(), [])

    def test_the_death_of_all_in_the_middle_of_a_full_disk_leaves_nothing(self):
        self.write(steps=4000, interval="150s", full=(2, 6, 20, 60))
        drill = self.place.start("--launch", "lab")
        self.addCleanup(drill.kill)

        def helpers():
            return {pid: line[line.index("--host") + 1] for pid, line in self.place.processes().items()
                    if "agent" in line and "--host" in line}

        def full():
            """Where host 1 sees its checkpoints, no file can be made."""
            for pid, host in helpers().items():
                folder = next(self.place.path.glob("gauntlet-drill-*"), None)
                path = pathlib.Path(f"/proc/{pid}/root{folder}/checkpoints/test")
                if host != "1" or folder is None:
                    continue
                try:
                    path.touch()
                    path.unlink()
                except OSError as error:
                    return error.errno == errno.ENOSPC
            return False

        self.wait_for("the full disk", full)
        self.assertNotEqual(disks_mounted(), [])
        drill.kill()
        for pid in helpers():
            os.kill(pid, signal.SIGKILL)
        drill.communicate()
        self.wait_for("the end of the lab", lambda: not self.keepers() and not self.place.processes())
        self.wait_for("the end of the disks", lambda: not disks_mounted())
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
