"""CPU time that an agent takes beside its rank: marks, heartbeats, leases, signals.

    GAUNTLET=build/gauntlet python3 bench/agent_cost.py [SCENARIO [OPTION...]]

Drills without faults, with steps of 100 ms, and prints the CPU time of each agent between two looks: for each 100 ms, and for each step, which takes longer on a busy
machine. An agent's CPU time is what the scheduler counts for its threads (/proc/PID/task/*/schedstat), in nanoseconds.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SECONDS = 10  # between the two looks


def agents(place):
    """Process ids by host."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if "agent" in line and any(word.startswith(place) for word in line):
            found[int(line[line.index("--host") + 1])] = int(entry.name)
    return found


def cpu_ns(pid):
    return sum(int(task.read_text(encoding="ascii").split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def steps(place):
    """Steps that rank 0 has completed."""
    text = "".join(file.read_text(errors="replace") for file in pathlib.Path(place).glob("gauntlet-drill-*/progress"))
    return max(map(int, re.findall(r" step (\d+) ", text)), default=0)


def main():
    scenario, *more = sys.argv[1:] or ["drills/every-signal"]
    user = ["--run-as", "nobody"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o711)
        command = [os.environ["GAUNTLET"], "drill", scenario, "--hosts", "4", "--no-faults", *user, "--set", "job.step_time=100ms", "--set",
                   "job.steps=100000", *more]
        drill = subprocess.Popen(command, env=dict(os.environ, TMPDIR=place), stdout=subprocess.DEVNULL)
        try:
            while steps(place) < 20:  # starting is not counted
                if drill.poll() is not None:
                    sys.exit("the drill ended")
                time.sleep(0.1)
            hosts = agents(place)
            before, first = {host: cpu_ns(pid) for host, pid in hosts.items()}, steps(place)
            began = time.monotonic()
            time.sleep(SECONDS)
            took = time.monotonic() - began
            after, last = {host: cpu_ns(pid) for host, pid in hosts.items()}, steps(place)
        finally:
            drill.terminate()
            drill.wait()
    for host in sorted(hosts):
        used = (after[host] - before[host]) / 1e6
        print(f"host {host}: {used / took / 10:.2f} ms of CPU per 100 ms, {used / (last - first):.2f} ms per step of {last - first}")


if __name__ == "__main__":
    main()
