"""Driver, agents and watchdogs are killed in the middle of a lost link and of a quota: the next start undoes both, or the end of the lab.

    GAUNTLET=build/gauntlet python3 tests/lab/all_killed_slow_test.py
"""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import faults_test  # noqa: E402
import labs  # noqa: E402
from labs import drills  # noqa: E402


@unittest.skipIf(labs.missing(), labs.missing())
class AllKilled(faults_test.Disturbed):
    def setUp(self):
        super().setUp()
        self.record = ("--record", str(self.place.path / "drill.rec"))

    def kill_all(self):
        """With both faults there and nobody left to undo them."""
        drill, group, watchdogs = self.injected(*self.record)
        for pid in watchdogs.values():
            os.kill(pid, signal.SIGSTOP)  # so that none undoes anything when its agent is gone
        self.kill_driver_and_agents(drill)
        for pid in watchdogs.values():
            os.kill(pid, signal.SIGKILL)
        return group

    def test_the_next_start_undoes_both(self):
        group = self.kill_all()
        self.assertTrue(group.exists(), "a quota is still there")
        again = self.place.start("--launch", "lab", *self.record)
        self.addCleanup(again.kill)
        watchdogs = self.watchdogs(again)
        self.wait_for("the link", lambda: self.link_is_up(watchdogs["2"]), again)
        self.wait_for("the end of the quota", lambda: not group.exists(), again)
        again.send_signal(signal.SIGINT)
        drills.finish(again)
        self.nothing_is_left()

    def test_where_nobody_starts_it_again_the_lab_ends_with_them(self):
        self.kill_all()
        self.wait_for("the end of the lab", lambda: not self.keepers() and not self.place.processes())
        self.nothing_is_left()

    def test_a_keeper_that_was_killed_leaves_no_group(self):
        drill, _, _ = self.injected()
        for keeper in self.keepers():
            os.kill(keeper, signal.SIGKILL)
        drill.send_signal(signal.SIGINT)
        drills.finish(drill)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
