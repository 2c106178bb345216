"""Policies in Python: twins of shipped ones give the same replicas, and one that breaks a rule ends with an exception that says so."""

import itertools
import os
import pickle
import signal
import tempfile
import threading
import unittest
import warnings

import gauntlet
from command import ROOT, json_of
from policies import Daly, Hang, Replace

os.chdir(ROOT)

HOUR = gauntlet.HOUR


def bytes_after_scenario(recording):
    """The file of a recording from its first observation on; before that stand the scenario, which names the policies, and a checksum."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording")
        recording.save(path)
        with open(path, "rb") as file:
            whole = file.read()
    scenario = recording.scenario.encode()
    return whole[whole.index(scenario) + len(scenario) + 32:]


class Twins(unittest.TestCase):
    """Each in place of the shipped policy: the same figures, fingerprints and records."""

    def same(self, shipped, twin, of, to):
        before, after = gauntlet.run(shipped, replicas=24), gauntlet.run(twin, replicas=24)
        self.assertTrue(after.replicas.equals(before.replicas))  # the fingerprint is one of its columns
        self.assertIn("fingerprint", before.replicas.columns)
        self.assertTrue(after.metrics.equals(before.metrics))
        for replica in (0, 7):
            one, other = gauntlet.record(shipped, replica), gauntlet.record(twin, replica)
            self.assertEqual(other.scenario, one.scenario.replace(of, to))
            self.assertNotEqual(other.scenario, one.scenario)
            one_bytes, other_bytes = bytes_after_scenario(one), bytes_after_scenario(other)
            self.assertGreater(len(one_bytes), 1000)
            self.assertEqual(one_bytes, other_bytes)
            self.assertTrue(other.observations.equals(one.observations))
            self.assertTrue(other.orders.equals(one.orders))

    def test_a_checkpoint_policy(self):
        s = gauntlet.load("tiny-8")
        self.assertEqual(s["policies.checkpoint"], "daly")
        self.same(s, s.with_({"policies.checkpoint": Daly}), 'checkpoint = "daly"', 'checkpoint = "Daly"')

    def test_a_detector(self):
        s = gauntlet.load("tiny-8", set={"policies.detect": ["heartbeat", "hang", "exit", "log"]})
        twin = s.with_policies(detectors=["heartbeat", Hang, "exit", "log"])
        self.same(s, twin, '["heartbeat", "hang"', '["heartbeat", "Hang"')

    def test_a_recovery(self):
        s = gauntlet.load("tiny-8")
        self.same(s, s.with_policies(recovery=Replace), 'recover = "replace"', 'recover = "Replace"')

    def test_all_at_once_and_on_any_number_of_threads(self):
        given = dict(checkpoint=Daly, detectors=["heartbeat", "exit", "log", "collective-timeout", Hang], recovery=Replace)
        expected = gauntlet.run("tiny-8", replicas=64)
        for threads in (1, 4):
            twin = gauntlet.run("tiny-8", replicas=64, threads=threads, **given)
            self.assertTrue(twin.replicas.equals(expected.replicas))

    def test_shipped_policies_by_name(self):
        young = gauntlet.run("tiny-8", replicas=5, checkpoint="young")
        self.assertEqual(young.json, json_of("run", "tiny-8", "--replicas", "5", "--set", "policies.checkpoint=young"))


class Studies(unittest.TestCase):
    def test_compare(self):
        s = gauntlet.load("tiny-8")
        both = gauntlet.compare(s, s.with_policies(checkpoint=Daly), s.with_policies(checkpoint="fixed"), replicas=16)
        differences = both.differences
        self.assertEqual(differences.loc[(0, "ettr"), "difference"], 0)
        self.assertNotEqual(differences.loc[(1, "ettr"), "difference"], 0)
        changes = gauntlet.compare(s, changes=[{"policies.checkpoint": Daly}], replicas=16)
        self.assertEqual(changes.differences.loc[(0, "ettr"), "difference"], 0)

    def test_sweep(self):
        swept = gauntlet.sweep("tiny-8", {"policies.checkpoint": ["daly", Daly, "fixed"]}, replicas=8)
        self.assertEqual(len(swept.points), 3)
        first, second, third = (swept.values("ettr", point) for point in range(3))
        self.assertTrue((first == second).all())
        self.assertFalse((first == third).all())

    def test_a_result_directory_does_not_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            gauntlet.run("tiny-8", replicas=2, out=out, checkpoint=Daly)
            with self.assertRaisesRegex(gauntlet.InputError, "resume: .*may have changed since; start anew"):
                gauntlet.run("tiny-8", replicas=4, out=out, resume=True, checkpoint=Daly)


class Misbehaves(gauntlet.CheckpointPolicy):
    """Does something at the second time that training begins."""

    deed = None

    def start(self, job):
        self.starts = 0
        self.checkpoint_every(HOUR)

    def training_began(self):
        self.starts += 1
        if self.starts == 2 and type(self).deed(self) == "nonsense":
            return "nonsense"


def misbehaving(deed):
    return type("Misbehaves", (Misbehaves,), {"deed": staticmethod(deed)})


def raises(policy):
    raise LookupError("no such figure")


def floods(policy):
    while True:
        policy.wake(policy.now)


class Broken(unittest.TestCase):
    def error_of(self, **policies):
        with self.assertRaises(gauntlet.PolicyError) as caught:
            gauntlet.record("tiny-8", replica=7, **policies)
        return caught.exception

    def test_the_message_names_policy_replica_observation_and_rule(self):
        cases = [
            (lambda p: p.checkpoint_every(-1), "the interval of periodic checkpoints must be above zero; it ordered "
                                               "CheckpointEvery{job=0 interval=-1ns tier=storage}"),
            (lambda p: p.wake(p.now - 1), "a wake must not be in the past; it ordered Wake{at="),
            (lambda p: p.cancel(1), "a policy must cancel only an order of its own without an outcome; it ordered Cancel{order=1}"),
            (lambda p: p.watch(77, "step", silence=HOUR), "a watch must have an id that the policy took at the start"),
            (floods, "a policy must give at most 10,000 orders at one time; it ordered Wake{at="),
            (raises, "a policy must not raise an exception; LookupError: no such figure (policies_test.py, line "),
            (lambda p: "nonsense", "a policy must not raise an exception; a hook must return None, not 'nonsense'"),
            (lambda p: p.checkpoint_every(1.5), "TypeError: interval: 1.5 is not an int of nanoseconds, nor a datetime.timedelta"),
            (lambda p: p.checkpoint_every(10**30), "is beyond 292 years in nanoseconds"),
            (lambda p: p.checkpoint_every(HOUR, "disk"), "ValueError: tier: 'disk' is not one of memory, peers, storage"),
            (lambda p: p.watch(1, "steps", silence=1), "ValueError: signal: 'steps' is not one of heartbeat, "),
            (lambda p: p.watch(1, "step"), "ValueError: a watch needs one of silence, outside, pattern and samples"),
            (lambda p: p.watch_id(), "RuntimeError: ids of watches are taken in start alone"),
            (lambda p: p.evict(3), "AttributeError: 'Misbehaves' object has no attribute 'evict'"),
        ]
        for deed, end in cases:
            error = self.error_of(checkpoint=misbehaving(deed))
            with self.subTest(end):
                self.assertTrue(str(error).startswith("checkpoint policy Misbehaves, replica 7 (seed 1), after "), str(error))
                self.assertIn(" ns), answering Outcome{order=", str(error))
                self.assertIn(end, str(error))
                self.assertEqual((error.policy, error.kind, error.replica, error.seed), ("Misbehaves", "checkpoint policy", 7, 1))
                self.assertIn(error.rule, str(error))
                self.assertIn(error.observation, str(error))

    def test_an_exception_is_the_cause(self):
        error = self.error_of(checkpoint=misbehaving(raises))
        self.assertIsInstance(error.__cause__, LookupError)
        self.assertEqual(error.__cause__.__traceback__.tb_next.tb_frame.f_code.co_name, "raises")

    def test_a_policy_does_not_run_a_study(self):
        class Nested(gauntlet.CheckpointPolicy):
            def start(self, job):
                gauntlet.run("tiny-8", replicas=1)

        error = self.error_of(checkpoint=Nested)
        self.assertIn("a policy must not run a command", str(error))

    def test_another_process_reads_the_error(self):
        class Raises(gauntlet.CheckpointPolicy):
            def start(self, job):
                raise ValueError("no such figure")

        error = self.error_of(checkpoint=Raises)
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.policy, copy.rule, copy.seed), (str(error), error.policy, error.rule, error.seed))
        with self.assertRaisesRegex(gauntlet.Error, "save it there"):
            copy.recording

    def test_a_method_that_is_nearly_a_hook_is_warned_of(self):
        with self.assertWarnsRegex(UserWarning, "traning_began is not a hook, so nothing calls it; did you mean training_began"):
            class Misspelt(gauntlet.CheckpointPolicy):
                def traning_began(self):
                    pass
        with warnings.catch_warnings():
            warnings.simplefilter("error")

            class Own(gauntlet.CheckpointPolicy):
                def training_began(self):
                    self.reckon()

                def reckon(self):
                    pass

    def test_a_policy_that_cannot_be_made(self):
        class Needs(gauntlet.CheckpointPolicy):
            def __init__(self, interval):
                self.interval = interval

        error = self.error_of(checkpoint=Needs)
        self.assertIn("checkpoint policy Needs, replica 7 (seed 1), before its first observation: a policy must not raise an exception; "
                      "TypeError: ", str(error))
        self.assertIsNone(error.at_ns)

    def test_decisions(self):
        class Decides(gauntlet.Recovery):
            answer = None

            def stopped(self, stop):
                return type(self).answer

        for answer, end in (("restrat", "a recovery must return \"restart\", \"examine\", \"ask\" or (\"replace\", hosts), not 'restrat'"),
                            (("replace", [8]), "a host that is to be replaced must carry the job; host 8 does not"),
                            (("replace", []), "a decision to replace must name hosts; it names none")):
            Decides.answer = answer
            with self.assertRaises(gauntlet.PolicyError) as caught:
                gauntlet.run("tiny-8", replicas=20, recovery=Decides)
            self.assertIn("recovery Decides, replica ", str(caught.exception))
            self.assertIn(end, str(caught.exception))

    def test_a_detector_suspects_hosts_of_the_cluster(self):
        class Points(Hang):
            def seen(self, seen):
                self.suspect(99)

        with self.assertRaises(gauntlet.PolicyError) as caught:
            gauntlet.run("tiny-8", replicas=20, detectors=["exit", Points])
        self.assertIn("a suspected host must be one of the cluster; a suspicion of host 99", str(caught.exception))
        self.assertIn("answering Seen{watch=", str(caught.exception))

    def test_the_recording_replays_to_the_same_point(self):
        policy = misbehaving(raises)
        error = self.error_of(checkpoint=policy)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "error.gauntlet")
            error.recording.save(path)
            with self.assertRaises(gauntlet.InputError):
                gauntlet.replay(path, checkpoint=policy)  # it does not hold a whole run
            with self.assertRaises(gauntlet.PolicyError) as caught:
                gauntlet.replay(path, checkpoint=policy, cut_short=True)
            self.assertEqual(str(caught.exception), str(error))
            mended = gauntlet.replay(path, checkpoint=misbehaving(lambda policy: None), cut_short=True)
            self.assertTrue(mended.identical)
            self.assertEqual(mended.observations, len(error.recording.observations))

    def test_a_study_ends(self):
        for threads in (1, 4):
            with self.assertRaisesRegex(gauntlet.PolicyError, "checkpoint policy Misbehaves, replica 0 "):
                gauntlet.run("tiny-8", replicas=64, threads=threads, checkpoint=misbehaving(raises))

    def test_ctrl_c_in_a_hook_ends_the_study(self):
        class Interrupts(gauntlet.CheckpointPolicy):
            calls = itertools.count()

            def start(self, job):
                if next(type(self).calls) == 40:
                    raise KeyboardInterrupt

        with self.assertRaises(gauntlet.Interrupted) as caught:
            gauntlet.run("tiny-8", replicas=100_000, threads=1, checkpoint=Interrupts)
        self.assertTrue(0 < len(caught.exception.result.replicas) < 40)
        with self.assertRaises(KeyboardInterrupt):
            Interrupts.calls = itertools.count(40)
            gauntlet.record("tiny-8", checkpoint=Interrupts)


    def test_ctrl_c_ends_a_hook_that_does_not_return(self):
        entered = threading.Event()

        class Loops(gauntlet.CheckpointPolicy):
            def start(self, job):
                entered.set()
                while True:
                    pass

        def interrupt():
            entered.wait()
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            thread = threading.Thread(target=interrupt)
            thread.start()
            with self.assertRaises(gauntlet.Interrupted):
                gauntlet.run("tiny-8", replicas=4, threads=1, checkpoint=Loops)
            thread.join()
        finally:
            signal.signal(signal.SIGINT, before)

    def test_a_recording_is_replayed_by_the_policies_that_it_names(self):
        recording = gauntlet.record("tiny-8")
        with self.assertRaisesRegex(gauntlet.InputError, "the policies of its scenario do not name Daly"):
            recording.replay(Daly)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tiny.gauntlet")
            recording.save(path)
            with self.assertRaisesRegex(TypeError, "5 is not a class of a policy"):
                gauntlet.replay(path, checkpoint=5)
            self.assertTrue(gauntlet.replay(path).identical)


class State(unittest.TestCase):
    def test_that_outlives_a_replica_is_found(self):
        class Leaks(gauntlet.CheckpointPolicy):
            made = 0

            def start(self, job):
                Leaks.made += 1
                self.checkpoint_every(Leaks.made * HOUR)

        rule = "a policy must give the same orders for the same observations in each replica"
        with self.assertRaises(gauntlet.PolicyError) as caught:
            gauntlet.run("tiny-8", replicas=3, checkpoint=Leaks)
        self.assertTrue(str(caught.exception).startswith(
            "checkpoint policy Leaks, replica 0 (seed 1), after 0s (0 ns), answering Started{"), str(caught.exception))
        self.assertIn(f"{rule}; the first time: CheckpointEvery{{job=0 interval=3600000000000ns tier=storage}}; now: "
                      "CheckpointEvery{job=0 interval=18000000000000ns tier=storage}; it keeps state outside of its object",
                      str(caught.exception))
        with self.assertRaisesRegex(gauntlet.PolicyError, rule):
            gauntlet.record("tiny-8", checkpoint=Leaks)

    def test_over_time_is_of_the_replicas_that_were_run(self):
        class Forgets(gauntlet.CheckpointPolicy):
            starts = itertools.count()

            def start(self, job):
                # The first replica is run and checked as often as it takes; later ones differ when they run again.
                self.checkpoint_every(HOUR if next(type(self).starts) < 7 else 2 * HOUR)

        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            with self.assertRaises(gauntlet.Error) as caught:
                gauntlet.run("tiny-8", replicas=5, threads=1, out=out, over_time="1d", checkpoint=Forgets)
            self.assertRegex(str(caught.exception), "gave other results when it ran again|must give the same orders")
            self.assertFalse(os.path.exists(out))

    def test_of_one_object_is_its_own(self):
        counted = []

        class Counts(gauntlet.CheckpointPolicy):
            def start(self, job):
                self.starts = 0

            def training_began(self):
                self.starts += 1
                counted.append(self.starts)

        gauntlet.run("tiny-8", replicas=3, threads=1, checkpoint=Counts)
        self.assertEqual(counted.count(1), 5)  # three replicas, the first one before them, and its repetition
        self.assertGreater(len(counted), 10)


class Names(unittest.TestCase):
    def test_are_of_one_class(self):
        one, other = (type("Mine", (gauntlet.CheckpointPolicy,), {}) for _ in range(2))
        with self.assertRaisesRegex(ValueError, "two policies are called Mine: "):
            gauntlet.compare(gauntlet.load("tiny-8").with_policies(checkpoint=one),
                             gauntlet.load("tiny-8").with_policies(checkpoint=other), replicas=2)
        shipped = type("daly", (gauntlet.CheckpointPolicy,), {})
        with self.assertRaisesRegex(ValueError, 'the custom policy "daly" has the name of a shipped policy'):
            gauntlet.run("tiny-8", checkpoint=shipped)

    def test_the_kind_fits_the_key(self):
        with self.assertRaisesRegex(gauntlet.ScenarioError, '"Hang" is not a checkpoint policy'):
            gauntlet.run("tiny-8", checkpoint=Hang)
        with self.assertRaisesRegex(TypeError, "is not a value of a scenario"):
            gauntlet.run("tiny-8", checkpoint=Daly())

    def test_hooks_alone_give_orders(self):
        with self.assertRaisesRegex(RuntimeError, "only while one of its hooks runs"):
            Daly().wake(0)


if __name__ == "__main__":
    unittest.main()
