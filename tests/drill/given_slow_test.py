"""Agents that stay, when something is lost during a drill: an agent, or the driver; and a second driver that comes too early."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drills  # noqa: E402
from given_agents import GivenAgents  # noqa: E402


class Lost(GivenAgents):
    def test_an_agent_that_is_killed_is_back_and_a_second_driver_is_refused(self):
        agents = [self.agent(name) for name in ("n0", "n1")]
        self.host_file(agents)
        run = self.place.start(*self.given("--no-faults", "--set", "job.steps=100"))
        self.wait_for("step 5", lambda: self.steps_done() >= 5)
        other = self.place.run(*self.given("--no-faults"))
        self.assertEqual(other.code, 1, str(other))
        self.assertIn("it serves another drill, until that drill ends or its driver stays away", other.err)
        agents[1].process.kill()
        done = drills.finish(run)
        self.assertEqual(done.code, 0, str(done))
        self.assertIn("agent of host 1 is gone", done.err)
        self.assertEqual([agent.starts for agent in agents], [1, 2])
        self.assertEqual([agent.left() for agent in agents], [[], []])

    def test_a_driver_that_is_killed_leaves_its_agents_to_the_next_drill(self):
        agents = [self.agent(name) for name in ("n0", "n1")]
        self.host_file(agents)
        run = self.place.start(*self.given("--no-faults"))
        self.wait_for("step 5", lambda: self.steps_done() >= 5)
        run.kill()
        run.communicate()
        for agent in agents:
            self.wait_for("the end of the drill", lambda agent=agent: "no driver attends: the drill ends here" in agent.said())
            self.wait_for("its rest", lambda agent=agent: "the next one may begin" in agent.said())
            self.assertEqual(agent.left(), [], agent.said())
        again = self.place.run(*self.given("--no-faults", "--set", "job.steps=5"))
        self.assertEqual(again.code, 0, str(again))

    def test_ctrl_c_waits_for_no_command_and_the_next_driver_says_where_to_look(self):
        agents = [self.agent(name) for name in ("n0", "n1")]
        self.host_file(agents, 'evict = ["sleep", "7200"]\ntimeout = "2h"')  # a driver that waits for it does not end in time
        words = self.given("--set", 'faults.rank_killed.trace=[{at="1s",component=1}]', "--record", str(self.place.path / "drill.rec"))
        run = self.place.start(*words)
        self.wait_for("the evict command", lambda: any("task 0 1 n1 1\n" in file.read_text() for file in
                                                       self.place.path.glob("gauntlet-drill-*/given-hosts")))
        run.send_signal(signal.SIGINT)
        stopped = drills.finish(run)
        self.assertEqual(stopped.code, 128 + signal.SIGINT, str(stopped))
        self.assertIn("host 1: the evict command for n1 was stopped before it ended: the driver was told to stop; it is left for the driver "
                      "that continues the drill", stopped.err)
        again = self.place.run(*words)
        self.assertEqual(again.code, 0, str(again))
        self.assertIn("host 1: the evict command for n1 was run, and its driver ended before it; it is not run again: look at n1", again.out)


if __name__ == "__main__":
    unittest.main()
