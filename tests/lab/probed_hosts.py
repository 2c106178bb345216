"""Four hosts on this machine for `gauntlet probe`: each has a network with one interface, a directory and a control group of its disk.

They share disk, cores and memory, so that probes of them run one after the other. What loads a host runs while that host is probed.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 600  # a guard against hanging
BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")
PORT = 7500
WITH_US = ["setpriv", "--pdeathsig", "KILL"]  # what runs beside the test does not outlive it, however that ends


def missing():
    """What these hosts need and this machine lacks; else nothing."""
    if os.geteuid() != 0:
        return "only root makes networks"
    if not any(pathlib.Path(folder, "ip").exists() for folder in ("/usr/sbin", "/sbin", "/usr/bin", "/bin")):
        return "iproute2 is not installed"
    if len(os.sched_getaffinity(0)) < 2:
        return "a core is found to be busy beside another one"
    return ""


def slow_disk_missing(directory):
    if not (BLKIO / "blkio.throttle.write_bps_device").exists():
        return "the kernel does not throttle disks (blkio of cgroup v1)"
    if not os.path.exists(f"/sys/dev/block/{device_of(directory)}"):
        return "the directory is on no disk"
    return ""


def device_of(directory):
    number = os.stat(directory).st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def run(*words):
    subprocess.run(words, check=True, capture_output=True, timeout=SECONDS_MAX)


class Namespace:
    """A network that a process of ours holds."""

    def __init__(self):
        self.holder = subprocess.Popen([*WITH_US, "unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        end = time.monotonic() + SECONDS_MAX
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own and time.monotonic() < end:
            time.sleep(0.01)
        self.path = f"/proc/{self.holder.pid}/ns/net"
        self.run("ip", "link", "set", "lo", "up")

    def words(self, *words):
        return ["nsenter", "--net=" + self.path, *words]

    def run(self, *words):
        run(*self.words(*words))

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Host:
    def __init__(self, number, bridge, place):
        self.number, self.name = number, f"10.98.0.{number + 1}"
        self.network = Namespace()
        self.directory = place / f"host-{number}"
        self.directory.mkdir()
        self.report = place / f"host-{number}.json"
        self.group = None
        port = f"host{number}"
        bridge.run("ip", "link", "add", port, "type", "veth", "peer", "name", "data0", "netns", str(self.network.holder.pid))
        bridge.run("ip", "link", "set", port, "master", "data", "up")
        self.network.run("ip", "address", "add", self.name + "/24", "dev", "data0")
        self.network.run("ip", "link", "set", "data0", "up")
        self.server = None

    def listen(self, secret):
        self.server = subprocess.Popen(
            [*WITH_US, *self.network.words(GAUNTLET, "probe", "--serve", f"{self.name}:{PORT}", "--secret-file", str(secret))],
            stdout=subprocess.PIPE, text=True)
        line = self.server.stdout.readline()
        assert line.startswith("listens on "), line

    def throttle_disk(self, bytes_per_second):
        """Of what is probed here from now on."""
        self.group = BLKIO / f"gauntlet-probe-test-{os.getpid()}-{self.number}"
        self.group.mkdir()
        for way in ("read", "write"):
            (self.group / f"blkio.throttle.{way}_bps_device").write_text(f"{device_of(self.directory)} {bytes_per_second}")

    def heal_disk(self):
        if self.group:
            self.group.rmdir()
        self.group = None

    def probe(self, *words, hog=None):
        """The report; with `hog`, another program uses that core meanwhile."""
        enter = None
        if self.group:
            enter = lambda: (self.group / "cgroup.procs").write_text("0")  # noqa: E731
        with busy_core(hog) if hog is not None else contextlib.nullcontext():
            done = subprocess.run(self.network.words(GAUNTLET, "probe", "--directory", str(self.directory), "--json", *words),
                                  capture_output=True, text=True, check=False, timeout=SECONDS_MAX, preexec_fn=enter)
        assert done.returncode in (0, 3, 4), done.stderr
        self.report.write_text(done.stdout)
        return json.loads(done.stdout)

    def close(self):
        if self.server:
            self.server.kill()
            self.server.communicate()
        self.heal_disk()
        self.network.close()


@contextlib.contextmanager
def busy_core(core):
    hog = subprocess.Popen([*WITH_US, "taskset", "--cpu-list", str(core), "sh", "-c", "while :; do :; done"])
    try:
        used = pathlib.Path(f"/proc/{hog.pid}/schedstat")  # nanoseconds on a core
        end = time.monotonic() + SECONDS_MAX
        while int(used.read_text().split()[0]) < 100_000_000 and time.monotonic() < end:
            time.sleep(0.01)
        yield
    finally:
        hog.kill()
        hog.wait()


@contextlib.contextmanager
def hosts(count=4):
    """Hosts that listen for each other, and the file of their secret."""
    with contextlib.ExitStack() as stack:
        place = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gauntlet-probed-")))
        secret = place / "secret"
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        bridge = Namespace()
        stack.callback(bridge.close)
        bridge.run("ip", "link", "add", "data", "type", "bridge")
        bridge.run("ip", "link", "set", "data", "up")
        made = []
        for number in range(count):
            host = Host(number, bridge, place)
            stack.callback(host.close)
            host.listen(secret)
            made.append(host)
        yield made, secret


def neighbours_of(host, all_hosts):
    return ",".join(f"{each.name}:{PORT}" for each in all_hosts if each is not host)


def finding(report, probe):
    return next(each for each in report["probes"] if each["probe"] == probe)


def bad_probes(report):
    return {each["probe"]: each["why"] for each in report["probes"] if each["verdict"] in ("degraded", "fail")}
