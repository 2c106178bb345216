"""Two classes of one namespace have two names, tests included. Programs that link both get the inline functions of one of them for
both, and no linker says so.

    python3 tests/tree/one_definition_test.py
"""

import collections
import re
import unittest

from house import LEXEMES, is_cpp, read_tree

STRUCTURE = re.compile(
    r"\bnamespace(?:\s+(?P<namespace>[\w:]+))?\s*\{"
    r"|(?P<enum>\benum\s+(?:class|struct)?)?(?<!friend )(?<!enum )\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(?P<class>\w+)(?:\s+final)?(?:\s*:(?!:)[^;{}()]*)?\s*\{"
    r"|(?P<open>\{)|(?P<close>\})")


def classes(text):
    """Namespace and name of each class that other files could name: neither within another one nor in an unnamed namespace."""
    inside = []  # a namespace's name, or None within anything else
    for found in STRUCTURE.finditer(LEXEMES.sub('""', text)):
        if found["close"]:
            inside.pop()
            continue
        if found["class"] and not found["enum"] and None not in inside and "" not in inside:
            yield "::".join(inside), found["class"]
        inside.append((found["namespace"] or "") if found[0].startswith("namespace") else None)


def complaints(tree):
    places = collections.defaultdict(list)
    for path, text in tree.items():
        if is_cpp(path):
            for name in classes(text):
                places[name].append(path)
    return [f"{namespace}::{name} is defined in {', '.join(paths)}: give each another name"
            for (namespace, name), paths in sorted(places.items()) if len(paths) > 1]


class OneDefinition(unittest.TestCase):
    def test_of_the_tree(self):
        self.assertEqual([], complaints(read_tree()))

    def test_flags_a_second_class_of_a_name(self):
        one = "namespace a {\nclass C final : public B {\n  struct In { int i; };\n};\n}  // namespace a\n"
        self.assertEqual(["a::C is defined in x.hpp, y.cpp: give each another name"],
                         complaints({"x.hpp": one, "y.cpp": "namespace a {\nvoid f() { g(); }\nstruct C {};\n}\n"}))

    def test_allows_what_cannot_meet(self):
        trees = ("namespace b {\nclass C {};\n}\n", "namespace a {\nnamespace {\nclass C {};\n}\n}\n",
                 "namespace a {\nclass C;\nenum class D { c };\nclass E {\n  class C {};\n};\n}\n",
                 "namespace a {\n// class C {}\nconst char* c = \"class C {\";\nstruct E::C {};\n}\n")
        for other in trees:
            self.assertEqual([], complaints({"x.hpp": "namespace a {\nclass C {};\n}\n", "y.cpp": other}), other)


if __name__ == "__main__":
    unittest.main()
