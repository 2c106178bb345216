"""What a type checker and an editor see: the module as its annotations describe it, and options as the commands have them."""

import ast
import inspect
import pathlib
import re
import typing
import unittest

import gauntlet
from command import ran
from gauntlet import _gauntlet

PACKAGE = pathlib.Path(gauntlet.__file__).resolve().parent
STUDIES = {name: getattr(gauntlet, name) for name in ("run", "compare", "sweep", "tune", "plan", "rank", "scale", "step")}
# Options that a keyword has another name for, or Python another way.
ELSEWHERE = {"help", "help-all", "json", "quiet", "set", "with"}
# The last three are settings of policies.
OPERANDS = {"scenario", "others", "changes", "progress", "checkpoint", "detectors", "recovery"}


def described():
    """{name: names within it} of _gauntlet.pyi"""
    names = {}
    for node in ast.parse((PACKAGE / "_gauntlet.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = set()
    return names


def public(of):
    return {name for name in vars(of) if not name.startswith("_")}


class Annotations(unittest.TestCase):
    def test_the_module_is_as_described(self):
        found = {name: public(getattr(_gauntlet, name)) if inspect.isclass(getattr(_gauntlet, name)) else set()
                 for name in public(_gauntlet)}
        self.assertEqual(found, described())

    def test_every_public_function_has_types_and_words(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        self.assertEqual(set(gauntlet.__all__), {name for name in public(gauntlet) if not inspect.ismodule(getattr(gauntlet, name))})
        for name in gauntlet.__all__:
            thing = getattr(gauntlet, name)
            members = {name: thing}
            if inspect.isclass(thing):
                members = {f"{name}.{member}": getattr(value, "func", getattr(value, "fget", value))
                           for member, value in vars(thing).items() if not member.startswith("_")}
                self.assertTrue(thing.__doc__, name)
            for where, function in members.items():
                if inspect.isfunction(function):
                    self.assertTrue(function.__doc__, where)
                    signature = inspect.signature(function)
                    self.assertIsNot(signature.return_annotation, inspect.Signature.empty, where)
                    for parameter in signature.parameters.values():
                        if parameter.name != "self":
                            self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{where}: {parameter.name}")

    def test_types_name_things_that_exist(self):
        import numpy as np
        import pandas as pd
        for name in gauntlet.__all__:
            thing = getattr(gauntlet, name)
            if inspect.isfunction(thing):
                typing.get_type_hints(thing, localns={"pd": pd})
            elif inspect.isclass(thing) and thing.__module__ == "gauntlet.results":
                for member in vars(thing).values():
                    function = getattr(member, "func", member)
                    if inspect.isfunction(function):
                        typing.get_type_hints(function, localns={"np": np, "pd": pd})


class Keywords(unittest.TestCase):
    def test_are_the_options_of_the_commands(self):
        for name, study in STUDIES.items():
            options = set(re.findall(r"^  (?:-\w,)?--([a-z-]+)", ran(name, "--help").stdout, re.M)) - ELSEWHERE
            keywords = {each.replace("_", "-") for each in inspect.signature(study).parameters if each not in OPERANDS}
            self.assertEqual(keywords, options, name)

    def test_are_in_the_words_of_the_function(self):
        common = set(inspect.signature(gauntlet.run).parameters)
        for name, study in STUDIES.items():
            for keyword in inspect.signature(study).parameters:
                if name == "run" or keyword not in common:
                    self.assertRegex(study.__doc__, rf"\b{keyword}\b", name)


if __name__ == "__main__":
    unittest.main()
