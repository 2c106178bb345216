"""The answers in scenarios/questions/*/README.md are what the program says: each command of a console block is run, and the lines
below it must come in its output, in their order; `...` stands for lines that are left out."""

import glob
import os
import pathlib
import re
import subprocess
import sys

GAUNTLET = os.environ["GAUNTLET"]


def blocks(text):
    """The commands of the console blocks, each with the pieces of output that must follow each other."""
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        command, _, output = block.partition("\n")
        assert command.startswith("$ gauntlet "), command
        pieces = [piece.strip("\n") for piece in re.split(r"^\.\.\.$", output, flags=re.M)]
        yield command.removeprefix("$ gauntlet ").split(), [piece for piece in pieces if piece]


def run(words):
    files = [file for word in words for file in (sorted(glob.glob(word)) if "*" in word else [word])]
    done = subprocess.run([GAUNTLET, *files, "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return done.stdout


def check(readme):
    found = 0
    for words, pieces in blocks(readme.read_text()):
        output, at = run(words), 0
        for piece in pieces:
            for line in piece.split("\n"):
                here = output.find(line + "\n", at)
                assert here >= 0, f"{readme}: not in the output of gauntlet {' '.join(words)}, or not there:\n{line}\n{output[at:]}"
                at = here + len(line)
            found += 1
    assert found > 0, f"{readme}: no answer to repeat"


def main():
    questions = sorted(path.parent for path in pathlib.Path("scenarios/questions").glob("*/base.toml"))
    assert len(questions) >= 4, questions
    for question in questions:
        check(question / "README.md")
        print(f"{question}: the answer is repeated")


if __name__ == "__main__":
    sys.exit(main())
