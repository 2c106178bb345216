"""The processes of a drill, found by the locks that they hold in its directory, and what can be done to them."""
import contextlib
import fcntl
import os
import pathlib
import signal
import struct
import subprocess

FLOCK = "hhqqi"  # struct flock of Linux on 64 bits: type, whence, start, length, process


class Process:
    """A process that cannot become another one: a handle of the kernel (pidfd)."""

    def __init__(self, pid):
        self.pid, self.handle = pid, os.pidfd_open(pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.handle)

    def send(self, what):
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, what)


def holder(lock):
    """The process that holds a lock file, or nothing. It is the same one once its handle is open."""
    def process_id():
        with contextlib.suppress(OSError), open(lock, "rb") as file:
            asked = struct.pack(FLOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack(FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, asked))
            return pid if kind != fcntl.F_UNLCK else None
        return None

    pid = process_id()
    if not pid:
        return None
    try:
        found = Process(pid)
    except ProcessLookupError:
        return None
    if process_id() == pid:
        return found
    os.close(found.handle)
    return None


def agent(directory, host):
    return holder(directory / f"agent-{host}.lock")


def watchdog(directory, host):
    return holder(directory / f"undo-{host}.lock")


def keeper(directory, _host):
    return holder(directory / "lab-keeper.lock")


def rank(directory, host):
    """A child of the agent that is neither its watchdog nor its checkpointer; nothing where the host has no rank now."""
    with contextlib.ExitStack() as open_handles:
        beside = {each.pid for each in (watchdog(directory, host),) if each and open_handles.enter_context(each)}
        above = agent(directory, host)
        if not above:
            return None
        open_handles.enter_context(above)
        with contextlib.suppress(OSError):
            children = pathlib.Path(f"/proc/{above.pid}/task/{above.pid}/children").read_text(encoding="ascii").split()
            for pid in sorted({int(each) for each in children} - beside):
                if b"agent-checkpointer" not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                    return Process(pid)
    return None


class ControlLink:
    """The management interface of a host of the lab, which is down until undo()."""

    def __init__(self, process):
        self.network = os.open(f"/proc/{process.pid}/ns/net", os.O_RDONLY)
        self.set("down")

    def set(self, state):
        subprocess.run(["nsenter", f"--net=/proc/{os.getpid()}/fd/{self.network}", "ip", "link", "set", "mgmt0", state], check=True,
                       capture_output=True)

    def undo(self):
        self.set("up")
        os.close(self.network)


class FullDisk:
    """No space on the disk with that folder until undo(). The disk is the caller's own."""

    def __init__(self, folder):
        self.filler = folder / "filler"
        with open(self.filler, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):  # what is left then is less than a page
                with contextlib.suppress(OSError):
                    while file.write(b"\0" * size):
                        pass

    def undo(self):
        self.filler.unlink(missing_ok=True)


class Stopped:
    """A process that does not run until undo()."""

    def __init__(self, process):
        self.process = process
        process.send(signal.SIGSTOP)

    def undo(self):
        self.process.send(signal.SIGCONT)
        os.close(self.process.handle)
