"""What a replica costs, and an interruption of it: instructions by callgrind, and CPU, of one build or of two.

    python3 bench/replicas.py build/tests/cost/replica_cost
    python3 bench/replicas.py OLD/tests/cost/replica_cost build/tests/cost/replica_cost

Counts are differences between two lengths of one program, so that starting and loading cancel. CPU is the user time of the same
difference without callgrind; the builds take turns, and the least of three is printed.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROUNDS = 3


def of_gpus(gpus):
    """The main job on so many GPUs for a month: its faults grow with its hosts."""
    hosts = gpus // 8
    return [f"cluster.hosts={hosts}", f"job.layout.dp={hosts // 16}", f"job.global_batch={hosts}", f"spares.count={max(32, hosts // 32)}",
            "job.window=30d"]


CASES = [
    ("llama3-405b-54d", "llama3-405b-54d", [], 5, 25),
    ("crosscheck/airesim-default", "crosscheck/airesim-default", [], 5, 25),
    ("every-fault", "every-fault", [], 2, 6),
] + [(f"{gpus:,} GPUs for 30 days", "llama3-405b-54d", of_gpus(gpus), few, many)
     for gpus, few, many in ((1024, 5, 45), (8192, 5, 25), (65_536, 2, 8), (1_048_576, 1, 3))]


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(done.stdout)


def instructions(words):
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *words])
        with open(counts, encoding="utf-8") as file:
            return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M)[1])


def measure(programs, scenario, sets, few, many):
    """By program: instructions of a replica, CPU seconds of one, and incidents of one."""
    out = []
    for program in programs:
        counts = [instructions([program, scenario, str(count), *sets]) for count in (few, many)]
        out.append({"instructions": (counts[1] - counts[0]) / (many - few), "cpu": []})
    for _ in range(ROUNDS):
        for program, of in zip(programs, out):
            short, least = run([program, scenario, str(few), *sets])
            long, most = run([program, scenario, str(many), *sets])
            of["cpu"].append(max(0.0, long - short) / (many - few))
            of["incidents"] = (most["incidents"] - least["incidents"]) / (many - few)
    for of in out:
        of["cpu"] = min(of["cpu"])
    return out


def main(programs):
    if not 1 <= len(programs) <= 2:
        sys.exit(__doc__)
    print("| a replica | million instructions | ms of CPU | thousand instructions an incident |" + (" ratio |" if programs[1:] else ""))
    print("|---|---:|---:|---:|" + ("---:|" if programs[1:] else ""))
    for name, scenario, sets, few, many in CASES:
        all_of = measure(programs, scenario, sets, few, many)
        cells = [" -> ".join(f"{of['instructions'] / 1e6:.2f}" for of in all_of), " -> ".join(f"{1e3 * of['cpu']:.2f}" for of in all_of),
                 " -> ".join(f"{of['instructions'] / 1e3 / max(of['incidents'], 1):.1f}" for of in all_of)]
        if programs[1:]:
            cells.append(f"{all_of[1]['instructions'] / all_of[0]['instructions']:.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
