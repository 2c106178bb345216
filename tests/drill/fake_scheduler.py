"""A scheduler of hosts for tests: a file of JSON says where each host is and what became of it.

    python3 tests/drill/fake_scheduler.py STATE evict HOST REASON
    python3 tests/drill/fake_scheduler.py STATE acquire HOST         prints NAME ADDRESS of a host that is free
    python3 tests/drill/fake_scheduler.py STATE readmit HOST

Exit code 1, with why, where it cannot be done.
"""
import fcntl
import json
import pathlib
import sys


def free(addresses):
    return {name: {"address": address, "state": "free", "reason": ""} for name, address in addresses.items()}


def evict(hosts, name, reason):
    hosts[name].update(state="drained", reason=reason)


def acquire(hosts, name):
    for other, host in hosts.items():
        if host["state"] == "free":
            host["state"] = "given"
            print(other, host["address"])
            return
    sys.exit(f"no host is free in place of {name}")


def readmit(hosts, name):
    if hosts[name]["state"] != "drained":
        sys.exit(f"{name} is not drained")
    hosts[name].update(state="given", reason="")


def main(state, command, *arguments):
    path = pathlib.Path(state)
    with path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = json.loads(path.read_text(encoding="utf-8"))
        kept["calls"].append([command, *arguments])
        try:
            {"evict": evict, "acquire": acquire, "readmit": readmit}[command](kept["hosts"], *arguments)
        finally:  # whoever reads it finds it whole
            new = path.with_suffix(".new")
            new.write_text(json.dumps(kept), encoding="utf-8")
            new.replace(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
