"""What the tests share that run one study under mpirun, and kill some rank of it."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, sweep, wait_until  # noqa: E402

REPLICAS = 1500
# Open MPI does not give back what its plugins allocated before it unloads them; a leak of our own shows without ranks too.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rank_of(pid):
    for word in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        if word.startswith(b"OMPI_COMM_WORLD_RANK="):
            return int(word.partition(b"=")[2])
    return None


class MpirunTest(StudyTest):
    def start(self, ranks, out, *options, command=tuple(sweep(REPLICAS)), study=()):
        words = ["mpirun", "-n", str(ranks), "--allow-run-as-root", "--oversubscribe", *options, GAUNTLET, *command, "--threads", "1",
                 "--out", str(out), *study]
        process = subprocess.Popen(words, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=ENVIRONMENT)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def ends(self, process):
        err = process.communicate(timeout=SECONDS_MAX)[1]
        return process.returncode, err

    def kill(self, process, rank, out):
        """kill -9, in the middle of the study."""
        wait_until(lambda: stored(out) >= REPLICAS / 4, "a quarter of a point is stored", process)
        victims = [pid for pid in children(process.pid) if rank_of(pid) == rank]
        self.assertEqual(len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)
