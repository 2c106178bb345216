"""The scenarios of fixed seeds, for `make test` and `make check-all`."""
import pathlib
import sys

from generator import written
from swarm import Swarm

MOST_REFUSED = 0.1  # of the scenarios, at first
MOST_TOO_LONG = 0.02  # of the scenarios


def try_scenarios(test, seeds):
    """Every property that a seed chooses holds, and most scenarios are valid as they were made."""
    swarm = Swarm(pathlib.Path("swarm-found"))
    failures = [failure for failure in map(swarm.one, seeds) if failure]
    print(swarm.summary(), file=sys.stderr)
    test.assertEqual(failures, [], "\n".join(failures))
    test.assertLess(swarm.counts["refused at first"], max(5, MOST_REFUSED * len(seeds)))
    test.assertLess(swarm.counts["too many observations"], max(2, MOST_TOO_LONG * len(seeds)))
    return swarm


def unwritten_keys(swarm, seeds):
    """Keys of the schema that none of these scenarios has, but for notes on where a number is from."""
    found = set()
    for seed in seeds:
        found |= written(swarm.generator.scenario(seed), swarm.generator.leaves)
    return sorted(".".join(path) for path in set(swarm.generator.leaves) - found if path[-1] != "source")
