"""Operators of a drill that runs: what they order happens, is in the record, and what makes no sense is refused by name."""
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

HOSTS = 5
QUICK = ("--set", "spares.count=1", "--set", "job.steps=150", "--set", "job.step_time=100ms")


class Ctl(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)
        self.record = self.place.path / "drill.rec"

    def ctl(self, *words):
        done = subprocess.run([drills.GAUNTLET, "ctl", *words], env=self.place.environment(), capture_output=True, text=True,
                              timeout=drills.SECONDS_MAX)
        return drills.Finished(done.returncode, done.stdout, done.stderr)

    def refused(self, says, *words):
        done = self.ctl(*words)
        self.assertEqual(done.code, 2, str(done))
        self.assertIn(says, done.err)

    def watched(self, directory):
        """One screen; nothing is cut off where it is not a terminal."""
        for words in ([], [str(directory)]):
            done = subprocess.run([drills.GAUNTLET, "watch", *words], env=self.place.environment(), capture_output=True, text=True,
                                  timeout=drills.SECONDS_MAX)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertRegex(done.stdout, r"(?m)^step +\d+ of 150  \[#*\.*\]$")
            self.assertRegex(done.stdout, r"(?m)^ +4 +spare ")
            self.assertRegex(done.stdout, r"(?m)^  [\d.]+s  The policy starts the job$")
            self.assertRegex(done.stdout, r"(?m)^  [\d.]+s  Training goes on after step 0$")
            self.assertNotIn("\u2026", done.stdout)

    def wait_for(self, what, holds):
        deadline = time.monotonic() + drills.SECONDS_MAX
        while not holds():
            self.assertLess(time.monotonic(), deadline, "never came: " + what)
            time.sleep(0.05)

    def status(self):
        """By label; empty before the driver listens."""
        done = self.ctl("status")
        return dict(re.findall(r"^(\S.*?) {2,}(.+)$", done.out, re.M)) if done.code == 0 else {}

    def step(self):
        return int(self.status().get("step", "0 of").split()[0])

    def host(self, number):
        found = re.search(rf"^ *{number} +(in the job|spare|in repair|repaired|retired)", self.ctl("hosts").out, re.M)
        return found and found[1]

    def start(self, *more):
        drill = self.place.start("--record", str(self.record), *QUICK, *more, hosts=HOSTS)
        self.addCleanup(drill.stderr.close)
        self.addCleanup(drill.stdout.close)
        self.addCleanup(drill.kill)
        self.wait_for("the first steps", lambda: self.step() >= 3 or drill.poll() is not None)
        self.assertIsNone(drill.poll(), "the drill ended early")
        return drill

    def check_replay(self):
        replay = subprocess.run([drills.GAUNTLET, "replay", str(self.record)], capture_output=True, text=True)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
        self.assertIn("identical", replay.stdout)

    def story(self):
        return subprocess.run([drills.GAUNTLET, "replay", "--print", str(self.record)], capture_output=True, text=True,
                              check=True).stdout

    def test_an_evicted_host_leaves_and_comes_back_and_the_replay_knows(self):
        drill = self.start("--no-faults", "--set", "repair.time=1h")
        replay = subprocess.run([drills.GAUNTLET, "replay", str(self.record)], capture_output=True, text=True)
        self.assertEqual(replay.returncode, 1, replay.stderr)
        self.assertIn("has no end yet, because its drill still runs", replay.stderr)
        self.refused("host 9 does not exist; this drill has hosts 0 to 4", "evict", "9")
        self.refused("host 1 carries the job", "readmit", "1")
        self.refused("host 4 is a spare host already", "readmit", "4")
        self.refused("nobody is asked now", "answer", "1")
        self.refused("injects no faults", "disarm")
        (directory,) = self.place.path.glob("gauntlet-drill-*")
        files = [path for path in directory.iterdir() if path.is_file()]
        self.assertIn("log", [path.name for path in files])
        self.assertEqual([path.name for path in files if path.stat().st_mode & 0o077], [], "others can read them")
        drill.stderr.reconfigure(errors="replace")
        self.watched(directory)
        evicted = self.ctl("evict", "1", "--reason", b"ECC\xff errors")  # a reason need not be UTF-8, a log is
        self.assertEqual(evicted.code, 0, str(evicted))
        self.wait_for("the eviction", lambda: self.host(1) == "in repair" and self.host(4) == "in the job")
        self.refused("host 1 is in repair already", "evict", "1")
        self.assertEqual(self.ctl("readmit", "1").code, 0)  # by hand: its repair takes an hour
        self.wait_for("the host", lambda: self.host(1) == "spare")
        events = [json.loads(line) for line in self.ctl("log").out.splitlines()]
        self.assertIn(("observation", "OperatorActed"), {(each["event"], each.get("kind")) for each in events})
        self.assertIn("an operator evicts host 1: ECC\ufffd errors", {each.get("text") for each in events})
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertRegex(run.out, r"(?m)^Operators\n  at \S+ an operator evicts host 1: ECC\ufffd errors\n  at \S+ an operator readmits host 1$")
        self.assertEqual(run.final_hash,
                         drills.undisturbed_hash(self.place, "--set", "job.steps=150", "--set", "spares.count=0"), str(run))
        story = self.story()
        self.assertIn("OperatorActed{job=0 what=evict host=1 scripted=no}", story)
        self.assertIn("OperatorActed{job=0 what=readmit host=1 scripted=no}", story)
        self.check_replay()

    def test_a_driver_that_takes_over_knows_what_operators_did(self):
        drill = self.start("--no-faults", "--set", "repair.time=1h")
        self.assertEqual(self.ctl("evict", "4").code, 0)  # it stands by
        drill.kill()
        drill.wait()
        again = self.start("--no-faults", "--set", "repair.time=1h")
        self.assertEqual(self.ctl("stop").code, 0)
        run = drills.finish(again)
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(self.story().count("what=evict"), 1)
        self.assertIn("Finished{job=0 ending=stopped}", self.story())
        self.check_replay()

    def test_a_question_is_answered_by_an_operator(self):
        drill = self.start("--no-faults", "--set", "policies.recover=\"person\"", "--set", "people.response=1h")
        os.kill(self.place.agents()["2"], signal.SIGKILL)
        self.wait_for("the question", lambda: "question" in self.status())
        self.refused("host 4 does not carry the job", "answer", "4")
        self.assertEqual(self.ctl("answer", "2").code, 0)
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("result=Answered{choice=2 found=yes}", self.story())
        self.assertIn("Evict{host=2}", self.story())
        self.check_replay()

    def test_disarmed_a_stopped_rank_goes_on_and_no_other_fault_strikes(self):
        drill = self.start("--set", "faults.rank_stopped.trace=[{ at = \"2s\", component = 2 }]",
                           "--set", "faults.rank_killed.trace=[{ at = \"8s\", component = 1 }]",
                           "--set", "detection.collective_timeout=200s", "--set", "detection.hang_timeout=190s")
        self.wait_for("a hang", lambda: self.status().get("injected faults", "0").startswith("1"))
        self.assertEqual(self.ctl("disarm").code, 0)
        self.refused("disarmed already", "disarm")
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (1, 2), str(run))
        self.assertEqual(self.story().count("Start{"), 1, self.story())  # the job never stopped
        self.check_replay()

    def test_a_port_of_metrics_that_is_taken_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            run = drills.finish(self.place.start("--metrics", port, hosts=4))
        self.assertEqual(run.code, 1, str(run))
        self.assertIn(f"--metrics {port}: 127.0.0.1:{port} cannot be listened on: Address already in use; choose another port, or "
                      "write --metrics 0 for any that is free", run.err)
        self.assertEqual(self.place.processes(), {})

    def test_retired_a_host_does_not_return(self):
        drill = self.start("--no-faults", "--set", "repair.time=100ms", "--set", "policies.retire=\"threshold\"",
                           "--set", "retirement.evictions=1")
        self.assertEqual(self.ctl("evict", "1").code, 0)
        self.wait_for("the retirement", lambda: self.host(1) == "retired")
        self.refused("host 1 was retired and does not return", "readmit", "1")
        run = drills.finish(drill)
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("Retire{host=1}", self.story())
        self.check_replay()

    def test_metrics_and_the_terminal_show_how_it_stands(self):
        terminal, its_end = pty.openpty()
        drill = subprocess.Popen(self.place.command("--no-faults", "--metrics", "0", *QUICK, hosts=HOSTS), stderr=its_end,
                                 stdout=subprocess.DEVNULL, env=self.place.environment())
        os.close(its_end)
        self.addCleanup(os.close, terminal)
        shown = b""
        while b"step 5" not in shown:  # ends at the latest when the drill does
            shown += os.read(terminal, 4096)
        port = re.search(rb"http://127.0.0.1:(\d+)/metrics", shown)[1].decode()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=drills.SECONDS_MAX) as answer:
            metrics = answer.read().decode()
        self.assertIn('gauntlet_hosts{drill="drill-tiny",state="in_job"} 4', metrics)
        self.assertIn('gauntlet_hosts{drill="drill-tiny",state="spare"} 1', metrics)
        self.assertIn('gauntlet_job_up{drill="drill-tiny"} 1', metrics)
        self.assertIn(b"4 hosts in the job, 1 spare, 0 in repair", shown)
        self.assertEqual(self.ctl("stop").code, 0)
        while True:
            try:
                if not os.read(terminal, 4096):
                    break
            except OSError:  # what a terminal says when nobody has it open
                break
        self.assertEqual(drill.wait(drills.SECONDS_MAX), 0)

    def test_a_reason_is_one_line(self):
        self.refused("--reason: has control characters; write one line of text", "evict", "1", "--reason", "a\x1b[31m\nb")
        self.refused("--reason: has more than 1024 bytes", "evict", "1", "--reason", "a" * 1025)

    def test_where_no_drill_runs_it_says_so(self):
        self.refused("holds no drill of this user that runs", "status")
        done = self.ctl("status", "--drill", "/nonexistent")
        self.assertEqual(done.code, 1, str(done))
        self.assertIn("has no driver that listens", done.err)

    def listener(self, name):
        """A listener that accepts nobody, where the driver of a drill in that directory would listen."""
        directory = self.place.path / name
        directory.mkdir(mode=0o700)
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(str(directory / "control.sock"))
        listening.listen(0)
        return directory

    def test_who_listens_in_a_directory_that_no_drill_of_this_user_made_is_not_asked(self):
        self.listener("not-a-drill")
        others = self.listener("gauntlet-drill-others")
        if os.geteuid() == 0:
            os.chown(others, 65534, 65534)
        else:
            others.chmod(0o777)
        self.refused("holds no drill of this user that runs", "status")

    def test_a_driver_that_takes_no_connection_is_not_waited_for(self):
        directory = self.listener("gauntlet-drill-full")
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(8)]
        for each in waiting:
            self.addCleanup(each.close)
            each.setblocking(False)
            try:
                each.connect(str(directory / "control.sock"))
            except BlockingIOError:
                break
        else:
            self.fail("the queue never fills")
        done = self.ctl("status", "--drill", str(directory))
        self.assertEqual(done.code, 1, str(done))
        self.assertIn("has no driver that listens: it takes no connection", done.err)


if __name__ == "__main__":
    unittest.main()
