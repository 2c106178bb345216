"""gauntlet_rank.py times what a device computes, here a device whose work and progress the test decides: nothing waits for it.

    python3 tests/drill/device_segments_test.py
"""
import pathlib
import re
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path("real/rank").resolve()))
import gauntlet_rank  # noqa: E402


class Device:
    """One stream: work and events in their order. Time passes where the test says so."""

    def __init__(self):
        self.queued, self.done, self.events = 0.0, 0.0, 0

    def work(self, milliseconds):
        self.queued += milliseconds

    def event(self):
        self.events += 1
        return Event(self)


class Event:
    def __init__(self, device):
        self.device, self.at = device, None

    def record(self):
        self.at = self.device.queued

    def query(self):
        return self.device.done >= self.at

    def elapsed_time(self, end):
        assert self.query() and end.query(), "the device is not through: a real one would raise"
        return end.at - self.at


class DeviceSegments(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-rank-")
        self.addCleanup(kept.cleanup)
        path = str(pathlib.Path(kept.name) / "agent")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        self.rank = gauntlet_rank.Rank(0, {"GAUNTLET_RANK_SOCKET": path})
        self.addCleanup(self.rank._close)
        self.agent, _ = listener.accept()
        self.addCleanup(self.agent.close)
        self.agent.setblocking(False)
        self.assertEqual(self.agent.recv(4096), b"hello 0")
        self.device = Device()
        self.rank.time_device(self.device.event)

    def step(self, number, **segments):
        with self.rank.step(number):
            for name, milliseconds in segments.items():
                with self.rank.device_segment(name):
                    self.device.work(milliseconds)

    def told(self):
        """(step, name, milliseconds) of each segment that came since."""
        found = []
        while True:
            try:
                message = self.agent.recv(4096).decode()
            except BlockingIOError:
                return found
            for line in message.splitlines():
                self.assertRegex(line, r"^\d+ (step \d+ \d+|segment \d+ \w+ \d+|finished \d+ \w+|dropped \d+)$")
                found += [(int(step), name, int(took) / 1e6) for step, name, took in re.findall(r" segment (\d+) (\w+) (\d+)$", line)]

    def test_a_step_is_told_once_the_device_is_through(self):
        self.step(1, forward=10, backward=20)
        self.assertEqual(self.told(), [])
        self.device.done = 10  # forward alone
        self.step(2, forward=11, backward=22)
        self.assertEqual(self.told(), [])
        self.device.done = 30
        self.step(3, forward=12, backward=23)
        self.assertEqual(self.told(), [(1, "forward", 10), (1, "backward", 20)])
        self.device.done = self.device.queued
        self.step(4)
        self.assertEqual(self.told(), [], "nothing is on the device meanwhile")
        self.step(5, forward=13)
        self.assertEqual(self.told(), [(2, "forward", 11), (2, "backward", 22), (3, "forward", 12), (3, "backward", 23)])
        self.rank.finished(5)
        self.assertEqual(self.told(), [])

    def test_a_step_is_not_told_while_it_lasts(self):
        """Also where the device is through with its first part before its second one begins."""
        with self.rank.step(1):
            for name in ("forward", "backward"):
                with self.rank.device_segment(name):
                    self.device.work(5)
                self.device.done = self.device.queued
                self.rank._collect_device_segments()
                self.assertEqual(self.told(), [])
        with self.rank.step(2):
            with self.rank.device_segment("forward"):
                self.device.work(6)
            self.assertEqual(self.told(), [(1, "forward", 5), (1, "backward", 5)])
        self.device.done = self.device.queued
        self.rank.finished(2)
        self.assertEqual(self.told(), [(2, "forward", 6)])

    def test_parts_of_one_name_are_told_together(self):
        with self.rank.step(1):
            for _ in range(3):
                with self.rank.device_segment("forward"):
                    self.device.work(5)
                self.device.work(100)  # which is of no segment
        self.device.done = self.device.queued
        self.rank.finished(1)
        self.assertEqual(self.told(), [(1, "forward", 15)])

    def test_the_ring_is_bounded_and_events_are_used_again(self):
        for number in range(1, 2001):
            self.step(number, forward=1)
            self.assertEqual(self.told(), [])
        self.assertEqual(self.device.events, 2 * gauntlet_rank.DEVICE_SEGMENTS)
        self.device.done = self.device.queued
        self.step(2001, forward=1)
        told = self.told()
        self.assertEqual([step for step, _, _ in told[:3]], [1, 2, 3])
        for number in range(2002, 2100):
            self.device.done = self.device.queued
            self.step(number, forward=1)
        self.assertEqual(self.device.events, 2 * gauntlet_rank.DEVICE_SEGMENTS)

    def test_a_step_that_was_timed_in_part_is_not_told(self):
        with self.rank.step(1):
            for _ in range(gauntlet_rank.DEVICE_SEGMENTS - 1):
                with self.rank.device_segment("forward"):
                    self.device.work(1)
        self.step(2, forward=1, backward=5)  # the ring has room for one of them
        self.device.done = self.device.queued
        self.step(3, forward=7)
        self.assertEqual(self.told(), [(1, "forward", gauntlet_rank.DEVICE_SEGMENTS - 1)])
        self.device.done = self.device.queued
        self.rank.finished(3)
        self.assertEqual(self.told(), [(3, "forward", 7)])

    def test_a_step_that_is_tried_again_has_the_times_of_the_last_try(self):
        class OutOfMemory(Exception):
            pass

        for reached in (False, True):  # by the device, before the second try
            with self.assertRaises(OutOfMemory), self.rank.step(1):
                with self.rank.device_segment("forward"):
                    self.device.work(10)
                with self.rank.device_segment("backward"):
                    self.device.work(3)
                    raise OutOfMemory
            if reached:
                self.device.done = self.device.queued
                self.rank._collect_device_segments()
            self.step(1, forward=20, backward=40)
            self.device.done = self.device.queued
            self.rank.finished(1)
            self.assertEqual(self.told(), [(1, "forward", 20), (1, "backward", 40)])
        self.assertEqual(self.device.events, 2 * 4 - 2, "of a part that raised they are used again")

    def test_without_an_agent_or_a_device_nothing_is_timed(self):
        alone = gauntlet_rank.Rank(0, {})
        alone.time_device(self.device.event)
        with alone.step(1), alone.device_segment("forward"):
            pass
        untimed = gauntlet_rank.Rank(0, {})
        with untimed.step(1), untimed.device_segment("forward"):
            pass
        self.assertEqual(self.device.events, 0)


if __name__ == "__main__":
    unittest.main()
