"""Scenarios as trees of dictionaries, and their TOML. A dictionary of the class Inline is written on one line."""
import json
import re


class Inline(dict):
    """A table that is written in braces, such as a distribution."""


def key_text(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def value_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        return text if re.search(r"[.en]", text) else text + ".0"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return "{ " + ", ".join(f"{key_text(key)} = {value_text(each)}" for key, each in value.items()) + " }"


def is_table(value):
    return isinstance(value, dict) and not isinstance(value, Inline)


def to_toml(tree, path=()):
    """The text of a tree; values of a table come before the tables in it."""
    lines = [f"{key_text(key)} = {value_text(value)}" for key, value in tree.items() if not is_table(value)]
    if path and (lines or not tree):
        lines.insert(0, "[" + ".".join(key_text(key) for key in path) + "]")
    for key, value in tree.items():
        if is_table(value):
            text = to_toml(value, (*path, key))
            if text:
                lines += ([""] if lines else []) + text.rstrip("\n").split("\n")
    return "\n".join(lines) + "\n" if lines else ""


def find(tree, path):
    """The value at `path`, a tuple of keys; None where there is none."""
    for key in path:
        if not isinstance(tree, dict) or key not in tree:
            return None
        tree = tree[key]
    return tree


def put(tree, path, value):
    for key in path[:-1]:
        tree = tree.setdefault(key, {})
    tree[path[-1]] = value


def drop(tree, path):
    """Removes what is at `path`, and says whether anything was there."""
    above = find(tree, path[:-1])
    if not isinstance(above, dict) or path[-1] not in above:
        return False
    del above[path[-1]]
    return True


def key_paths(tree, path=()):
    """The path of every key, tables before what is in them."""
    for key, value in tree.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from key_paths(value, (*path, key))
