"""A drill with faults of the catalogue, of which whatever belongs to it fails too, at moments drawn from a seed.

    GAUNTLET=build/gauntlet python3 tests/chaos/chaos.py --seed 7
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lab"))
import labs  # noqa: E402

import disturbed  # noqa: E402
import models  # noqa: E402
import schedule  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=3, help="of the catalogue")
    parser.add_argument("--disturbances", type=int, default=5, help="of what belongs to the drill")
    parser.add_argument("--steps", type=int, default=150, help="of the job, each of 100 ms")
    asked = parser.parse_args()
    if labs.missing():
        sys.exit(f"chaos needs a lab, and {labs.missing()}")
    seconds = asked.steps / 10
    faults = models.random_faults(asked.seed, asked.faults, (2, seconds))
    disturbances = schedule.drawn(asked.seed, asked.disturbances, seconds + 8)
    print("Planned", *map(models.text_of, faults), *disturbances, "\nDone", sep="\n", flush=True)
    with disturbed.Disk() as disk:
        drill = disturbed.Disturbed(disk, models.scenario(faults), disturbances, "--set", f"job.steps={asked.steps}", tells=True).run()
        print(f"the drill is over after {drill.took:.0f} s, with {drill.drivers} drivers")
        if drill.problems:
            print(*drill.problems, "repeat it: python3 tests/chaos/chaos.py " + " ".join(f"--{key} {value}" for key, value in vars(asked).items()), sep="\n")
    sys.exit(1 if drill.problems else 0)


if __name__ == "__main__":
    main()
