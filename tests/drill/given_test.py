"""Drills on agents that somebody else started: hosts are handed to a scheduler and taken back, and one drill follows another."""
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drills  # noqa: E402
from given_agents import GAUNTLET, QUICK, SCENARIO, GivenAgents  # noqa: E402

REASON = "gauntlet: evicted from drill drill-given"


class Given(GivenAgents):
    def test_hosts_are_handed_out_and_taken_back_and_the_next_drill_follows(self):
        first, second, third = (self.agent(name) for name in ("n0", "n1", "n2"))
        self.host_file([first, second], self.scheduler([first, second, third]))
        kept = json.loads(self.state.read_text())
        for name in ("n0", "n1"):
            kept["hosts"][name]["state"] = "given"
        self.state.write_text(json.dumps(kept))
        started = self.place.start(*self.given("--set", 'faults.rank_killed.trace=[{at="1s",component=1}]', "--set", "job.steps=150"))
        self.wait_for("a replacement", lambda: ["acquire", "n1"] in json.loads(self.state.read_text())["calls"])
        so_far = self.steps_done()
        self.wait_for("it trains", lambda: self.steps_done() > so_far + 5)
        (directory,) = self.place.path.glob("gauntlet-drill-*")
        subprocess.run([GAUNTLET, "ctl", "evict", "0", "--reason", "a look", "--drill", str(directory)], check=True, capture_output=True)
        run = drills.finish(started)
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (1, 1), str(run))
        kept = json.loads(self.state.read_text())
        self.assertEqual(kept["calls"], [["evict", "n1", REASON], ["acquire", "n1"], ["evict", "n0", REASON], ["acquire", "n0"],
                                         ["readmit", "n0"]])
        self.assertEqual({name: host["state"] for name, host in kept["hosts"].items()}, {"n0": "given", "n1": "drained", "n2": "given"})
        self.assertIn(f'host 1: n1 was drained, with the reason "{REASON}"', run.out)
        self.assertIn(f"host 1: n1 is replaced by n2 at {third.address}", run.out)
        self.assertIn("no replacement was acquired, and n0 itself comes back after its repair: ", run.out)
        self.assertIn("ended with 1; it last said: no host is free in place of n0", run.out)
        self.assertIn("host 0: n0 was readmitted after its repair", run.out)
        for agent in (first, second, third):
            self.assertEqual(agent.left(), [], agent.said())
            self.assertEqual(agent.starts, 1, agent.said())

        again = self.place.run(*self.given("--no-faults"))
        self.assertEqual(again.code, 0, str(again))
        self.assertEqual(again.final_hash, drills.undisturbed_hash(self.place, *QUICK, "--launch", "local"), str(again))
        self.assertEqual([agent.starts for agent in (first, second)], [1, 1])

    def test_why_a_fault_was_not_injected_is_said(self):
        agents = [self.agent("n0"), self.agent("n1", injects=False)]
        self.host_file(agents)
        run = self.place.run(*self.given("--set", 'faults.rank_killed.trace=[{at="0.5s",component=1}]'))
        self.assertEqual(run.code, 0, str(run))
        self.assertEqual(run.injected, (0, 1), str(run))
        why = ("fault 0 (rank_killed) on host 1 is not injected: this agent injects no faults; start it with --allow-injection")
        self.assertIn(why, run.err)
        self.assertIn("Faults that were not injected\n  " + why, run.out)

    def test_a_job_that_cannot_work_costs_few_hosts(self):
        agents = [self.agent(name) for name in ("n0", "n1", "n2")]
        self.host_file(agents[:2], self.scheduler(agents))
        run = self.place.run(*self.given("--set", 'drill.command={arguments=["false"]}', "--set", 'faults.rank_killed.trace=[{at="1h",component=1}]'))
        self.assertEqual(run.code, 1, str(run))
        self.assertIn("ranks ended by themselves: look for the cause in the job, not in its hosts", run.err)
        calls = [call for call in json.loads(self.state.read_text())["calls"] if call[0] == "evict"]
        self.assertLessEqual(len(calls), 12, str(run))  # both hosts in each of six starts at most

    @unittest.skipUnless(os.geteuid() == 0, "only root runs ranks as another user")
    def test_agents_that_run_ranks_as_another_user_are_refused(self):
        with unittest.mock.patch.object(drills, "run_as", lambda: ["--run-as", "daemon"]):
            agents = [self.agent("n0"), self.agent("n1")]
        self.host_file(agents)
        run = self.place.run(*self.given())
        self.assertEqual(run.code, 1, str(run))
        self.assertRegex(run.err, r"runs ranks as user \d+, and the drill as \w+ \(\d+\): give both the same --run-as")

    def test_certificates_of_another_host_and_of_another_lab_are_refused(self):
        good = self.agent("n0")
        wrong = self.agent("n1", certificate="n0")
        self.host_file([good, wrong])
        run = self.place.run(*self.given("--no-faults"))
        self.assertEqual(run.code, 1, str(run))
        self.assertIn("the agent of host 1 does not answer: ", run.err)
        self.assertIn("refused: ", run.err)
        self.assertIn("see its log on n1", run.err)
        self.wait_for("n0 is free", lambda: "the next one may begin" in good.said())

        (self.place.path / "ca").rename(self.place.path / "old")
        self.certs("init", "--cluster", "lab-2")
        self.certs("issue", "--role", "driver", "--host", "localhost")
        run = self.place.run(*self.given("--no-faults"))
        self.assertEqual(run.code, 1, str(run))
        self.assertIn("refused", run.err)


class HostFiles(unittest.TestCase):
    def setUp(self):
        self.place = drills.Place(SCENARIO, hosts=2).__enter__()
        self.addCleanup(self.place.__exit__)
        for words in (["init", "--cluster", "lab-1"], ["issue", "--role", "driver", "--host", "localhost"]):
            subprocess.run([GAUNTLET, "certs", words[0], str(self.place.path / "ca"), *words[1:]], check=True, capture_output=True)

    def dry_run(self, text, *arguments):
        (self.place.path / "hosts.toml").write_text(text)
        return self.place.run("--launch", "given", "--host-file", str(self.place.path / "hosts.toml"), "--certs",
                              str(self.place.path / "ca"), *QUICK, "--dry-run", *arguments)

    def test_a_dry_run_lists_hosts_and_commands(self):
        run = self.dry_run('[hosts]\nn1 = "10.0.0.2:7400"\n"n0.lab" = "10.0.0.1:7400"\nn2 = "10.0.0.3:7400"\n'
                           '[commands]\nevict = ["drain", "{host}", "{reason}"]\n')
        self.assertEqual((run.code, run.err), (0, ""), str(run))
        rows = [line.split() for line in run.out.splitlines()]
        for row in (["0", "n1", "10.0.0.2:7400"], ["1", "n0.lab", "10.0.0.1:7400"], ["replacement", "n2", "10.0.0.3:7400"]):
            self.assertIn(row, rows, str(run))
        self.assertRegex(run.out, f'a host is evicted +drain HOST "{REASON}"')
        self.assertRegex(run.out, "a host comes back +-")

    def test_the_example_is_a_host_file(self):
        with open("scripts/given/hosts.toml", encoding="utf-8") as example:
            run = self.dry_run(example.read())
        self.assertEqual((run.code, run.err), (0, ""), str(run))
        self.assertRegex(run.out, "a host comes back +kubectl uncordon HOST")

    def test_mistakes_are_named_with_their_lines(self):
        two = '[hosts]\nn0 = "10.0.0.1:7400"\nn1 = "10.0.0.2:7400"\n'
        for text, words in (
                ("[hosts", "hosts.toml:1:"),
                ("", "hosts has no host; write [hosts]"),
                ('[hosts]\nn0 = "10.0.0.1:7400"\n', "hosts.toml: has 1 host, and the scenario needs 2, spare hosts included"),
                ('[hosts]\nn0 = "10.0.0.1:7400"\nn0 = "10.0.0.2:7400"\n', "hosts.toml:3:"),
                ('[hosts]\nn0 = "10.0.0.1:7400"\nn1 = "10.0.0.1:7400"\n', 'hosts.toml:3:6: hosts.n1 = "10.0.0.1:7400" is the address of n0 too'),
                ('[hosts]\nn0 = "10.0.0.1"\n', "is not an address; write where its agent listens"),
                ('[hosts]\nn0 = "10.0.0.1:0"\n', "is not an address"),
                ('[hosts]\nn0.lab = "10.0.0.1:7400"\n', "is a table; put a name with dots in quotes"),
                ('[hosts]\nN_0 = "10.0.0.1:7400"\n', "has a name that no certificate has"),
                (two + "[command]\n", 'command is unknown; did you mean "commands"?'),
                (two + '[commands]\nevict = "drain {host}"\n', "is not a command; write its program and arguments"),
                (two + '[commands]\nevict = ["{host}"]\n', "has no program"),
                (two + '[commands]\nevict = ["drain", "--node={host}"]\n', 'has "--node={host}", which is passed on as it is'),
                (two + '[commands]\nevct = ["drain"]\n', "evct is unknown"),
                (two + '[commands]\ntimeout = "soon"\n', "is not a time")):
            run = self.dry_run(text)
            self.assertEqual(run.code, 2, f"{text}\n{run}")
            self.assertIn(words, run.err, text)

    def test_what_is_missing_is_named(self):
        run = self.place.run("--launch", "given", *QUICK)
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("--launch given needs a host file; write --host-file FILE", run.err)
        run = self.place.run("--launch", "given", "--host-file", "none.toml", *QUICK)
        self.assertIn("--launch given needs the driver's certificate; write --certs DIR", run.err)
        run = self.place.run("--launch", "given", "--host-file", "none.toml", "--certs", str(self.place.path / "ca"), *QUICK)
        self.assertIn("none.toml", run.err)
        (self.place.path / "hosts.toml").write_text('[hosts]\nn0 = "127.0.0.1:1"\nn1 = "127.0.0.1:2"\n[commands]\nevict = ["no-such-program"]\n')
        run = self.place.run("--launch", "given", "--host-file", str(self.place.path / "hosts.toml"), "--certs", str(self.place.path / "ca"),
                             *QUICK)
        self.assertEqual(run.code, 1, str(run))
        self.assertIn("commands.evict of the host file cannot be run: no-such-program", run.err)
        run = self.place.run("--host-file", "none.toml", *QUICK)
        self.assertEqual(run.code, 2, str(run))
        self.assertIn("--host-file none.toml names hosts that --launch local does not use", run.err)
        agent = subprocess.run([GAUNTLET, "agent", "--directory", "none", "--trainer", "none"], capture_output=True, text=True, check=False)
        self.assertEqual(agent.returncode, 2)
        self.assertIn("--host is missing: an agent is one host of a drill; write --host N, or --stay", agent.stderr)


if __name__ == "__main__":
    unittest.main()
