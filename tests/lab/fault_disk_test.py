"""The disk that fails: each fault is what a program on it meets, ends by itself, and leaves nothing mounted.

    GAUNTLET=build/gauntlet python3 tests/lab/fault_disk_test.py
"""
import ctypes
import errno
import mmap
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(os.environ["GAUNTLET"]).resolve().parent / "gauntlet-fault-disk"
FAULTS = ("none", "full", "slow", "failing", "lying", "hanging")
LONG, SECONDS_MAX = 3600.0, 60


def missing():
    if os.geteuid() != 0:
        return "needs root, which alone mounts a disk for all users"
    if not os.path.exists("/dev/fuse"):
        return "this machine has no /dev/fuse"
    return "" if PROGRAM.exists() else "gauntlet-fault-disk was not built (package libfuse3-dev)"


class Shared(ctypes.Structure):
    """real/fault_disk/disk_state.hpp."""
    _fields_ = [("fault", ctypes.c_uint32), ("power_cuts", ctypes.c_uint32), ("until_ns", ctypes.c_int64),
                ("delay_ns", ctypes.c_int64)]


class Disk:
    """Where a test's processes see the disk: in the mount namespace of a shell."""

    def __init__(self, place):
        self.below, self.state = place / "disk", place / "state"
        self.below.mkdir()
        self.shell = subprocess.Popen([PROGRAM, self.below, self.state, "--", "/bin/cat"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE)
        self.shell.stdin.write(b"up\n")
        self.shell.stdin.flush()
        assert self.shell.stdout.readline() == b"up\n", "the disk is mounted when the program runs"
        with open(self.state, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.shared = Shared.from_buffer(self.map)
        # Through the shell's root, paths are those of its namespace.
        self.path = pathlib.Path(f"/proc/{self.shell.pid}/root{self.below}")

    def set(self, fault, seconds=LONG, delay=0.0):
        self.shared.until_ns = 0
        self.shared.fault, self.shared.delay_ns = FAULTS.index(fault), int(delay * 1e9)
        self.shared.until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def end(self):
        if self.shell.returncode is None:
            self.shell.kill()
            self.shell.communicate()


def write(path, data, sync=False):
    with open(path, "ab", buffering=0) as file:
        file.write(data)
        if sync:
            os.fsync(file.fileno())


@unittest.skipIf(missing(), missing())
class FaultDisk(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-disk-test-")
        self.addCleanup(kept.cleanup)
        self.disk = Disk(pathlib.Path(kept.name))
        self.addCleanup(self.disk.end)
        self.file = self.disk.path / "file"
        write(self.file, b"before", sync=True)

    def fails(self, number, action):
        with self.assertRaises(OSError) as raised:
            action()
        self.assertEqual(raised.exception.errno, number)

    def test_a_full_disk_takes_nothing_more_and_gives_what_it_has(self):
        self.disk.set("full")
        self.fails(errno.ENOSPC, lambda: write(self.file, b"more"))
        self.fails(errno.ENOSPC, lambda: write(self.disk.path / "new", b""))
        self.fails(errno.ENOSPC, (self.disk.path / "folder").mkdir)
        self.assertEqual(os.statvfs(self.disk.path).f_bavail, 0)
        self.assertEqual(self.file.read_bytes(), b"before")
        (self.file).rename(self.disk.path / "renamed")
        (self.disk.path / "renamed").unlink()

    def test_every_call_fails(self):
        held = os.open(self.file, os.O_RDWR)
        self.addCleanup(os.close, held)
        self.disk.set("failing")
        self.fails(errno.EIO, lambda: os.write(held, b"x"))
        self.fails(errno.EIO, lambda: os.fsync(held))
        self.fails(errno.EIO, lambda: os.read(held, 1))
        self.fails(errno.EIO, lambda: os.listdir(self.disk.path))
        self.disk.set("none")
        self.assertEqual(os.read(held, 6), b"before", "what was open stays open")

    def test_a_fault_ends_by_itself(self):
        self.disk.set("full", seconds=0.3)
        self.fails(errno.ENOSPC, lambda: write(self.file, b"more"))
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            try:
                write(self.file, b"more")
                break
            except OSError:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
        self.assertEqual(self.file.read_bytes(), b"beforemore")

    def test_a_slow_disk_takes_its_time_for_a_write_and_a_sync(self):
        self.disk.set("slow", delay=0.1)
        began = time.monotonic()
        write(self.file, b"more", sync=True)
        self.assertGreaterEqual(time.monotonic() - began, 0.2)

    def test_a_lying_sync_keeps_no_promise_when_the_power_is_cut(self):
        self.disk.set("lying")
        write(self.file, b" and more", sync=True)
        write(self.disk.path / "new", b"new", sync=True)
        self.assertEqual(self.file.read_bytes(), b"before and more")
        self.disk.set("none")
        write(self.disk.path / "honest", b"honest", sync=True)
        self.disk.shared.power_cuts += 1
        self.assertEqual(self.file.read_bytes(), b"before")
        self.assertEqual((self.disk.path / "new").read_bytes(), b"")
        self.assertEqual((self.disk.path / "honest").read_bytes(), b"honest")

    def test_what_an_honest_sync_reached_stays(self):
        self.disk.set("lying")
        write(self.file, b" and more", sync=True)
        self.disk.set("none")
        write(self.file, b"", sync=True)
        self.disk.shared.power_cuts += 1
        self.assertEqual(self.file.read_bytes(), b"before and more")

    def test_a_call_hangs_until_the_fault_is_over_or_its_process_is_killed(self):
        self.disk.set("hanging")
        waiting, killed = (subprocess.Popen([sys.executable, "-c", f"print(open({str(self.file)!r}).read())"],
                                            stdout=subprocess.PIPE) for _ in range(2))
        for each in (waiting, killed):
            self.assertIsNone(each.poll())
        with self.assertRaises(subprocess.TimeoutExpired):
            waiting.wait(0.3)
        killed.send_signal(signal.SIGKILL)
        self.assertEqual(killed.wait(SECONDS_MAX), -signal.SIGKILL)
        self.disk.set("none")
        self.assertEqual(waiting.communicate(timeout=SECONDS_MAX)[0], b"before\n")
        killed.stdout.close()

    def test_nothing_is_left_of_a_disk_whose_program_is_killed(self):
        self.disk.set("full")
        servers = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.serves(pid)]
        self.assertEqual(len(servers), 1)
        self.disk.end()
        deadline = time.monotonic() + SECONDS_MAX
        while os.path.exists(f"/proc/{servers[0]}"):
            self.assertLess(time.monotonic(), deadline, "the server lives on")
            time.sleep(0.01)
        self.assertNotIn(str(self.disk.below), pathlib.Path("/proc/mounts").read_text(encoding="utf-8"))
        self.assertEqual((self.disk.below / "file").read_bytes(), b"before")

    def serves(self, pid):
        try:
            line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return b"--serve" in line and os.fsencode(self.disk.below) in line


if __name__ == "__main__":
    unittest.main()
