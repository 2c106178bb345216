"""A host is lost with all that it had in memory: with copies in peers' memory the job goes on from these, in both worlds, else from storage."""
import json
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402

PEERS = pathlib.Path("scenarios/drills/peers.toml")
EVERY = 5  # steps between copies for peers: 1 s of 200 ms


class Peers(unittest.TestCase):
    def drill(self, place):
        """The steps after which the job went on, the time that each world recomputed, and the run."""
        log = place.path / "log.jsonl"
        run = place.run("--against-simulation", "--log", str(log))
        self.assertEqual(run.code, 0, str(run))
        self.assertIn("The sequences are the same", run.out, str(run))
        self.assertEqual(place.processes(), {})
        events = [json.loads(line) for line in log.read_text().splitlines()]
        steps = [event["result.step"] for event in events if event.get("result") == "Loaded"]
        real, simulated = re.search(r"^ +recomputing +([\d.]+) +([\d.]+) ", run.out, re.M).groups()
        return steps, float(real), float(simulated), run

    def test_what_is_lost_is_what_no_peer_holds(self):
        with drills.Place(str(PEERS)) as place:
            with_peers, real, simulated, run = self.drill(place)
            undisturbed = drills.undisturbed_hash(place, "--set", "checkpoint.peers_interval=100ms")
        self.assertEqual(with_peers[0], 0)
        self.assertEqual(len(with_peers), 2)
        self.assertGreater(with_peers[1], 0, "storage has nothing yet")
        self.assertEqual(with_peers[1] % EVERY, 0)
        self.assertEqual(run.final_hash, undisturbed)

        with drills.Place() as place:
            scenario = place.path / "storage.toml"
            text = PEERS.read_text().replace('"../drill-tiny.toml"', json.dumps(str(PEERS.parent.resolve().parent / "drill-tiny.toml")))
            for section in (r'peers_interval = "1s"\n', r"\[storage\.peers\]\n(.+\n)+"):
                text, count = re.subn(section, "", text)
                self.assertEqual(count, 1)
            scenario.write_text(text)
            place.scenario = str(scenario)
            without, real_without, simulated_without, run = self.drill(place)
        self.assertEqual(without, [0, 0])
        self.assertEqual(run.final_hash, undisturbed)
        self.assertLess(real, real_without)
        self.assertLess(simulated, simulated_without)


if __name__ == "__main__":
    unittest.main()
