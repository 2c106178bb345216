"""`gauntlet drill --launch lab`: hosts with a network, a clock and a share of the processors, of which nothing is left behind.

    GAUNTLET=build/gauntlet python3 tests/lab/lab_test.py
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "drill"))
import drills  # noqa: E402
import fault_disk_test  # noqa: E402
import labs  # noqa: E402

HOSTS = 4
SHORT = ("--launch", "lab", "--no-faults", "--set", "job.steps=30")
LONG = ("--launch", "lab", "--no-faults", "--set", "job.steps=4000")


@unittest.skipIf(labs.missing(), labs.missing())
class Lab(labs.Case):
    def ranks(self):
        return [pid for pid, line in self.place.processes().items() if "gauntlet-trainer" in line[0]]

    def test_a_host_has_a_network_a_clock_and_a_share_of_the_processors(self):
        drill = self.place.start(*LONG, "--set", 'drill.clock_spread="4000s"')
        self.wait_for("ranks on every host", lambda: len(self.ranks()) == HOSTS, drill)
        agents = self.place.agents()
        self.assertEqual(sorted(agents), [str(host) for host in range(HOSTS)])
        networks = {os.readlink(f"/proc/{pid}/ns/net") for pid in agents.values()}
        clocks = {os.readlink(f"/proc/{pid}/ns/time") for pid in agents.values()}
        self.assertEqual(len(networks | {os.readlink("/proc/self/ns/net")}), HOSTS + 1)
        self.assertEqual(len(clocks | {os.readlink("/proc/self/ns/time")}), HOSTS + 1)
        for host, pid in agents.items():
            offsets = dict(line.split()[:2] for line in pathlib.Path(f"/proc/{pid}/timens_offsets").read_text().splitlines())
            self.assertEqual(int(offsets["monotonic"]), 1000 * (int(host) + 1))
            interfaces = {line.split(":")[0].strip() for line in pathlib.Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]}
            self.assertLessEqual({"lo", "mgmt0", "data0", "data1"}, interfaces)
        for pid in self.ranks():
            self.assertIn(os.readlink(f"/proc/{pid}/ns/net"), networks)
            self.assertIn("gauntlet-lab-", pathlib.Path(f"/proc/{pid}/cgroup").read_text())
        self.quotas()
        self.wait_for("the job's traffic on both data interfaces of every host", lambda: all(
            min(labs.sent(pid)[name] for name in ("data0", "data1")) > 10_000 for pid in agents.values()), drill)
        drill.send_signal(signal.SIGINT)
        drills.finish(drill)
        self.nothing_is_left()

    def quotas(self):
        (lab,) = labs.groups() - self.groups
        shares = []
        for host in lab.glob("host-*"):
            if (host / "cpu.max").exists():
                quota, period = (host / "cpu.max").read_text().split()
            else:
                quota, period = (host / "cpu.cfs_quota_us").read_text(), (host / "cpu.cfs_period_us").read_text()
            shares.append(int(quota) / int(period))
        self.assertEqual(len(shares), HOSTS)
        self.assertLessEqual(sum(shares), 0.8 * os.cpu_count() + 1e-9)
        weight, usual = ("cpu.weight", 100) if (lab / "cpu.weight").exists() else ("cpu.shares", 1024)
        self.assertGreaterEqual(int((lab / weight).read_text()), usual * HOSTS, "other work does not slow the hosts")

    def test_a_drill_ends_as_it_does_without_a_lab(self):
        in_lab = self.place.run(*SHORT)
        self.assertEqual(in_lab.code, 0, str(in_lab))
        self.nothing_is_left()
        without = self.place.run(*SHORT[2:])
        self.assertEqual(in_lab.final_hash, without.final_hash, str(in_lab))

    def test_a_link_that_comes_back_costs_no_restart(self):
        """TCP sends again what was lost, and nobody notices but by the time of a step: less than the detectors wait."""
        patient = ("--set", 'detection.hang_timeout="60s"', "--set", 'detection.collective_timeout="90s"')
        drill = self.place.start(*SHORT, *patient, "--set", "job.steps=60", "--set", "job.step_time=100ms")
        agents = self.wait_for("agents", lambda: len(self.place.agents()) == HOSTS and self.place.agents(), drill)
        for name in ("data0", "data1"):
            before = labs.sent(agents["1"])[name]
            self.wait_for("traffic on " + name, lambda name=name, before=before: labs.sent(agents["1"])[name] > before + 2_000, drill)
            labs.set_link(agents["1"], name, "down")
            still = self.wait_for("silence", lambda name=name: labs.is_silent(agents["2"], name), drill)
            labs.set_link(agents["1"], name, "up")
            self.assertTrue(still)
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertNotIn("ended with", run.err)
        self.nothing_is_left()
        self.assertEqual(run.final_hash, drills.undisturbed_hash(self.place, "--set", "job.steps=60"))

    def test_a_driver_that_is_killed_goes_on_in_the_same_lab(self):
        record = str(self.place.path / "drill.rec")
        drill = self.place.start(*LONG, "--record", record)
        self.wait_for("ranks on every host", lambda: len(self.ranks()) == HOSTS, drill)
        keepers, agents = self.keepers(), self.place.agents()
        drill.kill()
        drill.communicate()
        again = self.place.start(*LONG, "--record", record)
        time.sleep(1)
        self.wait_for("its ranks", lambda: len(self.ranks()) == HOSTS, again)
        self.assertEqual((self.keepers(), self.place.agents()), (keepers, agents))
        again.send_signal(signal.SIGINT)
        drills.finish(again)
        self.nothing_is_left()

    def test_a_driver_that_is_killed_leaves_nothing(self):
        """Its agents end by themselves once no driver came for half a minute, and the keeper after them."""
        drill = self.place.start(*LONG)
        self.wait_for("ranks on every host", lambda: len(self.ranks()) == HOSTS, drill)
        drill.kill()
        drill.communicate()
        self.wait_for("the end of the keeper", lambda: not self.keepers())
        self.nothing_is_left()

    def test_ctrl_c_ends_a_start_whose_commands_hang(self):
        """An `ip` that hangs, in a mount namespace of the test's own."""
        began = self.place.path / "began"
        hangs = self.place.path / "ip"
        hangs.write_text(f"#!/bin/sh\necho $$ >{began}.new && mv {began}.new {began}\nexec sleep 100000\n")
        hangs.chmod(0o755)
        ip = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
        inside = f'mount --bind "{hangs}" "{ip}" && exec "$@"'
        drill = subprocess.Popen(["unshare", "--mount", "sh", "-c", inside, "sh", *self.place.command(*SHORT)],
                                 env=self.place.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for("the command of ip", began.exists, drill)
        command = int(began.read_text(encoding="ascii"))
        drill.send_signal(signal.SIGINT)
        run = drills.finish(drill)
        self.assertEqual(run.code, 130, str(run))
        self.assertFalse(pathlib.Path(f"/proc/{command}").exists(), "the command is left")
        self.nothing_is_left()

    def test_a_dry_run_lists_the_lab_and_makes_none(self):
        run = self.place.run("--launch", "lab", "--dry-run")
        self.assertEqual(run.code, 0, str(run))
        rows = [line.split() for line in run.out.splitlines()]
        self.assertIn(["management", "driver,", "mgmt0", "of", "each", "host", "198.18.0.1"], rows)
        self.assertIn(["1", "host-1", "198.18.0.3", "198.19.0.3", "tor0", "198.19.1.3", "tor0"], [row[:7] for row in rows])
        self.nothing_is_left()

    def test_a_dry_run_of_the_drill_for_a_lab_lists_its_eight_hosts(self):
        with drills.Place("scenarios/drills/lab.toml", hosts=8) as place:
            run = place.run("--launch", "lab", "--dry-run")
        self.assertEqual(run.code, 0, str(run))
        rows = [line.split() for line in run.out.splitlines()]
        self.assertEqual([row[1] for row in rows if len(row) > 2 and row[1].startswith("host-")], [f"host-{host}" for host in range(8)])
        self.assertIn(["12s", "rank_killed", "gpu", "1", *"SIGKILL of its rank".split()], rows)
        self.assertIn(["26s", "rank_stopped", "gpu", "6", *"SIGSTOP of its rank".split()], rows)
        self.assertIn(["1min16s", "link_lost", "nic", "5", *"data0: the data interface is set down, for 9s".split()], rows)
        self.nothing_is_left()


    def test_a_lab_whose_disks_cannot_fail_says_why(self):
        scenario = self.place.path / "full.toml"
        scenario.write_text('extends = "drill-tiny"\ninherit_faults = false\nname = "full"\n'
                            '[repair]\ntime = "10s"\n[faults.disk_full]\nmodel = "disk_full"\ntrace = [{ at = "1s", component = 1 }]\n', encoding="utf-8")
        arguments = ("drill", scenario, "--hosts", str(HOSTS), *drills.run_as("root"), "--launch", "lab", "--dry-run")
        without = self.place.path / "without"  # the program of such disks
        without.mkdir()
        for program in ("gauntlet", "gauntlet-trainer"):
            shutil.copy(pathlib.Path(drills.GAUNTLET).with_name(program), without)
        run = subprocess.run([without / "gauntlet", *arguments], text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("disks of this lab cannot fail: gauntlet-fault-disk was not built (package libfuse3-dev); such a fault "
                      "kills the ranks instead", run.stderr)
        if not fault_disk_test.missing():
            run = subprocess.run([drills.GAUNTLET, *arguments], text=True, capture_output=True, check=False)
            self.assertNotIn("cannot fail", run.stderr)


@unittest.skipIf(labs.missing(), labs.missing())
class OwnJob(labs.Case):
    drill = ("scenarios/drills/python/lines.toml", 2)

    def test_it_meets_and_talks_on_the_data_interface(self):
        result = self.place.path / "result"
        words = f'["python3", "scenarios/drills/python/train.py", "--result", "{result}"]'
        # Enough steps that both ranks are still there when they are looked for, on a busy machine too.
        drill = subprocess.Popen([drills.GAUNTLET, "drill", self.place.scenario, "--hosts", "2", *drills.run_as("root"), "--launch", "lab",
                                  "--no-faults", "--set", "job.steps=150", "--set", f"drill.command.arguments={words}"],
                                 env=self.place.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(drill.kill)

        def ranks():
            return [pid for pid, line in self.place.processes().items() if os.path.basename(line[0]) == "python3"]
        rank = self.wait_for("both ranks", lambda: len(ranks()) == 2 and ranks(), drill)[0]
        variables = dict(each.split("=", 1) for each in pathlib.Path(f"/proc/{rank}/environ").read_text().split("\0") if each)
        self.assertEqual((variables["MASTER_ADDR"], variables["GLOO_SOCKET_IFNAME"], variables["NCCL_SOCKET_IFNAME"]),
                         ("198.19.0.2", "data0", "data0,data1"))
        self.assertRegex(variables["GAUNTLET_DATA_ADDRESSES"], r"198\.19\.0\.\d,198\.19\.1\.\d")
        self.wait_for("traffic on data0", lambda: labs.sent(rank)["data0"] > 1_000, drill)
        self.assertEqual(labs.sent(rank)["data1"], 0)
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertRegex(result.read_text(encoding="ascii"), "^[0-9a-f]{16}$")
        self.nothing_is_left()


class WithoutRoot(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0 and drills.reachable_by_nobody(), "only root becomes somebody else, who must reach the program")
    def test_a_lab_is_refused_with_the_reason(self):
        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        run = subprocess.run([drills.GAUNTLET, "drill", drills.SCENARIO, "--hosts", str(HOSTS), "--launch", "lab"], text=True,
                             capture_output=True, check=False, preexec_fn=become_nobody)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("--launch lab needs root", run.stderr)


if __name__ == "__main__":
    unittest.main()
