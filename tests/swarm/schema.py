"""The keys of a scenario, as `gauntlet schema` has them, and random values that their types allow."""
import json
import math
import re
import subprocess

DEFAULT_SECONDS = 60.0
SECONDS = {"y": 365 * 86400.0, "w": 7 * 86400.0, "d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6,
           "ns": 1e-9}
ANY = "*"  # in a path: a name that the scenario chooses


def seconds_of(text):
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(r"([0-9.]+) ?([a-z]+)", text))


def load(gauntlet):
    """Path -> what the schema says of a key that is not a table; a path is a tuple of keys, with ANY for a name."""
    text = subprocess.run([gauntlet, "schema"], text=True, capture_output=True, check=True).stdout
    leaves = {}

    def walk(node, path):
        forms = [each for each in node.get("anyOf", ()) if "properties" in each]
        tables = [node] + [each for each in forms if "name" not in each.get("required", ())]
        inner = [each for each in tables if "properties" in each or isinstance(each.get("additionalProperties"), dict)]
        distribution = "exponential" in json.dumps(node) and "anyOf" in node and not any("parameters" in each.get(
            "properties", {}) for each in tables)
        if not inner or distribution:
            leaves[path] = node
            return
        for each in inner:
            for key, below in each.get("properties", {}).items():
                walk(below, (*path, key))
            if isinstance(each.get("additionalProperties"), dict):
                walk(each["additionalProperties"], (*path, ANY))

    walk(json.loads(text), ())
    return leaves


def kind_of(leaf):
    """What sort of value: choice, flag, whole, number, duration, law, quantity, or other."""
    text = json.dumps(leaf)
    if "enum" in leaf:
        return "choice"
    if "exponential" in text and leaf.get("anyOf"):
        return "law"
    kinds = {"boolean": "flag", "integer": "whole", "number": "number"}
    if leaf.get("type") in kinds:
        return kinds[leaf["type"]]
    pattern = leaf.get("pattern", "")
    if leaf.get("type") == "string" and "|w|d|h|" in pattern:
        return "duration"
    return "quantity" if pattern else "other"


def usual_number(leaf, chance):
    """Near the default, where there is one; else between the bounds, on a logarithmic axis."""
    low, high = leaf.get("minimum", leaf.get("exclusiveMinimum", 0)), leaf.get("maximum", math.inf)
    default = leaf.get("default") or 0
    value = default * chance.between(0.3, 3) if default else chance.between(max(low, 1e-3), min(high, 20) if high > 1e-3 else high)
    return min(max(value, low if "minimum" in leaf else low + 1e-6), high)


def random_value(leaf, chance):
    """A value of the leaf's type that is seldom far from usual; None where the schema does not say enough."""
    kind = kind_of(leaf)
    if kind == "choice":
        return chance.choice(leaf["enum"])
    if kind == "flag":
        return chance.happens(0.5)
    if kind == "number":
        return float(f"{usual_number(leaf, chance):.3g}")
    if kind == "whole":
        return int(usual_number(leaf, chance))
    if kind in ("duration", "law"):
        default = leaf.get("default") or ""
        seconds = (seconds_of(default) if isinstance(default, str) else 0) or DEFAULT_SECONDS
        if default == "0s" and chance.happens(0.1):
            return "0s"
        return chance.law(seconds) if kind == "law" else chance.duration(seconds / 10, seconds * 10)
    return None


def extreme_value(leaf, chance):
    """An end of what the schema allows."""
    kind = kind_of(leaf)
    if kind in ("whole", "number"):
        ends = [leaf[end] for end in ("minimum", "maximum") if end in leaf]
        if "exclusiveMinimum" in leaf:
            ends.append(leaf["exclusiveMinimum"] + 1e-9)
        return (int if kind == "whole" else float)(chance.choice(ends)) if ends else None
    if kind in ("duration", "law"):
        # Many of those that are not 0s by default may not be: a few of them show what a refusal looks like.
        may_be_zero = leaf.get("default") == "0s" or chance.happens(0.1)
        return chance.choice(("0s", "1ns", "1y", "100y") if may_be_zero else ("1ns", "1y", "100y"))
    return random_value(leaf, chance)
