"""What the documents hold that can be run: files, commands, and the output that they quote.

A page is Markdown. Its blocks, in their order:

    ```toml     a file of the reader's, if the first line is `# NAME.toml`; ```python likewise, `# NAME.py`
    ```sh       commands, one a line; a `\\` at the end continues a command (also ``` alone, before `gauntlet`)
    ```console  commands after `$ `, each with the lines of its output; `...` stands for lines that are left out

A cell of a table that is one command in backquotes is a command too.
"""

import difflib
import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
CELL = re.compile(r"\|\s*`(gauntlet [^`]+)`\s*(?=\|)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
OURS = re.compile(r"(build/)?gauntlet ")
LEFT_OUT = "..."


@dataclass
class File:
    name: str
    text: str


@dataclass
class Command:
    text: str
    quoted: list = field(default_factory=list)  # lines of its output
    begin: int = 0  # where they stand in the page
    end: int = 0

    def pieces(self):
        """The quoted lines that must follow each other, without what stands for lines that are left out."""
        pieces = [[]]
        for line in self.quoted:
            if line == LEFT_OUT:
                pieces.append([])
            else:
                pieces[-1].append(line)
        return [piece for piece in pieces if any(line.strip() for line in piece)]


def without_comment(line):
    return re.sub(r"\s+# .*$", "", line).strip()


def shell_lines(text):
    joined = re.sub(r"\\\n\s*", "", text)
    return [command for line in joined.splitlines() if (command := without_comment(line))]


def console_commands(text, offset):
    found, at = [], offset
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append(Command(without_comment(line[2:]), [], at + len(line), at + len(line)))
        elif found:
            found[-1].quoted.append(line.rstrip("\n"))
            found[-1].end = at + len(line)
        else:
            raise ValueError(f"a console block begins with a command: {line}")
        at += len(line)
    return found


def steps(page):
    """Files and commands of a page in their order."""
    found = []
    for block in FENCE.finditer(page):
        kind, text = block[1], block[2]
        if kind in ("toml", "python") and (name := re.match(r"# (\S+\.(?:toml|py))\n", text)):
            found.append((block.start(), [File(name[1], text)]))
        elif kind == "sh" or (not kind and OURS.match(text)):
            found.append((block.start(), [Command(line) for line in shell_lines(text)]))
        elif kind == "console":
            found.append((block.start(), console_commands(text, block.start(2))))
    for cell in CELL.finditer(page):
        found.append((cell.start(), [Command(cell[1])]))
    return [step for _, block in sorted(found, key=lambda at: at[0]) for step in block]


def inline(page):
    """The texts in backquotes outside of blocks; a line may end within one."""
    return INLINE.findall(re.sub(r"(?<!\n)\n(?!\n)", " ", FENCE.sub("\n\n", page)))


def find_piece(piece, lines, at):
    """Where the lines of a piece stand in the output, or None."""
    for i in range(at, len(lines) - len(piece) + 1):
        if lines[i:i + len(piece)] == piece:
            return i
    return None


def missing(command, output, rows_may_be_left_out=False):
    """The first quoted piece that the output does not have, in its place; None where it has all."""
    lines, at = [line.rstrip() for line in output.splitlines()], 0
    pieces = command.pieces()
    if rows_may_be_left_out:
        pieces = [[line] for piece in pieces for line in piece]
    for piece in pieces:
        piece = [line.rstrip() for line in piece]
        here = find_piece(piece, lines, at)
        if here is None:
            return "\n".join(piece)
        at = here + len(piece)
    return None


def renewed(command, output):
    """The quoted lines as the output has them today: each piece becomes as many lines, where these are most alike."""
    lines, at, quoted = [line.rstrip() for line in output.splitlines()], 0, []

    def put(piece):
        nonlocal at
        if not piece:
            return
        if not any(line.strip() for line in piece):
            quoted.extend(piece)
            return
        ends = max(at + 1, len(lines) - len(piece) + 1)
        likeness = [(sum(difflib.SequenceMatcher(None, a, b).ratio() for a, b in zip(piece, lines[i:])), -i) for i in range(at, ends)]
        here = -max(likeness)[1]
        quoted.extend(lines[here:here + len(piece)])
        at = here + len(piece)

    piece = []
    for line in command.quoted:
        if line == LEFT_OUT:
            put(piece)
            quoted.append(line)
            piece = []
        else:
            piece.append(line)
    put(piece)
    return quoted
