"""The answers in scenarios/questions/*/README.md are what the program says: each command of a console block is run, and the lines
below it must come in its output, in their order; `...` stands for lines that are left out, and so are
rows of tables (tests/docs/pages.py).

    GAUNTLET=build/gauntlet python3 tests/cli/questions_test.py
    GAUNTLET=build/gauntlet python3 tests/cli/questions_test.py --renew   writes the quoted outputs anew
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
import pages  # noqa: E402

GAUNTLET = pathlib.Path(os.environ["GAUNTLET"]).resolve()


def run(command):
    environment = {**os.environ, "PATH": f"{GAUNTLET.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command + " --quiet"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stderr}"
    return done.stdout


def check(readme):
    found = 0
    for command in pages.steps(readme.read_text()):
        if isinstance(command, pages.Command) and command.quoted:
            output = run(command.text)
            lost = pages.missing(command, output, rows_may_be_left_out=True)
            assert lost is None, f"{readme}: not in the output of {command.text}, or not there:\n{lost}\n{output}"
            found += len(command.pieces())
    assert found > 0, f"{readme}: no answer to repeat"


def renew(readme):
    page = readme.read_text()
    for command in reversed(list(pages.steps(page))):
        if isinstance(command, pages.Command) and command.quoted:
            lines = pages.renewed(command, run(command.text))
            page = page[:command.begin] + "".join(line + "\n" for line in lines) + page[command.end:]
    readme.write_text(page)


def main():
    questions = sorted(path.parent for path in pathlib.Path("scenarios/questions").glob("*/base.toml"))
    assert len(questions) >= 4, questions
    for question in questions:
        if sys.argv[1:] == ["--renew"]:
            renew(question / "README.md")
        check(question / "README.md")
        print(f"{question}: the answer is repeated")


if __name__ == "__main__":
    sys.exit(main())
