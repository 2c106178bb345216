"""What the tests of the module share: the command that it must agree with."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAUNTLET = os.environ["GAUNTLET"]


def ran(*words):
    return subprocess.run([GAUNTLET, *words], capture_output=True, text=True, check=False, cwd=ROOT)


def json_of(*words):
    done = ran(*words, "--json")
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def complaint_of(*words):
    """The lines of standard error of a command that refuses its input, without how many they are and where there is help."""
    done = ran(*words)
    assert done.returncode == 2, (words, done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    if lines[-1].split()[1:] in (["problem"], ["problems"]):
        lines.pop()
    return [line.removeprefix("gauntlet: ") for line in lines if not line.endswith('--help" lists what there is')]
