#!/usr/bin/env python3
"""Runs the fuzzers of a build folder: `make fuzz` each for a time, the suite each for a fixed number of runs.

    tests/fuzz/fuzz.py build-fuzz/tests/fuzz --seconds 60                    all, one after another
    tests/fuzz/fuzz.py build-fuzz/tests/fuzz --seconds 600 scenario trace    these
    tests/fuzz/fuzz.py build-asan-ubsan/tests/fuzz --short manifest          as the suite does

An input that breaks something is left in BUILD/found, with the command that repeats it. Each run starts from the inputs in
tests/fuzz/corpus/NAME, where those that once broke something are, too.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# For each fuzzer: bytes of its longest input, runs of the short form, its words, and inputs beside its corpus.
FUZZERS = {
    "agent": dict(most=4096, runs=50000),
    "certificate": dict(most=4096, runs=20000),
    "clock": dict(most=1024, runs=50000),
    "codec": dict(most=256, runs=50000),
    "control": dict(most=2048, runs=50000),
    "manifest": dict(most=1024, runs=50000),
    "mpi": dict(most=4096, runs=100000),
    "rank": dict(most=1024, runs=50000),
    "recording": dict(most=4096, runs=50000),
    "row": dict(most=4096, runs=20000),
    "scenario": dict(most=16384, runs=600, words="scenario.dict", beside=["scenarios"]),
    "shard": dict(most=1024, runs=50000),
    "slurm": dict(most=1024, runs=50000),
    "trace": dict(most=16384, runs=2500, words="trace.dict"),
}
# An input of a few KB asks for no more than this, and takes no longer, even under the sanitizers on a loaded machine.
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=64", "-timeout=30"]


def command(build, name, grown, found, length):
    about = FUZZERS[name]
    words = [f"-dict={HERE / about['words']}"] if "words" in about else []
    inputs = [grown, HERE / "corpus" / name, *about.get("beside", [])]
    return [build / f"fuzz_{name}", *LIMITS, f"-max_len={about['most']}", f"-artifact_prefix={found}/{name}-",
            "-print_final_stats=1", *words, *length, *inputs]


def run(build, name, length):
    """Whether the fuzzer found nothing."""
    found = build / "found"
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-") as grown:  # libFuzzer writes what reaches new code into the first
        ran = subprocess.run([str(word) for word in command(build, name, grown, found, length)], cwd=ROOT,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = ran.stdout.decode(errors="replace")
    runs = re.findall(r"number_of_executed_units:\s*(\d+)", text)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", text)
    if ran.returncode == 0 and runs:
        edges, features = covered[-1] if covered else ("no", "no")
        print(f"fuzz {name}: {runs[-1]} runs, {edges} edges, {features} features, nothing found", flush=True)
        return True
    print(text[-8000:])
    inputs = re.findall(r"Test unit written to (\S+)", text)
    for path in inputs:
        print(f"fuzz {name}: repeat with: {build / f'fuzz_{name}'} {path}", flush=True)
    if not inputs:
        print(f"fuzz {name}: ended with {ran.returncode} before it ran", flush=True)
    return False


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path, help="the folder of the fuzzers' programs")
    options.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FUZZERS)}; default: all")
    length = options.add_mutually_exclusive_group(required=True)
    length.add_argument("--seconds", type=int, help="how long each runs, from a new seed")
    length.add_argument("--short", action="store_true", help="the committed inputs and a fixed number of runs of a fixed seed")
    given = options.parse_intermixed_args()
    if unknown := set(given.names) - set(FUZZERS):
        options.error(f"there is no fuzzer {', '.join(sorted(unknown))}")
    build = given.build.resolve()
    good = True
    for name in given.names or FUZZERS:
        how = ["-seed=1", f"-runs={FUZZERS[name]['runs']}"] if given.short else [f"-max_total_time={given.seconds}"]
        good = run(build, name, how) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
