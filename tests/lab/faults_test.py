"""Faults of a lab's hosts: a rank gets less processor time, a link goes down or is slow. Each is there while it lasts, and is undone afterwards.

    GAUNTLET=build/gauntlet python3 tests/lab/faults_test.py
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import labs  # noqa: E402

SCENARIO = """
extends = "{base}"
inherit_faults = false
name = "lab-faults"
question = "Are faults of hosts there while they last?"

[job]
steps = 4000

[telemetry]
heartbeat_period = "1s"

[detection]
timeout = "100s"
hang_timeout = "100s"
collective_timeout = "200s"
{faults}
"""
LOST = """
[faults.rank_slow]
component = "gpu"
effect = "slow"
factor = 2.0
remedy = "restart"
trace = [{slow}]

[faults.link_lost]
component = "nic"
effect = "stall"
heals_after = "10min"
remedy = "restart"
trace = [{link}]
"""
SLOW_LINK = """
[faults.link_slow]
component = "nic"
effect = "degrade"
factor = 2.0
remedy = "restart"
trace = [{link}]
"""
UNREACHABLE = """
[faults.clock]
model = "clock_step"
trace = [{ at = "2s", component = 1 }]

[faults.apart]
model = "agent_partition"
heals_after = "2s"
trace = [{ at = "4s", component = 2 }]
"""
LOSSY_LINK = """
[faults.link_lossy]
model = "lossy_link"
heals_after = "10min"
remedy = "restart"
trace = [{link}]
"""


def strikes(component):
    """Again and again: what strikes before the ranks are up reaches none."""
    return ", ".join(f'{{ at = "{seconds}s", component = {component} }}' for seconds in (1, 5, 20, 60))


class Disturbed(labs.Case):
    faults = LOST.format(slow=strikes(1), link=strikes(2))

    def setUp(self):
        super().setUp()
        scenario = self.place.path / "faults.toml"
        scenario.write_text(SCENARIO.format(base=os.path.abspath("scenarios/drill-tiny.toml"), faults=self.faults))
        self.place.scenario = str(scenario)

    def wait_for(self, what, holds, process=None):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not (found := holds()):
            if process is not None and process.poll() is not None:
                self.fail(f"the drill ended before {what}: {drills.finish(process)}")
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.02)
        return found

    def helpers(self, name):
        """Processes of a host, by host: its agent, or the watchdog beside it."""
        return {line[line.index("--host") + 1]: pid for pid, line in self.place.processes().items()
                if "agent" in line and "--host" in line and pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name}

    def watchdogs(self, drill):
        return self.wait_for("four watchdogs", lambda: len(found := self.helpers("gauntlet-undo")) == 4 and found, drill)

    def kill_driver_and_agents(self, drill):
        agents = self.helpers("gauntlet")
        drill.kill()
        for pid in agents.values():
            os.kill(pid, signal.SIGKILL)
        drill.communicate()

    def slow_groups(self):
        return [group for lab in labs.groups() - self.groups for group in lab.glob("host-*/slow-*")]

    def link_is_up(self, process, interface="data0"):
        shown = subprocess.run(["nsenter", f"--net=/proc/{process}/ns/net", "ip", "-o", "link", "show", interface], capture_output=True, text=True)
        return bool(re.search(r"<[^>]*\bUP\b", shown.stdout))

    def injected(self, *more):
        drill = self.place.start("--launch", "lab", *more)
        self.addCleanup(drill.kill)
        group = self.wait_for("the slow rank", self.slow_groups, drill)[0]
        watchdogs = self.watchdogs(drill)
        self.wait_for("the lost link", lambda: not self.link_is_up(watchdogs["2"]), drill)
        self.assertEqual(group.parent.name, "host-1")
        return drill, group, watchdogs


@unittest.skipIf(labs.missing(), labs.missing())
class Faults(Disturbed):
    def test_both_are_there_and_disarm_undoes_them(self):
        drill, group, watchdogs = self.injected()
        # The group is there before the rank is moved into it.
        members = self.wait_for("its members", lambda: {int(pid) for pid in (group / "cgroup.procs").read_text().split()}, drill)
        lines = {pid: pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in members}
        self.assertTrue(members and all(b"gauntlet-trainer" in line for line in lines.values()), lines)
        unified = group / "cpu.max"
        quota, period = (int(word) for word in (unified.read_text().split() if unified.exists() else
                                                ((group / "cpu.cfs_quota_us").read_text(), (group / "cpu.cfs_period_us").read_text())))
        self.assertLess(quota / period, 0.5)
        self.assertTrue(all(self.link_is_up(watchdogs[host]) for host in "013"))
        directory = next(self.place.path.glob("gauntlet-drill-*"))
        done = subprocess.run([drills.GAUNTLET, "ctl", "disarm", "--drill", str(directory)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.wait_for("the link", lambda: self.link_is_up(watchdogs["2"]), drill)
        self.wait_for("the end of the slow rank", lambda: not self.slow_groups(), drill)
        drill.send_signal(signal.SIGINT)
        self.assertGreaterEqual(drills.finish(drill).injected[0], 2)
        self.nothing_is_left()

    def test_the_death_of_driver_and_agents_undoes_them(self):
        drill, _, watchdogs = self.injected()
        network = os.open(f"/proc/{watchdogs['2']}/ns/net", os.O_RDONLY)
        self.addCleanup(os.close, network)
        self.kill_driver_and_agents(drill)

        def undone():
            up = subprocess.run(["nsenter", f"--net=/proc/{os.getpid()}/fd/{network}", "ip", "-o", "link", "show", "data0"],
                                capture_output=True, text=True).stdout
            return not self.slow_groups() and bool(re.search(r"<[^>]*\bUP\b", up))

        self.wait_for("the undoing", undone)
        self.wait_for("the end of the lab", lambda: not self.keepers() and not self.place.processes())
        self.nothing_is_left()


@unittest.skipIf(labs.missing(), labs.missing())
class SlowLink(Disturbed):
    faults = SLOW_LINK.format(link=strikes(3))

    lacking = "CONFIG_NET_SCH_TBF"

    @staticmethod
    def is_limited(network, interface="data0"):
        shown = subprocess.run(["nsenter", f"--net={network}", "tc", "qdisc", "show", "dev", interface], capture_output=True, text=True)
        return "qdisc tbf" in shown.stdout

    def test_the_death_of_driver_and_agents_undoes_it(self):
        drill = self.place.start("--launch", "lab")
        self.addCleanup(drill.kill)
        try:
            watchdogs = self.watchdogs(drill)
        except AssertionError as problem:
            if self.lacking in str(problem):
                self.skipTest(f"the kernel has no {self.lacking}")
            raise
        networks = [os.open(f"/proc/{watchdogs[host]}/ns/net", os.O_RDONLY) for host in "0123"]
        for network in networks:
            self.addCleanup(os.close, network)
        paths = [f"/proc/{os.getpid()}/fd/{network}" for network in networks]
        self.wait_for("the slow link", lambda: self.is_limited(paths[3]), drill)
        self.assertFalse(any(self.is_limited(path) for path in paths[:3]))
        self.assertFalse(self.is_limited(paths[3], "data1"))
        self.kill_driver_and_agents(drill)
        self.wait_for("the undoing", lambda: not self.is_limited(paths[3]))
        self.wait_for("the end of the lab", lambda: not self.keepers() and not self.place.processes())
        self.nothing_is_left()


@unittest.skipIf(labs.missing(), labs.missing())
class Unreachable(Disturbed):
    faults = UNREACHABLE

    def test_the_job_trains_on_and_nobody_is_blamed(self):
        drill = self.place.start("--launch", "lab", "--set", "job.steps=50", "--out", str(self.place.path / "out"))
        self.addCleanup(drill.kill)
        watchdogs = self.watchdogs(drill)
        shown = ("nsenter", f"--net=/proc/{watchdogs['2']}/ns/net", "ip", "-o", "link", "show", "mgmt0")
        self.wait_for("the partition", lambda: " state DOWN " in subprocess.run(shown, capture_output=True, text=True).stdout, drill)
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (2, 2), str(run))
        self.assertIn("the clock of host 1 jumped against the driver's", run.err, str(run))
        metrics = json.loads((self.place.path / "out" / "result.json").read_text())["metrics"]
        self.assertEqual((metrics["interruptions"]["mean"], metrics["false_alarms"]["mean"]), (0, 0), str(run))
        self.nothing_is_left()


class LossyLink(SlowLink):
    faults = LOSSY_LINK.format(link=strikes(3))
    lacking = "CONFIG_NFT_NUMGEN"

    @staticmethod
    def is_limited(network, interface="data0"):
        shown = subprocess.run(["nsenter", f"--net={network}", "nft", "list", "table", "netdev", f"gauntlet_loss_{interface}"],
                               capture_output=True, text=True)
        return "numgen random mod 10000 < " in shown.stdout


if __name__ == "__main__":
    unittest.main()
