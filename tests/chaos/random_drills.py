"""Seeded drills on eight hosts, each with random faults of all kinds and a kill -9 of its driver, an agent, a watchdog or a rank.

    GAUNTLET=build/gauntlet python3 tests/chaos/random_drills.py --drills 200
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lab"))
import labs  # noqa: E402

import disturbed  # noqa: E402
import models  # noqa: E402
import schedule  # noqa: E402

FAULTS = 2
STEPS = 60  # of 100 ms
BEGINS = 1.5  # seconds until the job trains: faults before that strike nobody


def drill(seed):
    """The drill of that seed, and what was planned for it: lines for people."""
    faults = models.random_faults(seed, FAULTS, (BEGINS, BEGINS + STEPS / 10))
    kills = schedule.drawn(seed, 1, BEGINS + STEPS / 10, schedule.KILLS)
    with disturbed.Disk() as disk:
        done = disturbed.Disturbed(disk, models.scenario(faults), kills, "--set", f"job.steps={STEPS}").run()
    return done, [*map(models.text_of, faults), *map(str, kills)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=1, help="seed of the first drill")
    parser.add_argument("--drills", type=int, default=200)
    asked = parser.parse_args()
    if labs.missing():
        sys.exit(f"these drills need a lab, and {labs.missing()}")
    begin, failed = time.monotonic(), []
    for seed in range(asked.first, asked.first + asked.drills):
        done, planned = drill(seed)
        print(f"--- seed {seed}, {done.took:.0f} s: {'; '.join(planned)}: {'; '.join(done.problems) or 'nothing is lost'}", flush=True)
        if done.problems:
            failed.append(seed)
            print(*done.story, f"repeat it: python3 tests/chaos/random_drills.py --first {seed} --drills 1", sep="\n")
    print(f"{asked.drills - len(failed)} of {asked.drills} drills lost nothing and left nothing, in {time.monotonic() - begin:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
