"""What drills may leave behind on this machine, found by the directory in which they ran."""
import os
import pathlib


def processes(place):
    """Command lines, by process id, of those that got the directory as TMPDIR, have it open or work in it."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "environ").read_bytes().split(b"\0") + (entry / "cmdline").read_bytes().split(b"\0")
            if any(word == b"TMPDIR=" + os.fsencode(place) or word.startswith(os.fsencode(place) + b"/") for word in words):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended
    return found


def groups(ids):
    """Control groups of labs whose drills have these ids."""
    roots = (pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup"))
    return sorted(str(root / f"gauntlet-lab-{each}") for root in roots for each in ids if (root / f"gauntlet-lab-{each}").exists())


def lines_with(path, place):
    return [line for line in pathlib.Path(path).read_text(errors="replace").splitlines() if str(place) in line]


def of(place, ids, kept=()):
    """By kind, all that is left of the drills with these ids in that directory; `kept` are names there that may stay."""
    left = {
        "processes": processes(place),
        "control groups": groups(ids),
        "mounts": [line for line in lines_with("/proc/self/mountinfo", place) if line.split()[4] != str(place)],
        "sockets": lines_with("/proc/net/unix", place),
        "files": sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.relative_to(place).parts[0] not in kept),
        "shared memory": sorted(name for name in os.listdir("/dev/shm") if any(each in name for each in ids)),
    }
    return {kind: what for kind, what in left.items() if what}
