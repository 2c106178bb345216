"""A class that changes its own private state is small: at most 20 data members in `sim/` and `policies/`. One that needs more owns
several things, which are parts of their own.

    python3 tests/tree/members_test.py
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("sim", "policies")
MOST = 20

COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'|^\s*#[^\n]*', re.S | re.M)
CLASS = re.compile(r"(?<!enum )\b(class|struct)\s+(\w+)(?:\s+final)?(?:\s*:(?!:)[^;{}()]*)?\s*\{")
LABEL = re.compile(r"^\s*(public|private|protected)\s*:(?!:)")
NO_DATA = re.compile(r"^(using|typedef|friend|static|static_assert|enum|template|union|explicit|virtual|class\s+\w+$|struct\s+\w+$)\b")


def end_of(text, opening):
    """The place of the bracket that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("a bracket is never closed")


def declarations(body):
    """What a class declares, in order: each declaration with what is in its brackets left out. A function's body ends one."""
    place, declaration = 0, ""
    while place < len(body):
        char = body[place]
        if char in "{(":
            is_body = char == "{" and "()" in declaration.split("=")[0]
            declaration += "{}" if char == "{" else "()"
            place = end_of(body, place)
            if is_body:
                yield declaration
                declaration = ""
        elif char == ";":
            yield declaration
            declaration = ""
        else:
            declaration += char
        place += 1


def without_arguments(text):
    """Without what is in angle brackets: the commas there separate no names."""
    while (short := re.sub(r"<[^<>]*>", "", text)) != text:
        text = short
    return text


def names_of(declaration):
    """How many data members a declaration has."""
    if re.match(r"(?:class|struct|enum|union)\b[^=]*\{\}", declaration):  # a nested type, and perhaps members of that type
        declaration = "type " + declaration[declaration.index("{}") + 2:]
    parts = [re.split(r"=|\{\}|(?<!:):(?!:)", each)[0].strip() for each in without_arguments(declaration).split(",")]
    if NO_DATA.match(declaration) or not re.search(r"[\w\]>*&]\s*[\s*&]\s*\w+(\[[^\]]*\])*$", parts[0]) or any("(" in each for each in parts):
        return 0
    return len(parts)


def classes(text):
    """(name, number of data members, whether some are private and may change) of each class that a file defines."""
    text = COMMENTS_AND_STRINGS.sub(" ", text)
    for found in CLASS.finditer(text):
        access, count, changes = ("private" if found[1] == "class" else "public"), 0, False
        for declaration in declarations(text[found.end():end_of(text, found.end() - 1)]):
            while label := LABEL.match(declaration):
                access, declaration = label[1], declaration[label.end():]
            declaration = re.sub(r"\[\[\w+\]\]", "", declaration).strip()
            names = names_of(declaration)
            count += names
            changes = changes or (names > 0 and access == "private" and not declaration.startswith("const "))
        yield found[2], count, changes


EXAMPLE = """
#include "a.hpp"  // { in a comment
class One : public Base {
 public:
  explicit One(int a) : a_(a), b_{a} {}
  One(const One&) = delete;
  int sum(int x, int y) const { return x + y; }
  const std::map<int, std::pair<int, int>>& map() const;
  template <class T> T as() const;
  static constexpr int kMost = 3;
  enum class Kind { a, b };
  struct Point { int x, y; };
  using Type = int;

 private:
  friend class Two;
  void act();
  int a_, b_ = f(1, 2);           // 2
  std::map<int, std::pair<int, int>> map_;  // 3
  const World* world_;            // 4
  mutable Time asked_ = kNever;   // 5
  Timer due_[2];                  // 6
  std::array<Time, 2> at_ = {kNever, kNever};  // 7
  std::function<int(int, int)> call_;  // 8
  struct Part { int x = 0; } part_;    // 9
  std::vector<Crew> crews_{.size = 2}; // 10
};
struct Plain { int a, b; const char* c = "};"; };
class Fixed { const int a_ = 1; };
class Outer { class Inner { int a_; }; Inner inner_; bool b_; };
"""


class Members(unittest.TestCase):
    def test_counts_what_a_class_keeps(self):
        self.assertEqual(list(classes(EXAMPLE)),
                         [("One", 10, True), ("Point", 2, False), ("Part", 1, False), ("Plain", 3, False), ("Fixed", 1, False),
                          ("Outer", 2, True), ("Inner", 1, True)])

    def test_finds_classes_with_too_many(self):
        self.assertEqual([count for _, count, _ in classes("class Large {" + "int a_;" * (MOST + 1) + "};")], [MOST + 1])

    def test_classes_that_change_own_few_things(self):
        seen, large = 0, []
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*.?pp")):
                for name, count, changes in classes(path.read_text(encoding="utf-8")):
                    seen += changes
                    if changes and count > MOST:
                        large.append(f"{path.relative_to(ROOT)}: {name} has {count} data members. Give those that belong together "
                                     f"to a class of their own, until at most {MOST} are left.")
        self.assertGreater(seen, 40, "the classes of these rooms are found")
        self.assertEqual(large, [], "\n" + "\n".join(large))


if __name__ == "__main__":
    unittest.main()
