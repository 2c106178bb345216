"""What cannot be drilled is refused before anything starts, and what fails leaves nothing running."""
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402


class Refusals(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place().__enter__()
        self.addCleanup(self.place.__exit__)

    def refused(self, code, words, *arguments, hosts=4, environment=None):
        process = subprocess.Popen(self.place.command(*arguments, hosts=hosts), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment or self.place.environment())
        run = drills.finish(process)
        self.assertEqual(run.code, code, str(run))
        for word in words:
            self.assertIn(word, run.err, str(run))
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(list(self.place.path.iterdir()), [])
        return run

    def test_a_fault_without_injector_is_named_with_what_can_be_injected(self):
        self.refused(2, ["faults.rank_killed", "SIGKILL", "SIGSTOP"], "--set", 'faults.rank_killed.effect="slow"',
                     "--set", "faults.rank_killed.factor=1.5")

    def test_a_scenario_that_does_not_ask_for_injection(self):
        self.refused(2, ["drill.inject"], "--set", "drill.inject=false")

    def test_faults_that_are_not_injected_are_not_refused(self):
        faults = ('faults.rank_killed.effect="slow"', "faults.rank_killed.factor=1.5", "drill.inject=false")
        run = self.place.run("--no-faults", "--dry-run", *(word for setting in faults for word in ("--set", setting)))
        self.assertEqual((run.code, run.err), (0, ""), str(run))

    def test_many_drills_need_a_place_and_a_number(self):
        self.refused(2, ["--repeat 3", "--out DIR"], "--repeat", "3")
        self.refused(2, ["--vary-seed", "--repeat N"], "--vary-seed")

    def test_a_dry_run_starts_nothing(self):
        """Its faults are those of the scenario's traces, and are injected by what the injectors say."""
        process = subprocess.Popen(self.place.command("--dry-run", "--out", str(self.place.path / "out"), "--record",
                                                      str(self.place.path / "drill.rec")),
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.place.environment())
        run = drills.finish(process)
        self.assertEqual((run.code, run.err), (0, ""), str(run))
        rows = [line.split() for line in run.out.splitlines()]
        for row in ("3 job 3", "6s rank_killed gpu 1 SIGKILL of its rank", "15s rank_stopped gpu 2 SIGSTOP of its rank",
                    "26s rank_killed gpu 3 SIGKILL of its rank", "36s rank_stopped gpu 0 SIGSTOP of its rank"):
            self.assertIn(row.split(), rows, str(run))
        self.assertIn("nothing is started and nothing injected", run.out)
        self.assertEqual(self.place.processes(), {})
        self.assertEqual(list(self.place.path.iterdir()), [])
        return run

    @unittest.skipUnless(os.geteuid() == 0, "only root must say as whom ranks run")
    def test_root_must_say_as_whom_ranks_run(self):
        command = [word for word in self.place.command() if word not in drills.run_as()]
        run = drills.finish(subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             env=self.place.environment()))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("--run-as is missing: root does not run the job as root unless it says so; write --run-as USER", run.err)
        run = drills.finish(subprocess.Popen([*command, "--run-as", "no-such-user"], text=True, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, env=self.place.environment()))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("--run-as no-such-user is not a user of this machine", run.err)
        agent = [drills.GAUNTLET, "agent", "--host", "0", "--directory", str(self.place.path), "--trainer", "/bin/true"]
        run = drills.finish(subprocess.Popen(agent, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("--run-as is missing", run.err)
        self.assertEqual(list(self.place.path.iterdir()), [])
        return run

    @unittest.skipUnless(os.geteuid() == 0 and drills.reachable_by_nobody(),
                         "only root starts ranks as another user, who must reach the programs")
    def test_a_place_that_is_closed_to_the_user_of_the_ranks(self):
        closed = self.place.path / "closed"
        closed.mkdir(mode=0o700)
        run = drills.finish(subprocess.Popen(self.place.command(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             env=dict(os.environ, TMPDIR=str(closed))))
        self.assertEqual(run.code, 2, str(run))
        self.assertIn(f"--run-as nobody cannot reach the files of the drill: {closed} is closed to user nobody; set TMPDIR", run.err)
        closed.rmdir()

    def test_what_only_simulated_machines_do(self):
        """Each is a mistake of its own; nothing of it is ignored."""
        self.refused(2, ["job.evaluation cannot be drilled", "recovery.roll_back = 1 cannot be drilled",
                         "repair.crew cannot be drilled",
                         "repair.silent_failure cannot be drilled"],
                     *(word for setting in (
                         "job.evaluation.every=10", "job.evaluation.time=100ms",
                         "recovery.roll_back=1",
                         "repair.crew=1", "repair.silent_failure=0.1")
                       for word in ("--set", setting)))
        self.refused(2, ['policies.checkpoint = "two-level" cannot be drilled'], "--set", 'policies.checkpoint="two-level"')

    def test_retirement_and_starts_that_are_tried_again_can_be_drilled(self):
        run = self.place.run("--dry-run", *(word for setting in (
            'policies.retire="threshold"', "recovery.reschedule=false", "recovery.start_attempts=3", "recovery.start_backoff=1s",
            "recovery.retention=1s", "recovery.start_deadline=1h") for word in ("--set", setting)))
        self.assertEqual(run.code, 0, str(run))

    def test_numbers_of_replicas_that_the_batch_does_not_fill(self):
        smaller = [word for setting in ("cluster.hosts=6", "job.layout.dp=3", "job.global_batch=3", "recovery.wait_for_spare=1s")
                   for word in ("--set", setting)]
        self.refused(2, ["job.global_batch = 3 cannot be drilled with 2 data-parallel replicas", "write a multiple of 6"], *smaller, hosts=6)
        run = self.place.run("--dry-run", *smaller, "--set", "job.global_batch=6", hosts=6)
        self.assertEqual(run.code, 0, str(run))

    def test_requests_to_stop_a_job_that_only_prints_lines(self):
        preempted = 'faults.hosts_taken={component="job", effect="preempt", heals_after="1s", mtbf="1h", remedy="restart"}'
        self.refused(2, ["faults.hosts_taken cannot be drilled with a job that is not told to save before a stop"], *(
            word for setting in (preempted, 'drill.command.arguments=["true"]', "drill.command.lines.step='step (\\d+)'")
            for word in ("--set", setting)))

    def test_metrics_beyond_loopback(self):
        self.refused(2, ["metrics are served on 127.0.0.1 alone", "let a proxy with TLS"], "--metrics", "0.0.0.0:9100")

    def test_a_signal_that_no_agent_reports(self):
        """A job that only prints lines says nothing of its loss, its segments or its collectives."""
        lines = ('drill.command.arguments=["true"]', "drill.command.lines.step='step (\\d+)'", "drill.inject=true")
        detectors = 'policies.detect=["heartbeat", "loss", "traffic-stopped"]'
        signals = 'telemetry.signals=["heartbeat", "loss", "traffic", "log_line", "last_collective"]'
        settings = [word for setting in (*lines, detectors, signals, 'policies.diagnose="localise"',
                                         'detection.gather="1s"') for word in ("--set", setting)]
        self.refused(2, ['policies.detect = "loss" needs the signal "loss", which no agent of this drill reports',
                         'policies.detect = "traffic-stopped" needs the signal "traffic"',
                         'policies.diagnose = "localise" needs the signal "last_collective"'], *settings)

    def test_traffic_is_refused_only_where_hosts_share_their_interfaces(self):
        settings = [word for setting in ('drill.command.arguments=["true"]', "drill.command.lines.step='step (\\d+)'", "drill.inject=true",
                                         'policies.detect=["heartbeat", "loss", "traffic-stopped"]',
                                         'telemetry.signals=["heartbeat", "loss", "traffic", "log_line"]') for word in ("--set", setting)]
        traffic = 'policies.detect = "traffic-stopped" needs the signal "traffic"'
        self.refused(2, [traffic], *settings)
        for launcher in ("lab", "slurm"):
            with self.subTest(launcher):
                run = self.refused(2, ['policies.detect = "loss" needs the signal "loss"'], *settings, "--launch", launcher)
                self.assertNotIn(traffic, run.err)

    def test_an_expression_of_a_log_line_that_is_none(self):
        self.refused(2, ["drill.lines.oom", "is not a regular expression"], "--set", "drill.lines.oom='('")

    def test_spares_that_would_have_to_be_set_up(self):
        self.refused(2, ["spares.cold = 1 cannot be drilled"], "--set", "spares.cold=1", hosts=5)
        self.refused(2, ["spares.pool = 1 cannot be drilled"], "--set", "spares.pool=1", hosts=5)

    def test_a_cluster_that_is_shared(self):
        self.refused(2, ["cluster.shared.jobs cannot be drilled"], *(word for setting in (
            "cluster.shared.hosts=8", 'cluster.shared.jobs.a={hosts=4, priority=1, arrives="1h", runs="1min"}')
            for word in ("--set", setting)))

    def test_too_few_hosts(self):
        self.refused(2, ["--hosts 3", "write --hosts 4"], hosts=3)

    def test_a_probe_that_no_agent_has(self):
        self.refused(2, ["host_check"], "--set", 'probes.other.time="1s"')

    def test_no_place_for_sockets_and_checkpoints(self):
        missing = str(self.place.path / "missing")
        self.refused(2, ["TMPDIR: " + missing + " is not a directory", "set TMPDIR to a directory in which you may write"],
                     environment=dict(os.environ, TMPDIR=missing))
        # Nothing says beforehand that root may make nothing there.
        code = 1 if os.geteuid() == 0 else 2
        self.refused(code, ["/proc", "set TMPDIR to a directory"], environment=dict(os.environ, TMPDIR="/proc"))

    def test_a_recording_that_cannot_be_written(self):
        self.refused(1, ["/proc/drill.rec", "cannot be written"], "--record", "/proc/drill.rec")

    def test_a_recording_that_is_a_symbolic_link(self):
        """It may be another user's, and lead to any file of this one."""
        with tempfile.TemporaryDirectory() as elsewhere:
            link = pathlib.Path(elsewhere) / "drill.rec"
            link.symlink_to(pathlib.Path(elsewhere) / "target")
            self.refused(1, ["drill.rec: is a symbolic link, which is not followed"], "--record", str(link))
            self.assertEqual([p.name for p in pathlib.Path(elsewhere).iterdir()], ["drill.rec"])

    def test_a_log_that_is_no_file(self):
        """A device would be replaced, a FIFO waits for its reader, and a link leads anywhere."""
        with tempfile.TemporaryDirectory() as elsewhere:
            there = pathlib.Path(elsewhere)
            link, fifo, directory = there / "link", there / "fifo", there / "directory"
            link.symlink_to(there / "target")
            os.mkfifo(fifo)
            directory.mkdir()
            self.refused(2, [f"--log {link} is a symbolic link, which is not followed; name the file itself"], "--log", str(link))
            self.refused(2, [f"--log {fifo} is a FIFO, not a file"], "--log", str(fifo))
            self.refused(2, [f"--log {directory} is a directory, not a file"], "--log", str(directory))
            self.refused(2, [f"{there / 'missing'} is not a directory; make the directory first"],
                         "--log", str(there / "missing" / "log"))
            try:
                os.mknod(there / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
            except PermissionError:
                pass  # not every root may
            else:
                self.refused(2, ["is a device, not a file"], "--log", str(there / "device"))
                (there / "device").unlink()
            self.assertEqual(sorted(p.name for p in there.iterdir()), ["directory", "fifo", "link"])
            self.assertTrue(link.is_symlink() and fifo.is_fifo())

    def test_a_log_on_a_full_disk_is_given_up_and_the_drill_goes_on(self):
        disk = self.place.path / "disk"
        self.mounted(disk, "size=64k,mode=0700")
        log = disk / "log"
        log.write_text("{ }\n" * 1024, encoding="ascii")  # a whole page: no byte of it is left
        with open(disk / "filler", "wb", buffering=0) as filler, self.assertRaises(OSError):
            while True:
                filler.write(bytes(4096))
        run = self.place.run("--no-faults", "--set", "job.steps=200", "--set", "job.step_time=10ms", "--log", str(log))
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.err.count("the drill goes on without this log"), 1, str(run))
        self.assertIn("No space left on device", run.err)

    def mounted(self, path, options):
        """A file system of its own; the test is skipped where this environment does not allow one."""
        path.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, text=True)
        if mount.returncode != 0:
            path.rmdir()
            self.skipTest(f"no file system of its own: {mount.stderr.strip()}")
        self.addCleanup(path.rmdir)
        self.addCleanup(subprocess.run, ["umount", str(path)], check=True)

    def drilled_on(self, disk, code):
        process = subprocess.Popen(self.place.command(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=dict(os.environ, TMPDIR=str(disk)))
        run = drills.finish(process)
        self.assertEqual(run.code, code, str(run))
        self.assertEqual(self.place.processes(), {})
        return run

    def test_a_disk_that_is_full(self):
        disk = self.place.path / "disk"
        self.mounted(disk, "size=64k,mode=0711")
        with open(disk / "filler", "wb", buffering=0) as filler, self.assertRaises(OSError):
            while True:
                filler.write(bytes(4096))
        run = self.drilled_on(disk, code=1)
        self.assertIn(str(disk), run.err)
        self.assertIn("No space left on device", run.err)
        self.assertEqual([p.name for p in disk.iterdir()], ["filler"])

    def test_a_disk_that_is_read_only(self):
        disk = self.place.path / "disk"
        self.mounted(disk, "size=64k,mode=0711,ro")
        run = self.drilled_on(disk, code=2)
        self.assertIn(str(disk), run.err)
        self.assertIn("Read-only file system; set TMPDIR to a directory in which you may write", run.err)

    def test_no_such_place_is_named_with_what_to_set(self):
        self.refused(2, ["TMPDIR: /nowhere/at/all is not a directory", "set TMPDIR"],
                     environment=dict(os.environ, TMPDIR="/nowhere/at/all"))

    def test_a_job_that_never_trains_is_given_up(self):
        """Here every rank ends at once, whatever is done about it."""
        programs = self.place.path / "programs"
        programs.mkdir()
        gauntlet = shutil.copy(drills.GAUNTLET, programs)
        trainer = programs / "gauntlet-trainer"
        trainer.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        trainer.chmod(0o700)
        command = self.place.command("--no-faults", "--set", "job.give_up_after=3s", gauntlet=str(gauntlet))
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.place.environment())
        run = drills.finish(process)
        self.assertEqual(run.code, 1, str(run))
        self.assertEqual(self.place.processes(), {})
        self.assertEqual([p.name for p in self.place.path.iterdir()], ["programs"])

    def interrupted(self, record):
        run = self.place.start("--no-faults", "--record", str(record))
        deadline = time.monotonic() + drills.SECONDS_MAX
        # Interrupted before its ranks say anything, it may leave nothing to go on from.
        while not any(progress.stat().st_size for progress in self.place.path.glob("gauntlet-drill-*/progress")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        done = drills.finish(run)
        self.assertEqual(done.code, 128 + signal.SIGINT, str(done))
        return record.with_name(record.name + ".state")

    def test_a_state_that_names_what_no_drill_made(self):
        record = self.place.path / "drill.rec"
        state = self.interrupted(record)
        (made,) = self.place.path.glob("gauntlet-drill-*")
        others = self.place.path / "precious"
        others.mkdir(mode=0o700)
        link = self.place.path / "gauntlet-drill-link"
        link.symlink_to(others)
        lines = state.read_text(encoding="ascii").splitlines()
        for named in (others, link):
            state.write_text("\n".join([*lines[:-1], str(named), ""]), encoding="ascii")
            run = self.place.run("--no-faults", "--record", str(record))
            self.assertEqual(run.code, 1, str(run))
            self.assertIn("which is not the directory of a drill", run.err)
            self.assertTrue(others.is_dir())
        made.chmod(0o755)
        state.write_text("\n".join(lines) + "\n", encoding="ascii")
        self.assertIn("which is not the directory of a drill", self.place.run("--no-faults", "--record", str(record)).err)

    def test_a_socket_that_is_in_use(self):
        record = self.place.path / "drill.rec"
        self.interrupted(record)
        (made,) = self.place.path.glob("gauntlet-drill-*")
        path = made / "agent-1.sock"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as taken:
            taken.bind(str(path))
            taken.listen()
            run = self.place.run("--no-faults", "--record", str(record))
        self.assertEqual(run.code, 1, str(run))
        self.assertIn("the agent of host 1 does not answer", run.err)
        self.assertIn("agent-1.sock", run.err)
        self.assertEqual(self.place.processes(), {})


if __name__ == "__main__":
    unittest.main()
