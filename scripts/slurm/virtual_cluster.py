#!/usr/bin/env python3
"""A real Slurm with virtual nodes n1, n2, ... on this machine, in one directory: to try a batch script without a cluster.

    scripts/slurm/virtual_cluster.py start DIR [--nodes 4]     prints the line to put into your shell
    scripts/slurm/virtual_cluster.py lose DIR n3               the node vanishes, with all that runs on it
    scripts/slurm/virtual_cluster.py stop DIR                  ends everything

munged, slurmctld and a slurmd for each node run as the user who starts them and write nowhere but into DIR. Needs
Debian's slurmctld, slurmd, slurm-client and munge. DIR's path must be short: it holds Unix sockets (108 bytes).
"""
import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "sinfo")
SECONDS_MAX = 120  # for anything that the daemons should do at once

# SlurmdTimeout: a node that does not answer for so long is down. Production says 300; who tries things will not wait.
CONFIGURATION = """\
ClusterName=virtual
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool.%n
TmpFS={place}/scratch.%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=2
MinJobAge=3600
KillWait=5
SchedulerParameters=requeue_delay=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def found(program):
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")


def missing():
    """The programs that are not here."""
    return [program for program in PROGRAMS if not found(program)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def daemon(*words, **options):
    done = subprocess.run([found(words[0]), *words[1:]], text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} did not start: {done.stderr.strip() or done.stdout.strip()}")


class Cluster:
    def __init__(self, place):
        self.place = pathlib.Path(place).resolve()
        self.environment = dict(os.environ, SLURM_CONF=str(self.place / "slurm.conf"))

    def start(self, nodes):
        if lacking := missing():
            raise RuntimeError(f"missing: {', '.join(lacking)} (apt-get install slurmctld slurmd slurm-client munge)")
        self.place.mkdir(parents=True, exist_ok=True)
        names = [f"n{number + 1}" for number in range(nodes)]
        for name in ("state", *(f"{what}.{name}" for what in ("spool", "scratch") for name in names)):
            (self.place / name).mkdir(exist_ok=True)
        self.configure(names)
        self.authenticate()
        daemon("slurmctld", env=self.environment)
        for name in names:
            daemon("slurmd", "-N", name, env=self.environment)
        self.wait_until(lambda: self.states() == {name: "idle" for name in names}, "the nodes are idle")

    def configure(self, names):
        host = socket.gethostname().split(".")[0]
        controller_port, *ports = free_ports(1 + len(names))
        nodes = (f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=1000"
                 for name, port in zip(names, ports))
        user = subprocess.run(["id", "-un"], text=True, capture_output=True, check=True).stdout.strip()
        text = CONFIGURATION.format(host=host, user=user, place=self.place, controller_port=controller_port,
                                    nodes="\n".join(nodes))
        (self.place / "slurm.conf").write_text(text)

    def authenticate(self):
        key = self.place / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        daemon("munged", "--force", f"--socket={self.place}/munge.socket", f"--key-file={key}",
               f"--pid-file={self.place}/munged.pid", f"--log-file={self.place}/munged.log",
               f"--seed-file={self.place}/munged.seed")

    def ask(self, *words):
        done = subprocess.run(words, text=True, capture_output=True, env=self.environment, timeout=SECONDS_MAX)
        return done.stdout

    def states(self):
        """The state of every node, by its name: idle, allocated, draining, drained, down..."""
        lines = self.ask("sinfo", "--noheader", "--Node", "--format=%N %T").split("\n")
        return dict(line.split() for line in lines if line.strip())

    def wait_until(self, true, what, seconds=SECONDS_MAX):
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s in vain until {what}; the logs are in {self.place}")
            time.sleep(0.1)

    def lose(self, node):
        """slurmd, its steps and all that they started die at once, as if the machine lost its power: none sees another
        die and tells the controller."""
        lost = self.of_node(node)
        signal_all(lost, signal.SIGSTOP)
        signal_all(lost, signal.SIGKILL)

    def restart(self, node):
        """The machine is switched on again."""
        daemon("slurmd", "-N", node, env=self.environment)

    def of_node(self, node):
        """Processes that have the node's log open (slurmd and its steps), and their descendants."""
        log = self.place / f"slurmd.{node}.log"
        return with_descendants(pid for pid in processes() if has_open(pid, log))

    def stop(self):
        """Ends the daemons and everything that runs under them."""
        logs = [*self.place.glob("slurmd.*.log"), self.place / "slurmctld.log", self.place / "munged.log"]
        signal_all(with_descendants(pid for pid in processes() if any(has_open(pid, log) for log in logs)),
                   signal.SIGKILL)


def processes():
    return [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]


def has_open(pid, path):
    """Whether a process other than a reader of logs has this file open."""
    try:
        return pid != os.getpid() and any(os.readlink(each) == str(path) for each in pathlib.Path(f"/proc/{pid}/fd").iterdir()) \
            and pathlib.Path(f"/proc/{pid}/comm").read_text().startswith(("slurm", "munged"))
    except OSError:
        return False  # it has ended, or is somebody else's


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def with_descendants(pids):
    family = set(pids)
    while more := {pid for pid in processes() if parent_of(pid) in family} - family:
        family |= more
    return family


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("start", "lose", "stop"):
        command = commands.add_parser(name)
        command.add_argument("directory")
        if name == "start":
            command.add_argument("--nodes", type=int, default=4)
        if name == "lose":
            command.add_argument("node")
    asked = parser.parse_args()
    cluster = Cluster(asked.directory)
    try:
        if asked.command == "start":
            cluster.start(asked.nodes)
            print(f"export SLURM_CONF={cluster.environment['SLURM_CONF']}")
        elif asked.command == "lose":
            cluster.lose(asked.node)
        else:
            cluster.stop()
    except RuntimeError as error:
        cluster.stop()
        sys.exit(f"virtual_cluster: {error}")


if __name__ == "__main__":
    main()
