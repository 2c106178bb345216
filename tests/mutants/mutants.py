#!/usr/bin/env python3
"""Changes one thing at a time in a copy of the sources, and says which test notices it.

    tests/mutants/mutants.py
    tests/mutants/mutants.py --room score
    tests/mutants/mutants.py --only 'core/files' --jobs 2
    tests/mutants/mutants.py --list

A mutant is a replacement of some text by another that makes the program wrong. ROOM.toml holds those of a room:

    [[mutant]]
    file = "score/released.cpp"              # in this room
    find = "released += each.at - since;"    # occurs once in the file; any white space stands for any other
    replace = "released = each.at - since;"
    what = "Only the last release of hosts is not billed."    # what a user would meet
    tests = ["score_test:Released.*"]        # program:cases of GoogleTest, or a test of CTest such as "cli/replay_test"
    survives = "reason"                      # only where no test can notice it, or none is worth writing

The copy and its build lie in build-mutants/tree. It may be interrupted at any time: the next run restores the copy.

Exit code: 0 every mutant is caught, or survives with a reason; 1 one survives without a reason, is caught in spite of one, no
longer applies, or does not compile; 2 an option is wrong, or a test fails without any mutant.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
COPY = ROOT / "build-mutants" / "tree"
BUILD = COPY / "build"
PRESET = "release"
# A test that takes so many times as long as without a mutant, and so many seconds at least, hangs.
PATIENCE, LEAST_PATIENCE_S = 10, 60
FIELDS = {"file", "find", "replace", "what", "tests", "survives"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    room: str
    file: str
    find: str
    replace: str
    what: str
    tests: tuple
    survives: str = ""

    def anchor(self):
        return re.compile(r"\s+".join(map(re.escape, self.find.split())))

    def problem(self, root=ROOT):
        """Why it does not apply; nothing where it does."""
        if not (root / self.file).is_file():
            return f"{self.file} does not exist"
        count = len(self.anchor().findall((root / self.file).read_text(encoding="utf-8")))
        return "" if count == 1 else f"its anchor occurs {count} times in {self.file}, not once"

    def applied_to(self, text):
        return self.anchor().sub(lambda _: self.replace, text)


def load(folder=HERE):
    """All mutants, room by room."""
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["mutant"], 1):
            wrong = set(entry) - FIELDS | FIELDS - {"survives"} - set(entry)
            if wrong:
                raise ValueError(f"{path}: mutant {number} lacks or does not know: {', '.join(sorted(wrong))}")
            mutants.append(Mutant(room=path.stem, **{**entry, "tests": tuple(entry["tests"])}))
    return mutants


# --- the copy --------------------------------------------------------------------------------------------------------

def run(command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def copy_sources():
    """Writes only what differs, so that the build of the last run goes on."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in tracked:
        source, target = ROOT / name, COPY / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)  # with the time of now: Ninja compiles it again
    for path in COPY.rglob("*"):
        if BUILD not in path.parents and path.is_file() and path.relative_to(COPY).as_posix() not in tracked:
            path.unlink()


def build(targets, jobs):
    """The output of a build that failed; nothing where it did not."""
    command = ["cmake", "--build", str(BUILD), "--parallel", str(jobs), "--target", *sorted(targets)]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout


# --- tests -----------------------------------------------------------------------------------------------------------

def program_of(test):
    """The program of GoogleTest; nothing for a test of CTest."""
    return "" if "/" in test.partition(":")[0] else test.partition(":")[0]


def targets_of(test):
    return {program_of(test)} if program_of(test) else {"gauntlet", "gauntlet-trainer"}


@dataclasses.dataclass
class Outcome:
    passed: bool
    case: str  # that failed
    seconds: float
    output: str


def first_failure(output):
    """Of a program that failed or ended early."""
    failed = re.search(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", output, re.M) or re.search(r"^(?:FAIL|ERROR): (\w+)", output, re.M)
    began = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    return failed[1] if failed else began[-1] if began else ""


def run_test(test, limit_s):
    program, _, cases = test.partition(":")
    if program_of(test):
        command = [str(BUILD / "tests" / program), *([f"--gtest_filter={cases}"] if cases else [])]
    else:
        command = ["ctest", "--test-dir", str(BUILD), "--output-on-failure", "--no-tests=error", "-R", f"^{program}$",
                   "--timeout", str(int(limit_s))]
        limit_s += LEAST_PATIENCE_S  # CTest ends what its tests have started
    environment = {**os.environ, "GAUNTLET": str(BUILD / "gauntlet")}
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=COPY, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    hangs = False
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        hangs = True
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    case = first_failure(output)
    return Outcome(passed=process.returncode == 0 and "Running 0 tests" not in output,
                   case=f"{case} hangs" if hangs else case, seconds=time.monotonic() - began, output=output)


# --- mutants ---------------------------------------------------------------------------------------------------------

class Broken(Exception):
    """The sources do not build, or a test fails, without any mutant."""


class Trials:
    """Tries mutants one by one. All their tests run without a mutant first, so that each mutant takes one build."""

    def __init__(self, mutants, jobs):
        self.jobs = jobs
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        if output := build(set().union(*map(targets_of, tests)), jobs):
            raise Broken(f"{output}\nthe sources do not build")
        self.seconds = {test: self.measure(test) for test in tests}  # without a mutant

    @staticmethod
    def measure(test):
        outcome = run_test(test, limit_s=1200)
        if not outcome.passed:
            raise Broken(f"{outcome.output}\n{test} fails without any mutant, or has no cases")
        return outcome.seconds

    def verdict_of(self, mutant):
        """(verdict, detail): caught, survived, does not apply, does not compile."""
        if problem := mutant.problem(COPY):
            return "does not apply", problem
        for test in mutant.tests:
            verdict = self.under_test(mutant, test)
            if verdict[0] != "survived":
                return verdict
        return "survived", ", ".join(mutant.tests)

    def under_test(self, mutant, test):
        path = COPY / mutant.file
        sound = path.read_bytes()
        path.write_text(mutant.applied_to(sound.decode()), encoding="utf-8")
        try:
            if output := build(targets_of(test), self.jobs):
                errors = [line for line in output.splitlines() if "error:" in line]
                return "does not compile", (errors or output.splitlines())[0]
            outcome = run_test(test, max(LEAST_PATIENCE_S, PATIENCE * self.seconds[test]))
            return ("survived", "") if outcome.passed else ("caught", f"{test.partition(':')[0]} {outcome.case}".strip())
        finally:
            path.write_bytes(sound)


def judge(mutant, verdict):
    """How it is printed, and whether that is as it should be."""
    if verdict == "survived":
        return ("survives, accepted", True) if mutant.survives else ("SURVIVED", False)
    if verdict == "caught":
        return ("CAUGHT, IN SPITE OF A REASON", False) if mutant.survives else ("caught", True)
    return verdict.upper(), False


def list_mutants(mutants):
    for mutant in mutants:
        print(f"{mutant.file}: {mutant.what}\n    {', '.join(mutant.tests)}")
        if mutant.survives:
            print(f"    survives: {mutant.survives}")
    print(f"{len(mutants)} mutants")


def main():
    summary, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="TEXT", default="", help="those whose file or description contains this text")
    parser.add_argument("--room", metavar="ROOM", default="", help="those of one room, such as score")
    parser.add_argument("--list", action="store_true", help="print the mutants and run none")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(), help="compilers at once (%(default)s)")
    options = parser.parse_args()
    mutants = [each for each in load() if options.room in ("", each.room) and options.only in each.file + "\n" + each.what]
    if not mutants:
        parser.error("there is no such mutant; --list names all")
    if options.list:
        return list_mutants(mutants) or 0

    COPY.mkdir(parents=True, exist_ok=True)
    copy_sources()
    if not (BUILD / "build.ninja").exists():
        # Each file of a room compiles by itself, so that a mutant costs one.
        run(["cmake", "--preset", PRESET, "-DCMAKE_UNITY_BUILD=OFF"], cwd=COPY, stdout=subprocess.DEVNULL)
    try:
        trials = Trials(mutants, options.jobs)
    except Broken as broken:
        print(f"mutants.py: {broken}", file=sys.stderr)
        return 2
    counts, good = {}, True
    for number, mutant in enumerate(mutants, 1):
        began = time.monotonic()
        verdict, detail = trials.verdict_of(mutant)
        shown, as_it_should = judge(mutant, verdict)
        counts[shown] = counts.get(shown, 0) + 1
        good = good and as_it_should
        took = time.monotonic() - began
        print(f"[{number}/{len(mutants)}] {shown} ({took:.0f} s): {mutant.file}: {mutant.what} [{detail}]", flush=True)
    print(f"{len(mutants)} mutants: " + ", ".join(f"{count} {shown}" for shown, count in sorted(counts.items()))
          + f"; {100 * counts.get('caught', 0) / len(mutants):.1f}% caught")
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
