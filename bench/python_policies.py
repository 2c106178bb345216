"""What a decision of a policy in Python costs: the CPU time of a study with it, less that of the same study without, for each call of a hook.

    PYTHONPATH=build/python python3 bench/python_policies.py
"""

import pathlib
import sys
import time

import gauntlet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))
from policies import Daly  # noqa: E402

REPLICAS = 200
SETTINGS = {"policies.checkpoint": "daly"}
calls = [0]


class Counted(Daly):
    """Counts its hooks; left out where time is measured."""


for hook in ("start", "training_began", "seen", "stopped_by_fault"):
    def counted(self, *given, hook=getattr(Daly, hook)):
        calls[0] += 1
        hook(self, *given)
    setattr(Counted, hook, counted)


def cpu(scenario, policy, threads):
    begun = time.process_time()
    gauntlet.run(scenario, replicas=REPLICAS, threads=threads, checkpoint=policy)
    return time.process_time() - begun


def best(scenario, policy, threads=1):
    return min(cpu(scenario, policy, threads) for _ in range(5))


def main():
    scenario = gauntlet.load(sys.argv[1] if len(sys.argv) > 1 else "llama3-405b-54d", set=SETTINGS)
    cpu(scenario, Counted, 1)
    hooks = calls[0]
    shipped, python = best(scenario, "daly"), best(scenario, Daly)
    print(f"{hooks:,} hooks in {REPLICAS} replicas, the one before them and its repetition")
    print(f"shipped {shipped / REPLICAS * 1e3:.2f} ms a replica, in Python {python / REPLICAS * 1e3:.2f} ms")
    print(f"{(python - shipped) / hooks * 1e6:.2f} us a hook, with the extra replica")
    print(f"four threads: {best(scenario, Daly, 4) / REPLICAS * 1e3:.2f} ms of CPU a replica")


if __name__ == "__main__":
    main()
