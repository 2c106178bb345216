"""What the tests of `gauntlet drill --launch given` share: agents that somebody keeps running, as systemd would, and a lab for them."""
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import drills  # noqa: E402
import fake_scheduler  # noqa: E402

GAUNTLET = os.path.abspath(drills.GAUNTLET)
TRAINER = str(pathlib.Path(GAUNTLET).with_name("gauntlet-trainer"))
SCENARIO = "scenarios/drills/given.toml"
# Two ranks, two hosts, a tenth of the times.
QUICK = [word for setting in ("job.layout.dp=1", "cluster.hosts=2", "job.steps=60", "job.step_time=50ms", "checkpoint.interval=200ms",
                              "repair.time=300ms", "probes.host_check.time=30ms", "repair.burn_in=0s") for word in ("--set", setting)]


class Agent:
    """One that is started again whenever it ends, until it is stopped."""

    def __init__(self, place, name, port, *options, certificate=None, injects=True):
        self.name, self.address = name, f"127.0.0.1:{port}"
        self.directory = place / name
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self.log = place / f"{name}.log"
        self.command = [GAUNTLET, "agent", "--stay", "--directory", str(self.directory), "--listen", self.address, "--certs",
                        str(place / "ca" / f"agent-{certificate or name}"), "--trainer", TRAINER, *(["--allow-injection"] if injects else []),
                        "--abandoned-after", "3s", "--shares-machine", *drills.run_as(), *options]
        self.stopped, self.starts = False, 0
        self.begin()
        self.keeper = threading.Thread(target=self.keep)
        self.keeper.start()

    def begin(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        self.starts += 1

    def keep(self):
        while True:
            self.process.wait()
            if self.stopped:
                return
            self.begin()

    def said(self):
        return self.log.read_text()

    def left(self):
        """What lies in its directory beside what is the agent's own while it lives."""
        own = ("agent-0.lock", "agent-0.address", "undo-0", "undo-0.lock")
        return sorted(each.name for each in self.directory.iterdir() if each.name not in own)

    def stop(self):
        self.stopped = True
        self.process.terminate()
        self.keeper.join(timeout=drills.SECONDS_MAX)


class GivenAgents(unittest.TestCase):
    """A lab with an authority. Agents are stopped at the end."""

    def setUp(self):
        self.place = drills.Place(SCENARIO, hosts=2).__enter__()
        self.addCleanup(self.place.__exit__)
        self.certs("init", "--cluster", "lab-1")
        self.certs("issue", "--role", "driver", "--host", "localhost")

    def certs(self, what, *words):
        subprocess.run([GAUNTLET, "certs", what, str(self.place.path / "ca"), *words], check=True, capture_output=True)

    def agent(self, name, *options, certificate=None, injects=True):
        if not certificate:
            self.certs("issue", "--role", "agent", "--host", name)
        agent = Agent(self.place.path, name, drills.free_port(), *options, certificate=certificate, injects=injects)
        self.addCleanup(agent.stop)
        self.wait_for(f"{name} listens", lambda: "listens on" in agent.said())
        return agent

    def host_file(self, hosts, commands=""):
        lines = [f'{agent.name} = "{agent.address}"' for agent in hosts]
        (self.place.path / "hosts.toml").write_text("\n".join(["[hosts]", *lines, "[commands]", commands, ""]))

    def scheduler(self, free):
        """The commands of the host file."""
        self.state = self.place.path / "scheduler.json"
        addresses = {agent.name: agent.address for agent in free}
        self.state.write_text(json.dumps({"hosts": fake_scheduler.free(addresses), "calls": []}))
        script = [sys.executable, os.path.join(HERE, "fake_scheduler.py"), str(self.state)]
        return "\n".join(f"{name} = {json.dumps([*script, name, *more])}" for name, more in
                         (("evict", ["{host}", "{reason}"]), ("acquire", ["{host}"]), ("readmit", ["{host}"])))

    def given(self, *arguments):
        return ["--launch", "given", "--host-file", str(self.place.path / "hosts.toml"), "--certs", str(self.place.path / "ca"), *QUICK,
                *arguments]

    def wait_for(self, what, holds):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not holds():
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.02)

    def steps_done(self):
        found = [0]
        for progress in self.place.path.glob("gauntlet-drill-*/progress"):
            found += map(int, re.findall(r" step (\d+) ", progress.read_text(errors="replace")))
        return max(found)
