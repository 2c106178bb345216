"""kill -9 at any moment, then --resume: the same bytes as of a study that nobody killed."""
import os
import pathlib
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from studies import GAUNTLET, SECONDS_MAX, StudyTest, stored, sweep, wait_until  # noqa: E402

REPLICAS = 800
SEED = int(os.environ.get("SEED", "4"))  # of the moments


class Resume(StudyTest):
    def start(self, out, resume):
        words = [GAUNTLET, *sweep(REPLICAS), "--threads", "2", "--out", str(out), *(["--resume"] if resume else [])]
        process = subprocess.Popen(words, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def complete(self, out):
        process = self.start(out, resume=True)
        err = process.communicate(timeout=SECONDS_MAX)[1]
        self.assertEqual(process.returncode, 0, err)

    def test_twenty_moments(self):
        print(f"repeat with SEED={SEED}", file=sys.stderr)
        moments = random.Random(SEED)
        alone = self.run_alone("alone", REPLICAS)
        killed = 0
        for number in range(20):
            out = self.place / f"out-{number}"
            # Up to three deaths in a row, each a random number of replicas and of loops later.
            reached = 0
            for death in range(moments.randint(1, 3)):
                process = self.start(out, resume=death > 0)
                # Beyond the last replica lie the export and the renaming.
                target = reached + moments.randint(0, 2 * REPLICAS - reached)
                loops = int(10 ** moments.uniform(0, 6.5))  # up to the time that the export takes
                wait_until(lambda: stored(out) >= target or process.poll() is not None, f"{target} replicas are stored")
                for _ in range(loops):
                    pass
                process.kill()
                killed += process.wait(timeout=SECONDS_MAX) < 0
                self.assertTrue((out / "result.json").exists() or not out.exists(), "results are complete or not there")
                if out.exists():
                    break
                self.assertGreaterEqual(stored(out), reached, "what was stored is lost")
                reached = stored(out)
            self.complete(out)
            self.assert_same(alone, out)
        self.assertGreaterEqual(killed, 20)

    def test_a_smaller_half_width_gives_the_bytes_of_a_study_that_began_with_it(self):
        def study(out, precision, *options, code=0):
            done = subprocess.run([GAUNTLET, "sweep", "scenarios/tiny-8.toml", "--vary", "checkpoint.interval=10min,1h", "--quiet",
                                   "--precision", precision, "--out", str(out), *options],
                                  text=True, capture_output=True, timeout=SECONDS_MAX, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr
        grown, alone = self.place / "grown", self.place / "alone"
        study(grown, "0.5%")
        study(grown, "0.2%", "--resume")
        study(alone, "0.2%")
        self.assert_same(alone, grown)
        refused = study(grown, "0.3%", "--resume", code=2)
        self.assertIn("holds a study with --precision 0.2%, and --precision 0.3% asks for less; continue with --precision 0.2%, or", refused)
        self.assertNotIn("--replicas", refused)
        self.assert_same(alone, grown)


if __name__ == "__main__":
    unittest.main()
