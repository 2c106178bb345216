"""Makes a scenario that fails smaller, as long as it fails in the same way."""
import time

from toml_text import Inline, drop, find, key_paths, put

MOST_TRIES = 400
MOST_SECONDS = 120  # what hangs is tried for long each time


def merged(files):
    """What the files say together, in one: an upper file replaces values of a lower one and is merged into its tables."""
    names = list(files)
    tree = {}

    def lay(below, above):
        for key, value in above.items():
            both = isinstance(value, dict) and isinstance(below.get(key), dict) and not isinstance(value, Inline)
            if both:
                lay(below[key], value)
            else:
                below[key] = value

    for name in [*names[1:], names[0]]:
        lay(tree, files[name])
    tree.pop("extends", None)
    return {names[0]: tree}


def without(scenario, name, path):
    smaller = scenario.copy()
    drop(smaller.files[name], path)
    return smaller


def simpler_values(value):
    """What may stand in its place."""
    if isinstance(value, Inline) and "name" in value:
        return ["1min"]
    if isinstance(value, list) and len(value) > 1:
        return [value[:len(value) // 2], value[len(value) // 2:], value[:1]]
    return []


def candidates(scenario):
    """Smaller scenarios, the much smaller ones first."""
    if len(scenario.files) > 1:
        smaller = scenario.copy()
        smaller.files = merged(smaller.files)
        yield smaller
    for name, tree in scenario.files.items():
        paths = sorted(key_paths(tree), key=len)
        for path in paths:
            if path != ("extends",):
                yield without(scenario, name, path)
        for path in paths:
            for value in simpler_values(find(tree, path)):
                smaller = scenario.copy()
                put(smaller.files[name], path, value)
                yield smaller


def shrink(scenario, still_fails):
    """The smallest scenario that was found; every one that is kept fails."""
    tries, progress, end = 0, True, time.monotonic() + MOST_SECONDS
    while progress:
        progress = False
        for smaller in list(candidates(scenario)):
            if tries >= MOST_TRIES or time.monotonic() > end:
                return scenario
            # A candidate was made of the scenario of this round: what was dropped since is dropped again.
            if progress:
                smaller = intersection(scenario, smaller)
                if smaller is None:
                    continue
            tries += 1
            if still_fails(smaller):
                scenario, progress = smaller, True
    return scenario


def intersection(one, other):
    """What both have: None where that is all of `one`, or where they have other files."""
    if list(one.files) != list(other.files):
        return None
    both = other.copy()

    def keep(tree, of):
        for key in list(tree):
            if key not in of:
                del tree[key]
            elif isinstance(tree[key], dict) and isinstance(of[key], dict):
                keep(tree[key], of[key])
            elif isinstance(tree[key], list) and isinstance(of[key], list) and len(of[key]) < len(tree[key]):
                tree[key] = of[key]

    for name in both.files:
        keep(both.files[name], one.files[name])
    return None if both.files == one.files else both
