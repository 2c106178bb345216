"""gauntlet watch of a study: what it shows while the study runs, once it is complete, and on a terminal.

    GAUNTLET=build/gauntlet python3 tests/cli/watch_test.py

tests/drill/ctl_test.py watches a drill.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, sweep, wait_until  # noqa: E402

CLEAR = "\x1b[H\x1b[2J"


class Terminal:
    """The command on a terminal of its own, of so many columns."""

    def __init__(self, *words, columns=80, rows=24):
        self.said = ""
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(GAUNTLET, [GAUNTLET, *words])

    def read(self):
        """False at its end."""
        if select.select([self.end], [], [], 0.05)[0]:
            try:
                part = os.read(self.end, 1 << 16)
            except OSError:  # the command has ended
                return False
            self.said += part.decode()
            return bool(part)
        return True

    def read_until(self, true, what):
        end = time.monotonic() + SECONDS_MAX
        while not true():
            if not self.read():
                raise AssertionError(f"it ended before {what}: {self.said}")
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}: {self.said}")

    def wait(self):
        while self.read():
            pass
        os.close(self.end)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def screens(self):
        return self.said.replace("\r\n", "\n").split(CLEAR)[1:]


class Watch(StudyTest):
    def watch(self, *words, code=0):
        done = subprocess.run([GAUNTLET, "watch", *map(str, words)], capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def start(self, out, replicas):
        study = subprocess.Popen([GAUNTLET, *sweep(replicas), "--threads", "1", "--out", str(out)], stdout=subprocess.DEVNULL)
        self.addCleanup(study.wait)
        self.addCleanup(study.kill)
        wait_until(lambda: stored(out) > 0, "it has replicas", study)
        return study

    def test_a_study_that_runs_and_one_that_was_killed(self):
        out = self.place / "out"
        study = self.start(out, 1_000_000)
        shown = self.watch(out).stdout
        self.assertRegex(shown, r"^An unfinished sweep of tiny-8: [\d,]+ replicas of 2 points\n")
        self.assertRegex(shown, r"(?m)^  checkpoint\.interval = 10min +[\d,]+ +[\d.]+% \+- [\d.]+$")
        study.kill()
        study.wait()
        count = int(re.search(r": ([\d,]+) replicas", self.watch(out).stdout)[1].replace(",", ""))
        self.assertEqual(count, stored(out))

    def test_a_complete_study_has_the_figures_of_its_report(self):
        out = self.run_alone("done", 50)
        shown = self.watch(out).stdout
        self.assertRegex(shown, r"^A complete sweep of tiny-8: 100 replicas of 2 points\n")
        report = (out / "report.txt").read_text()
        ettr = re.search(r"gives the best ETTR, ([\d.]+)% \+- ([\d.]+)", report)
        self.assertIn(f"{ettr[1]}% +- {ettr[2]}", shown)

    def test_on_a_terminal_it_is_drawn_until_the_study_is_complete(self):
        out = self.place / "out"
        study = self.start(out, 3000)
        study.send_signal(signal.SIGSTOP)  # else it may be complete before the second screen
        terminal = Terminal("watch", str(out), columns=40, rows=5)
        terminal.read_until(lambda: len(terminal.screens()) > 1, "a second screen")
        study.send_signal(signal.SIGCONT)
        self.assertEqual(study.wait(), 0)
        self.assertEqual(terminal.wait(), 0)
        screens = terminal.screens()
        self.assertIn("A complete sweep", screens[-1])
        for screen in screens:
            lines = screen.splitlines()
            self.assertLess(len(lines), 5)
            self.assertLessEqual(max(map(len, lines)), 40)

    def test_ctrl_c_ends_it_and_not_the_study(self):
        out = self.place / "out"
        study = self.start(out, 1_000_000)
        terminal = Terminal("watch", str(out))
        terminal.read_until(lambda: terminal.screens(), "a screen")
        os.kill(terminal.pid, signal.SIGINT)
        self.assertEqual(terminal.wait(), 130)
        self.assertIsNone(study.poll())

    def test_results_that_go_away_are_a_failure(self):
        out = self.place / "out"
        study = self.start(out, 1_000_000)
        terminal = Terminal("watch", str(out))
        terminal.read_until(lambda: terminal.screens(), "a screen")
        study.kill()
        study.wait()
        (self.place / "out.part").rename(self.place / "elsewhere")
        self.assertEqual(terminal.wait(), 1)
        self.assertIn("is not a result directory", terminal.said)

    def test_a_directory_that_is_not_a_study(self):
        self.assertIn("is not a result directory", self.watch("/nonexistent", code=2).stderr)
        file = self.place / "results.sqlite"
        file.write_text("no database\n")
        self.assertEqual(self.watch(self.place, code=2).stdout, "")


if __name__ == "__main__":
    unittest.main()
