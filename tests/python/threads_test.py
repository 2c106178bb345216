"""A study does not hold the interpreter, and Ctrl-C ends it and keeps its results."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import gauntlet
from command import ROOT, json_of

os.chdir(ROOT)

ENDLESS = 1_000_000  # replicas: minutes, if nobody stops them


def once(function):
    """A progress function that starts a thread with `function`, once some replicas are done, and then sends SIGINT."""
    threads = []

    def work():
        function()
        os.kill(os.getpid(), signal.SIGINT)

    def progress(done, left):
        if not threads:
            threads.append(threading.Thread(target=work))
            threads[0].start()

    progress.threads = threads
    return progress


def interrupts():
    return once(lambda: None)


class Interpreter(unittest.TestCase):
    def interrupted_by(self, function):
        """A study that ends because another thread came to its end while it ran: it never would if the study held the interpreter."""
        progress = once(function)
        with self.assertRaises(gauntlet.Interrupted):
            gauntlet.run("tiny-8", replicas=ENDLESS, threads=1, progress=progress)
        progress.threads[0].join()

    def test_other_threads_run_meanwhile(self):
        counted = []
        self.interrupted_by(lambda: counted.extend(i for i in range(100_000)))
        self.assertEqual(len(counted), 100_000)

    def test_two_studies_run_at_the_same_time(self):
        ended = []
        self.interrupted_by(lambda: ended.append(gauntlet.run("tiny-8", replicas=5).json))
        self.assertEqual(ended, [json_of("run", "tiny-8", "--replicas", "5")])


class Interrupting(unittest.TestCase):
    def test_keeps_what_is_done(self):
        with self.assertRaises(gauntlet.Interrupted) as caught:
            gauntlet.run("tiny-8", replicas=ENDLESS, progress=interrupts())
        result = caught.exception.result
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        self.assertIs(gauntlet.last_interrupted(), result)
        self.assertTrue(result.interrupted and result.data["interrupted"])
        done = len(result.replicas)
        self.assertTrue(0 < done < ENDLESS)
        self.assertIn(f"{done:,} replicas", str(caught.exception))
        # They are the first replicas of the study, as the command has them.
        whole = gauntlet.run("tiny-8", replicas=done)
        self.assertTrue(whole.replicas.equals(result.replicas))
        self.assertEqual(whole.metrics.loc["ettr", "mean"], result.metrics.loc["ettr", "mean"])

    def test_every_study_can_be_interrupted(self):
        studies = {
            "compare": lambda progress: gauntlet.compare("tiny-8", changes=[{"spares.count": 4}], replicas=ENDLESS, progress=progress),
            "sweep": lambda progress: gauntlet.sweep("tiny-8", {"spares.count": [1, 4]}, replicas=ENDLESS, progress=progress),
            "tune": lambda progress: gauntlet.tune("one-fault", {"checkpoint.interval": ("1min", "3h")}, budget=ENDLESS, progress=progress),
            "plan": lambda progress: gauntlet.plan("tiny-8", tokens="1T", replicas=ENDLESS, progress=progress),
            "scale": lambda progress: gauntlet.scale("tiny-8", gpus=[64, 128], replicas=ENDLESS, progress=progress),
        }
        for name, study in studies.items():
            with self.subTest(name), self.assertRaises(gauntlet.Interrupted):
                study(interrupts())

    def test_a_directory_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            with self.assertRaises(gauntlet.Interrupted) as caught:
                gauntlet.run("tiny-8", replicas=ENDLESS, out=out, progress=interrupts())
            self.assertIn("--resume", str(caught.exception))
            done = len(caught.exception.result.replicas)
            self.assertGreater(done, 0)
            more = gauntlet.run("tiny-8", replicas=done + 3, out=out, resume=True)
            self.assertEqual(more.json, json_of("run", "tiny-8", "--replicas", str(done + 3)))

    def test_what_progress_raises_ends_the_study(self):
        def progress(done, left):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            gauntlet.run("tiny-8", replicas=ENDLESS, progress=progress)

    def test_the_handlers_of_the_process_stay(self):
        code = ("import signal, gauntlet\n"
                "before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)]\n"
                "gauntlet.run('tiny-8', replicas=2)\n"
                "status = [line.split()[1] for line in open('/proc/self/status') if line.startswith(('SigIgn', 'SigCgt'))]\n"
                "assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)]\n"
                "print(int(status[1], 16) >> (signal.SIGTERM - 1) & 1, int(status[1], 16) >> (signal.SIGHUP - 1) & 1)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("0 0\n", ""))


class Progress(unittest.TestCase):
    def test_counts_replicas(self):
        told = []
        gauntlet.run("tiny-8", replicas=500, threads=1, progress=lambda done, left: told.append((done, left)))
        self.assertEqual(told[-1], (500, 0))
        self.assertEqual(told, sorted(told))
        self.assertTrue(all(done + left == 500 for done, left in told))


if __name__ == "__main__":
    unittest.main()
