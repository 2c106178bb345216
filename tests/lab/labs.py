"""What the lab tests share: what a lab needs, and holding what it leaves behind to nothing."""
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402


def missing():
    """What a lab needs and this machine lacks; else nothing."""
    if os.geteuid() != 0:
        return "only root makes a lab"
    if not pathlib.Path("/proc/self/ns/time").exists():
        return "the kernel has no time namespaces"
    groups = pathlib.Path("/sys/fs/cgroup")
    control = groups / "cgroup.subtree_control"
    if not (groups / "cpu/cpu.cfs_quota_us").exists() and not (control.exists() and "cpu" in control.read_text().split()):
        return "no control group limits processor time"
    if not any(pathlib.Path(folder, "ip").exists() for folder in ("/usr/sbin", "/sbin", "/usr/bin", "/bin")):
        return "iproute2 is not installed"
    return ""


def groups():
    roots = (pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup"))
    return {each for root in roots if root.exists() for each in root.glob("gauntlet-lab-*")}


def sent(process):
    """Bytes that each interface of a process's network has sent."""
    lines = pathlib.Path(f"/proc/{process}/net/dev").read_text(encoding="ascii").splitlines()[2:]
    return {line.split(":")[0].strip(): int(line.split(":")[1].split()[8]) for line in lines}


def is_silent(process, name):
    """Whether its ranks wait: nothing was sent over that interface for longer than a step and the retries after a loss take."""
    before = sent(process)[name]
    time.sleep(1)
    return sent(process)[name] == before


def set_link(process, name, state):
    """Of a host of a lab, in the network of a process there."""
    subprocess.run(["nsenter", f"--net=/proc/{process}/ns/net", "ip", "link", "set", name, state], check=True)


class Case(unittest.TestCase):
    """A place for drills of `drill`; afterwards nothing of a lab may be left."""

    drill = (drills.SCENARIO, 4)

    def setUp(self):
        self.groups = groups()
        self.interfaces = set(os.listdir("/sys/class/net"))
        self.place = drills.Place(*self.drill).__enter__()
        self.addCleanup(self.place.__exit__)

    def wait_for(self, what, holds, process=None):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not (found := holds()):
            if process is not None:
                self.assertIsNone(process.poll(), "the drill ended before " + what)
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.05)
        return found

    def keepers(self):
        """Processes that hold a lab in this place: the keeper is a fork of the drill and has its command line."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "comm").read_text().strip() == "gauntlet-lab" \
                        and os.readlink(entry / "fd/1").startswith(str(self.place.path)):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def nothing_is_left(self):
        self.assertEqual(self.keepers(), [])
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(groups() - self.groups, set())
        self.assertEqual(set(os.listdir("/sys/class/net")) - self.interfaces, set())
