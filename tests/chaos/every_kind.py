"""One fault of each kind that a lab can bring about, on eight hosts: each must be detected, localised and recovered.

    GAUNTLET=build/gauntlet python3 tests/chaos/every_kind.py
"""
import dataclasses
import json
import os
import pathlib
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lab"))
import labs  # noqa: E402

import disturbed  # noqa: E402
import models  # noqa: E402

BASE = pathlib.Path("tests/chaos/every-kind.toml").resolve()
JOB = "job"  # a fault of the whole job: no host is named
NOBODY = "nobody"  # policies must not notice it
ONE_STAGE = """
[job.layout]
tp = 1
pp = 1
dp = 8

# It compares five or more hosts of a pipeline stage.
[detection.fail_slow]
continuity = "3s"
"""
# A packet that is lost delays its step by 200 ms or more, and not every step loses one.
OFTEN_SLOW = """
[detection.mfu]
lasting = "2s"
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    at: float  # seconds after the drill began; far enough from the others that each is over before the next
    model: str
    component: int
    who: object = None  # JOB, NOBODY, or the hosts that must be named: that of the component's number, where nothing is said
    settings: dict = dataclasses.field(default_factory=dict)

    @property
    def named(self):
        return set() if self.who in (JOB, NOBODY) else set(self.who or (self.component,))


@dataclasses.dataclass(frozen=True)
class Part:
    """One drill, short enough that it is repeated soon where it fails."""
    what: str
    steps: int
    faults: list
    head: str = ""


def lasting(seconds, **more):
    return {"heals_after": f'"{seconds}s"', **more}


PARTS = [
    Part("ranks", 200, [
        Fault(0, "init_container_failure", 6, (6, 7), {"chance": "0.04"}),  # the seed draws these two
        Fault(12, "gpu_lost", 1), Fault(24, "mount_lost", 7), Fault(36, "gsp_timeout", 6), Fault(54, "collective_hang", 0),
        Fault(72, "page_compaction", 2, settings=lasting(10)), Fault(92, "nccl_error", 3)]),
    # The line of an outage of storage is in the log of host 0.
    Part("hosts and job", 170, [
        Fault(8, "host_crash", 4), Fault(30, "storage_outage", 0, settings=lasting(10)), Fault(52, "gpu_ecc_correctable", 7),
        Fault(60, "loss_spike", 0, JOB, lasting(3, loss="40.0")), Fault(68, "nan_loss", 0, JOB),
        Fault(76, "planned_restart", 0, JOB, lasting(2))]),
    # No detector names the host of a slow link: all ranks of a ring wait alike, and a person is told of the job.
    Part("links", 150, [Fault(10, "nic_flap", 5, settings=lasting(10)), Fault(36, "nic_lost", 2),
                        Fault(58, "degraded_link", 5, JOB, lasting(10, factor="4.0"))]),
    Part("control plane", 180, [
        Fault(6, "clock_step", 5, NOBODY), Fault(10, "repeated_heartbeats", 6, NOBODY, lasting(4)),
        Fault(16, "agent_partition", 3, settings=lasting(9)), Fault(38, "late_heartbeats", 2, settings=lasting(9)),
        Fault(58, "lossy_link", 1, JOB, lasting(20, factor="320.0"))], OFTEN_SLOW),
    Part("storage and memory", 120, [
        Fault(8, "disk_full", 4), Fault(26, "checkpoint_damaged", 0, NOBODY), Fault(30, "memory_pressure", 1)]),
    Part("slow parts", 120, [Fault(16, "slow_gpu", 3, settings=lasting(10, factor="4.0")),
                             Fault(40, "slow_host", 6, settings=lasting(10, factor="4.0"))], ONE_STAGE),
]


def way(does):
    """What is done to bring a fault about, without the log line that comes with some."""
    return re.sub(r",? ?(and )?a log line \w+", "", does).split(";")[0]


def text_of(part):
    """The scenario of a part; where nothing strikes at a time, the fault strikes starts."""
    faults = [(each.model, None if "chance" in each.settings else each.at, each.component, each.settings) for each in part.faults]
    return models.scenario(faults, part.head, BASE)


def said_of(log, since, until):
    """When people were told or the job was stopped, in seconds, and which hosts were named, between two times of a drill."""
    when, hosts = None, set()
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        at = event["at_ns"] / 1e9
        if event.get("event") != "order" or not since <= at < until or event["kind"] not in ("Stop", "Alert", "Evict"):
            continue
        when = at if when is None else when
        named = re.fullmatch(r"host:(\d+)", event.get("who", ""))
        hosts |= {int(named[1])} if named else {event["host"]} if event["kind"] == "Evict" else set()
    return when, hosts


def check(part, drill):
    """A row for each fault, and what is wrong with it."""
    log = drill.disk.folder / "drill.log"
    rows, wrong = [], list(drill.problems)
    planned = re.search(r"(\d+) of (\d+) planned faults were injected", drill.said)
    if not planned or planned[1] != planned[2]:
        wrong.append(f"{part.what}: {planned[0] if planned else 'nothing was injected'}")
    ends = [each.at for each in part.faults[1:]] + [float("inf")]
    for fault, until in zip(part.faults, ends):
        when, hosts = said_of(log, fault.at, until)
        if (when is None) != (fault.who == NOBODY):
            wrong.append(f"{fault.model}: is {'not ' if when is None else ''}noticed")
        elif hosts != fault.named:
            wrong.append(f"{fault.model}: names {sorted(hosts) or 'no host'}, not {sorted(fault.named) or 'no host'}")
        rows.append((fault.model, "-" if when is None else f"{when - fault.at:.1f} s",
                     ", ".join(f"host {each}" for each in sorted(hosts)) or fault.who or "-", models.listed()[fault.model][1]))
    return rows, wrong


def drill(part):
    with disturbed.Disk() as disk:
        settings = ("--set", f"job.steps={part.steps}")
        done = disturbed.Disturbed(disk, text_of(part), [], *settings, log=disk.folder / "drill.log", tells=True).run()
        return check(part, done)


def main():
    if labs.missing():
        sys.exit(f"a drill of each kind needs a lab, and {labs.missing()}")
    begin, rows, wrong = time.monotonic(), [], []
    for part in PARTS:
        if len(sys.argv) > 1 and part.what not in sys.argv[1:]:
            continue
        print(f"--- {part.what}: {', '.join(fault.model for fault in part.faults)}", flush=True)
        more, problems = drill(part)
        rows, wrong = rows + more, wrong + problems
    print(f"\n{'fault':24} {'noticed after':14} {'named':10} what was done")
    for model, when, hosts, does in rows:
        print(f"{model:24} {when:14} {hosts:10} {does}")
    print("\nNot injected")
    for model, (how, why) in models.listed().items():
        if how == "none":
            print(f"{model:24} {why}")
    drilled = {way(models.listed()[fault.model][1]) for part in PARTS for fault in part.faults}
    wrong += [f"no fault of this kind is drilled: {each}" for each in
              sorted({way(does) for how, does in models.listed().values() if how != "none"} - drilled)]
    print(f"\n{len(rows)} faults in {time.monotonic() - begin:.0f} s:", *(wrong or ["each was detected, localised and recovered"]), sep="\n  ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
