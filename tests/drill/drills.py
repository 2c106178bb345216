"""What the drill tests share: running drills, and holding what they leave behind to nothing."""
import os
import pathlib
import re
import socket
import subprocess
import tempfile

GAUNTLET = os.environ["GAUNTLET"]
SCENARIO = "scenarios/drill-tiny.toml"
SECONDS_MAX = 240  # a guard against hanging, not a measure: a drill takes under two minutes on an idle machine


class Place:
    """A directory of its own for sockets, checkpoints and recordings; afterwards no process may know it."""

    def __init__(self, scenario=SCENARIO, hosts=4):
        self.scenario, self.hosts = scenario, hosts

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="gauntlet-drill-test-")
        self.path = pathlib.Path(self.kept.name)
        self.path.chmod(0o711)  # ranks of a user that is not ours pass through
        return self

    def __exit__(self, *_):
        self.kept.cleanup()

    def environment(self):
        return dict(os.environ, TMPDIR=str(self.path))

    def command(self, *arguments, hosts=None, gauntlet=GAUNTLET):
        return [gauntlet, "drill", self.scenario, "--hosts", str(hosts or self.hosts), *run_as(), *arguments]

    def start(self, *arguments, hosts=None):
        return subprocess.Popen(self.command(*arguments, hosts=hosts), env=self.environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, hosts=None):
        return finish(self.start(*arguments, hosts=hosts))

    def processes(self):
        """Command lines, by process id, that name this place."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if any(str(self.path) in word for word in line):
                found[int(entry.name)] = line
        return found

    def agents(self):
        """Process ids by host number, without their watchdogs and what they start just now, which are forks of them."""
        found = {pid: line for pid, line in self.processes().items() if "agent" in line and "--host" in line and not is_watchdog(pid)}
        return {line[line.index("--host") + 1]: pid for pid, line in found.items() if parent_of(pid) not in found}


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def is_watchdog(pid):
    """Whether it is the process beside an agent that undoes faults, and kills what ranks have left."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii") == "gauntlet-undo\n"
    except OSError:
        return False


def is_checkpointer(pid):
    """Whether it is the process of an agent that writes what ranks have copied."""
    try:
        return b"agent-checkpointer" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def reachable_by_nobody():
    """Whether every folder above the programs lets others pass."""
    return all(folder.stat().st_mode & 0o001 for folder in pathlib.Path(GAUNTLET).resolve().parents)


def run_as(user=None):
    """Root must say as whom ranks run: as nobody, who may do least, where they need not write to our files and can reach them."""
    return ["--run-as", user or ("nobody" if reachable_by_nobody() else "root")] if os.geteuid() == 0 else []


def free_port():
    """Of the kernel's choice, on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def finish(process):
    out, err = process.communicate(timeout=SECONDS_MAX)
    return Finished(process.returncode, out, err)


class Finished:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\n{self.out}\n{self.err}"

    @property
    def final_hash(self):
        found = re.search(r"final parameters ([0-9a-f]{16})", self.err)
        return found and found[1]

    @property
    def injected(self):
        found = re.search(r"(\d+) of (\d+) planned faults were injected", self.err)
        return found and (int(found[1]), int(found[2]))


def undisturbed_hash(place, *arguments):
    """What the same training gives without faults; its steps may be quicker, the hash does not depend on them."""
    run = place.run("--no-faults", "--set", "job.step_time=20ms", "--set", "checkpoint.interval=200ms", *arguments)
    assert run.code == 0 and run.final_hash, str(run)
    return run.final_hash
