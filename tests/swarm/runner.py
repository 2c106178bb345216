"""Runs the command. What takes too long is stopped by the kernel, by the CPU time that it has used, not by the clock."""
import os
import pathlib
import resource
import subprocess

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SANITIZED = bool(os.environ.get("SANITIZED"))
CPU_SECONDS = 300 if SANITIZED else 20
# Nothing waits for anything, so this is only reached on a machine that is stopped.
WALL_SECONDS = 3600
MEMORY = None if SANITIZED else 4 << 30  # the sanitizers reserve terabytes of addresses


class Result:
    def __init__(self, words, folder, code, out, err):
        self.words, self.folder, self.code, self.out, self.err = words, folder, code, out, err

    @property
    def command(self):
        return "gauntlet " + " ".join(self.words)


def text_of(output):
    """A byte that is not UTF-8 is kept as a lone surrogate, so that whoever looks finds it (case.py)."""
    return output.decode("utf-8", errors="surrogateescape")


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(folder, *words):
    """`gauntlet WORDS` in a folder."""
    words = [str(each) for each in words]
    done = subprocess.run([GAUNTLET, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=WALL_SECONDS,
                          preexec_fn=limits, check=False)
    return Result(words, pathlib.Path(folder), done.returncode, text_of(done.stdout), text_of(done.stderr))
