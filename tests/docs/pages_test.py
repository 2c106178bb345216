"""README.md and docs/*.md are true: every command in them runs, every output that they quote is printed, and every option, key,
metric and link that they name exists.

    GAUNTLET=build/gauntlet python3 tests/docs/pages_test.py
    GAUNTLET=build/gauntlet python3 tests/docs/pages_test.py --renew   writes the quoted outputs anew

A page's commands run word for word, one after the other, in a folder of its own that holds the files which the page shows.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..", "drill")]
import drills  # noqa: E402
import pages  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAUNTLET = pathlib.Path(os.environ["GAUNTLET"]).resolve()
SECONDS_MAX = 600

# Tasks that a user has, one a page; the other documents are about the code, or printed by the program.
ABOUT_THE_CODE = {"decisions.md", "performance.md", "testing.md"}
PRINTED = {"reference.md"}
README_LINES_MAX = 85

# Commands that take too long: what is added to the line here, and why.
SHORTER = {
    "gauntlet plan llama3-405b-54d --tokens 10T --finish-by 60d --confidence 0.95": ("--replicas 4", "takes 20 s"),
    "gauntlet plan tiny-8 --tokens 1T --finish-by 8d --uncertainty": ("--replicas 2", "takes 30 s"),
    "gauntlet rank llama3-405b-54d": ("--lever job.start --replicas 5", "takes 20 s"),
    "gauntlet scale rsc1 --gpus 1k:128k:log8": ("--replicas 5", "takes 8 s"),
    "gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20 --vary detection.timeout=15s,30s,1min,5min":
        ("--replicas 1", "takes 30 s"),
    "gauntlet tune llama3-405b-54d --over checkpoint.interval,detection.hang_timeout": ("--budget 200", "takes 15 s"),
    "gauntlet compare megascale-175b-12288 --with 'policies.detect=[\"heartbeat\"]'": ("--replicas 5", "takes 2 s"),
    "gauntlet drill drill-tiny --hosts 4 --against-simulation": ("--set job.steps=40", "takes a minute"),
    "gauntlet drill drills/every-signal --hosts 4 --against-simulation": ("--set job.steps=60", "takes half a minute"),
    "gauntlet drill drill-tiny --hosts 4 --no-faults --segments segments.sqlite": ("--set job.steps=20", "takes a minute"),
    "gauntlet drill drill-tiny --hosts 4 --certs lab-ca": ("--set job.steps=20", "takes a minute"),
    "gauntlet drill drill-tiny --hosts 4 --out drilled": ("--set job.steps=40", "takes a minute"),
    "gauntlet drill drill-tiny --hosts 4 --record drill.rec": ("--set job.steps=40", "takes a minute"),
    "gauntlet drill drill-tiny --hosts 4 --seed 1 --record 1.rec": ("--set job.steps=15", "takes a minute"),
    "gauntlet drill drill-tiny --hosts 4 --seed 2 --record 2.rec": ("--set job.steps=15", "takes a minute"),
}
# Commands that are not run here: why, and which file runs them.
ELSEWHERE = {
    "make setup": ("installs packages", "scripts/setup.sh"),
    "make bench-checkpoint": ("writes 14 GB", "Makefile"),
    "gauntlet drill drills/peers --hosts 4 --against-simulation": ("takes ten seconds", "tests/drill/peers_slow_test.py"),
    "make drill-torch": ("installs packages", "Makefile"),
    "make drill": ("takes minutes and needs root", "Makefile"),
    "make drills": ("takes minutes and needs root", "tests/chaos/random_drills_slow_test.py"),
    "make drill-chaos SEED=7": ("takes a minute and needs root", "Makefile"),
    "make": ("builds what is tested here", "Makefile"),
    'export PATH="$PWD/build:$PATH"': ("every command here runs with such a PATH", "tests/docs/pages_test.py"),
    "gauntlet drill scenarios/drills/python/marks.toml --hosts 2": ("takes half a minute", "tests/drill/job_test.py"),
    "gauntlet drill scenarios/drills/python/lines.toml --hosts 2": ("takes half a minute", "tests/drill/job_test.py"),
    "gauntlet drill drill-tiny --hosts 4 --repeat 20 --vary-seed --out drills": ("takes a quarter of an hour", "tests/drill/repeat_slow_test.py"),
    "gauntlet drill drills/every-order --hosts 4 --against-simulation": ("takes a quarter of a minute", "tests/drill/every_order_test.py"),
    "gauntlet drill drill-tiny --hosts 4 --launch lab --run-as nobody --dry-run": ("needs root", "tests/lab/lab_test.py"),
    "gauntlet drill scenarios/drills/nic-flap-short.toml --launch lab --hosts 4 --run-as nobody --against-simulation": ("needs root", "tests/lab/nic_flap_slow_test.py"),
    "gauntlet drill scenarios/drills/nic-flap-long.toml --launch lab --hosts 4 --run-as nobody --against-simulation": ("needs root", "tests/lab/nic_flap_slow_test.py"),
    "gauntlet drill scenarios/drills/lab.toml --launch lab --hosts 8 --run-as nobody": ("needs root", "tests/lab/eight_hosts_long_test.py"),
    "gauntlet drill scenarios/drills/device/train.toml --hosts 2 --run-as nobody": ("needs a GPU", "real/run_on_gpu.sh"),
    "gauntlet drill scenarios/drills/device/train.toml --hosts 2 --run-as nobody --set 'drill.environment.LD_LIBRARY_PATH=\"/opt/nccl/lib\"'":
        ("needs a GPU", "real/run_on_gpu.sh"),
    "gauntlet-cuda-fault slow --factor 1.5 --gpu 0 --seconds 60 --inject": ("needs a GPU", "tests/device/faults.py"),
    "gauntlet probe": ("its exit code is up to the machine", "tests/cli/probe_test.py"),
    "gauntlet probe --suite full --directory /scratch --json > node-7.json": ("takes a minute", "tests/cli/probe_test.py"),
    "gauntlet probe --only disk_write,disk_fsync --directory /scratch": ("its exit code is up to the machine", "tests/cli/probe_test.py"),
    "gauntlet probe --only disk_write --set probes.disk_write.threshold.at_least=500":
        ("its exit code is up to the machine", "tests/cli/probe_test.py"),
    "gauntlet probe --peers node-8.json,node-9.json,node-10.json": ("needs other hosts", "tests/cli/probe_test.py"),
    "gauntlet probe --serve node-8:7500 --secret-file probe.secret": ("listens until Ctrl-C", "tests/cli/probe_test.py"),
    "gauntlet probe --suite full --pair node-8:7500,node-9:7500,node-10:7500 --secret-file probe.secret":
        ("needs other hosts", "tests/lab/probe_links_slow_test.py"),
    "gauntlet watch": ("needs a drill that runs", "tests/drill/ctl_test.py"),
    "gauntlet probe --suite full --only nccl_job": ("needs a job", "tests/cli/probe_test.py"),
    "gauntlet probe --since node-7.json": ("its exit code is up to the machine", "tests/cli/probe_test.py"),
    "gauntlet validate policies --quick": ("takes 9 s", "tests/validate/validate_policies_test.py"),
    "mpirun -n 8 gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20 --out sweep":
        ("needs eight cores", "tests/mpi/mpirun_test.py"),
    "mpirun --enable-recovery -n 8 gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20 --out sweep":
        ("needs eight cores", "tests/mpi/rank_0_slow_test.py"),
    "sbatch scripts/slurm/study.sbatch sweep sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20":
        ("needs a Slurm", "tests/mpi/slurm_slow_test.py"),
    "salloc --no-kill --kill-command=TERM --nodes=4 --exclusive gauntlet drill scenarios/drills/slurm.toml --hosts 4 --launch slurm":
        ("needs a Slurm", "tests/drill/slurm_slow_test.py"),
    "gauntlet agent --stay --directory agent-0 --listen localhost:7400 --certs given-ca/agent-node-0 --trainer build/gauntlet-trainer "
    "--allow-injection --shares-machine &": ("stays", "tests/drill/given_test.py"),
    "gauntlet agent --stay --directory agent-1 --listen localhost:7401 --certs given-ca/agent-node-1 --trainer build/gauntlet-trainer "
    "--allow-injection --shares-machine &": ("stays", "tests/drill/given_test.py"),
    "gauntlet agent --stay --directory agent-2 --listen localhost:7402 --certs given-ca/agent-node-2 --trainer build/gauntlet-trainer "
    "--allow-injection --shares-machine &": ("stays", "tests/drill/given_test.py"),
    "mkdir -m 700 agent-0 agent-1 agent-2": ("is for agents that stay", "tests/drill/given_test.py"),
    "gauntlet drill drills/given --hosts 2 --set cluster.hosts=2 --set job.layout.dp=1 --launch given --host-file hosts.toml --certs given-ca":
        ("needs agents that run", "tests/drill/given_test.py"),
    "gauntlet results sweep --check": ("reads what mpirun wrote", "tests/mpi/rank_0_slow_test.py"),
    "python3 -m venv --system-site-packages venv": ("is slow", "tests/python/install_slow_test.py"),
    "GAUNTLET_BUILD_DIR=build venv/bin/pip install --no-index --no-build-isolation .": ("is slow", "tests/python/install_slow_test.py"),
}
# Commands that end with another exit code than 0.
EXIT_CODES = {"gauntlet check typo.toml": 2}


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def task_pages():
    return [path for path in documents() if path.parent.name == "docs" and path.name not in ABOUT_THE_CODE | PRINTED]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def prepared(folder):
    """The reader's folder: the scenarios and the program are where the page says."""
    folder.chmod(0o711)  # ranks of a user that is not ours pass through
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    (folder / "build").symlink_to(GAUNTLET.parent)
    (folder / ".bin").mkdir()
    (folder / ".bin" / "python3").symlink_to(sys.executable)  # another one may come first
    return {**os.environ, "PATH": f"{folder / '.bin'}:{GAUNTLET.parent}:{os.environ['PATH']}", "COLUMNS": "", "TMPDIR": str(folder),
            "PYTHONPATH": str(GAUNTLET.parent / "python")}


def output_of(command, folder, environment):
    """What it prints. A command that fails as it is to prints on standard error."""
    added, _ = SHORTER.get(command.text, ("", ""))
    if command.text.startswith("gauntlet drill ") and "--run-as" not in command.text:
        added += "".join(f" {word}" for word in drills.run_as())  # a reader is not root
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command.text} {added}"], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SECONDS_MAX)
    wanted = EXIT_CODES.get(command.text, 0)
    assert done.returncode == wanted, f"{command.text}: exit code {done.returncode}, not {wanted}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stderr if wanted else done.stdout


def run_page(page, see):
    """Runs a page's commands; `see(command, output)` is called for each."""
    with tempfile.TemporaryDirectory(prefix="gauntlet-docs-") as name:
        folder = pathlib.Path(name)
        environment = prepared(folder)
        for step in pages.steps(page):
            if isinstance(step, pages.File):
                (folder / step.name).write_text(step.text)
            elif step.text not in ELSEWHERE:
                see(step, output_of(step, folder, environment))


@functools.cache
def printed(*words):
    return subprocess.run([GAUNTLET, *words], capture_output=True, text=True, check=True, cwd=ROOT).stdout


@functools.cache
def options_of(*command):
    return set(re.findall(r"--[a-z][a-z-]*", printed(*command, "--help")))


@functools.cache
def subcommands(*command):
    _, _, listed = printed(*command, "--help").partition("Subcommands:\n")
    return set(re.findall(r"^  ([a-z-]+) ", listed.partition("\n\n")[0], re.M))


def complaints_about_command(text):
    """What a command names that does not exist: its words up to the options, and the options."""
    words, command = text.split()[1:], []
    while words and words[0] in subcommands(*command):
        command.append(words.pop(0))
    if not command and words and not words[0].startswith("-"):
        yield f"{words[0]} is not a command"
    for word in words:
        if (option := re.match(r"--[a-z][a-z-]*", word)) and option[0] not in options_of(*command):
            yield f"gauntlet {' '.join(command)} has no option {option[0]}"


@functools.cache
def schema():
    return json.loads(printed("schema"))


def is_key(path):
    """Whether a scenario can have this key: `recovery.roll_back`. Names of the scenario's own pass: `faults.NAME.mtbf`."""
    at = [schema()]
    for part in path.split("."):
        inner = []
        for place in at:
            for choice in (place, *place.get("anyOf", ()), *(c for a in place.get("anyOf", ()) for c in a.get("anyOf", ()))):
                items = choice.get("items")
                for where in (choice, items) if isinstance(items, dict) else (choice,):
                    if part in where.get("properties", {}):
                        inner.append(where["properties"][part])
                    elif isinstance(where.get("additionalProperties"), dict):
                        inner.append(where["additionalProperties"])
        at = inner
    return bool(at)


FILE_NAME = re.compile(r"\.(toml|hpp|cpp|py|sh|md|csv|txt|json|html|sqlite|gz|xz|rec|part|gauntlet|sbatch)$")


def keys_in(page):
    """Dotted names in backquotes that begin as a key of scenarios does, as far as they are names."""
    first = set(schema()["properties"])
    for text in pages.inline(page):
        found = re.match(r"\[{0,2}([a-z_]+(?:\.[a-zA-Z_]+)+)\]{0,2}(?=$|\s|=)", text)
        if found and found[1].split(".")[0] in first and not FILE_NAME.search(found[1]):
            yield found[1]


@functools.cache
def metrics():
    """Names as `gauntlet list metrics` prints them."""
    return set(re.findall(r"^  ([a-z_][\w.<>]+)", printed("list", "metrics"), re.M))


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", pages.FENCE.sub("", page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def complaints_about_links(path, page):
    for target in re.findall(r"\]\(([^)\s]+)\)", pages.FENCE.sub("", page)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file) if file else path
        if not there.exists():
            yield f"{target} does not exist"
        elif anchor and anchor not in anchors(there.read_text()):
            yield f"{target}: there is no such heading"


class Pages(unittest.TestCase):
    def test_every_command_runs_and_prints_what_is_quoted(self):
        for path in documents():
            with self.subTest(page=name_of(path)):
                def see(command, output):
                    if command.quoted:
                        self.assertNotIn(command.text, SHORTER, "what is shortened here cannot be quoted")
                        lost = pages.missing(command, output)
                        self.assertIsNone(lost, f"{command.text} does not print, or not there:\n{lost}\n--- but:\n{output}"
                                                "\n(--renew writes quoted outputs anew)")
                run_page(path.read_text(), see)

    def test_no_command_is_left_out_in_silence(self):
        commands = {step.text for path in documents() for step in pages.steps(path.read_text()) if isinstance(step, pages.Command)}
        self.assertEqual((set(SHORTER) | set(ELSEWHERE) | set(EXIT_CODES)) - commands, set(), "the lists name what no page has")
        for command in commands - set(ELSEWHERE):
            self.assertRegex(command, r"^((build/)?gauntlet|python3|build/(bench/)?checkpoint[-_]\w+) ", "neither run nor listed with the file that runs it")
        for command, (_, file) in ELSEWHERE.items():
            self.assertTrue((ROOT / file).is_file(), f"{command}: {file}")

    def test_blocks_are_of_a_kind_that_is_run(self):
        for path in (ROOT / "README.md", *task_pages()):
            for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(), re.M | re.S):
                known = kind in ("sh", "console", "toml", "csv", "python") or pages.OURS.match(text)
                self.assertTrue(known, f"{name_of(path)}: a block of this kind is not run:\n{text}")

    def test_commands_in_the_text_exist(self):
        for path in (*documents(), ROOT / "ARCHITECTURE.md", ROOT / "scenarios/README.md"):
            for text in pages.inline(path.read_text()):
                if text.startswith("gauntlet "):
                    self.assertEqual(list(complaints_about_command(text)), [], f"{name_of(path)}: `{text}`")

    def test_keys_in_the_text_exist(self):
        for path in (ROOT / "README.md", *task_pages(), ROOT / "scenarios/README.md"):
            for key in keys_in(path.read_text()):
                self.assertTrue(is_key(key) or key in metrics(), f"{name_of(path)}: no scenario has {key}, and no metric is called so")
        self.assertTrue(is_key("recovery.roll_back") and is_key("faults.x.mtbf") and not is_key("recovery.rollback"))

    def test_links_lead_somewhere(self):
        for path in (*documents(), ROOT / "ARCHITECTURE.md", ROOT / "scenarios/README.md"):
            self.assertEqual(list(complaints_about_links(path, path.read_text())), [], name_of(path))

    def test_every_page_begins_with_a_question_and_a_command_and_states_its_limits(self):
        for path in task_pages():
            lines = [line for line in path.read_text().splitlines() if line]
            self.assertRegex(lines[0], r"^# ", name_of(path))
            self.assertTrue(lines[1].endswith("?"), f"{name_of(path)} begins with the reader's question: {lines[1]}")
            self.assertRegex(lines[2], r"^```(sh|console|toml|python|)$", f"{name_of(path)}: the command comes after the question")
            self.assertTrue([line for line in lines if re.match(r"## Limits\b", line)], f"{name_of(path)} states no limits")

    def test_the_readme_is_short_and_leads_to_every_page(self):
        readme = (ROOT / "README.md").read_text()
        self.assertLessEqual(len(readme.splitlines()), README_LINES_MAX)
        for path in documents()[1:]:
            self.assertIn(f"]({name_of(path)})", readme)


class Parts(unittest.TestCase):
    """The rules above can fail."""

    PAGE = ("# A\n\n```toml\n# a.toml\nname = 1\n```\n\n```python\n# b.py\n1\n```\n\n```sh\ngauntlet run a \\\n    --quiet  # why\nmake\n```\n| b | `gauntlet list` |\n"
            "```console\n$ gauntlet x\none 1\n...\ntwo\nthree\n$ gauntlet y\n```\nsee `gauntlet\nz`\n")

    def test_steps(self):
        found = pages.steps(self.PAGE)
        self.assertEqual([getattr(step, "name", None) or step.text for step in found],
                         ["a.toml", "b.py", "gauntlet run a --quiet", "make", "gauntlet list", "gauntlet x", "gauntlet y"])
        self.assertEqual(found[5].pieces(), [["one 1"], ["two", "three"]])
        self.assertEqual(self.PAGE[found[5].begin:found[5].end], "one 1\n...\ntwo\nthree\n")
        self.assertEqual(pages.inline(self.PAGE), ["gauntlet list", "gauntlet z"])

    def test_quoted_lines_must_be_printed_in_their_order(self):
        command = pages.steps(self.PAGE)[5]
        self.assertIsNone(pages.missing(command, "zero\none 1  \nand\ntwo\nthree\n"))
        self.assertEqual(pages.missing(command, "zero\none 2\ntwo\nthree\n"), "one 1")
        self.assertEqual(pages.missing(command, "two\nthree\none 1\n"), "two\nthree")
        self.assertEqual(pages.missing(command, "one 1\ntwo\nand\nthree\n"), "two\nthree")
        self.assertIsNone(pages.missing(command, "one 1\ntwo\nand\nthree\n", rows_may_be_left_out=True))

    def test_renewed_lines_are_those_that_are_most_alike(self):
        command = pages.steps(self.PAGE)[5]
        self.assertEqual(pages.renewed(command, "zero\none 7\nand\nother\ntwo!\nthree\n"), ["one 7", "...", "two!", "three"])

    def test_commands_that_do_not_exist(self):
        self.assertEqual(list(complaints_about_command("gauntlet run tiny-8 --replicas 3 --out=x")), [])
        self.assertEqual(list(complaints_about_command("gauntlet trace fit x --nodes 3")), [])
        self.assertEqual(len(list(complaints_about_command("gauntlet runn tiny-8"))), 1)
        self.assertEqual(len(list(complaints_about_command("gauntlet run tiny-8 --replica-count 3"))), 1)

    def test_links(self):
        here = ROOT / "README.md"
        self.assertEqual(list(complaints_about_links(here, "[a](docs/tune.md) [b](https://x.org) [c](docs/tune.md#timeouts)")), [])
        self.assertEqual(len(list(complaints_about_links(here, "[a](docs/no.md) [c](docs/tune.md#no-such)"))), 2)


def renew():
    for path in documents():
        page, found = path.read_text(), []
        run_page(page, lambda command, output: found.append((command, output)))
        for command, output in reversed([each for each in found if each[0].quoted]):
            page = page[:command.begin] + "".join(line + "\n" for line in pages.renewed(command, output)) + page[command.end:]
        if page != path.read_text():
            path.write_text(page)
            print(f"{name_of(path)}: renewed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        renew()
    else:
        unittest.main()
