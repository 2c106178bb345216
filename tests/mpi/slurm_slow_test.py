"""The batch script on a real Slurm with four virtual nodes: as it should be, and with nodes drained and lost."""
import os
import pathlib
import shutil
import sys
import tempfile

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "..", "scripts", "slurm")]
from studies import GAUNTLET, StudyTest, stored, sweep, wait_until  # noqa: E402
from virtual_cluster import Cluster, missing  # noqa: E402

import unittest  # noqa: E402

REPLICAS = 4000
SCRIPT = "scripts/slurm/study.sbatch"
SECONDS_MAX = 400


class Slurm(StudyTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(missing(), [], "packages.txt names the packages that these programs come from")
        place = tempfile.mkdtemp(prefix="slurm-")
        self.addCleanup(shutil.rmtree, place)
        self.cluster = Cluster(place)
        self.addCleanup(self.cluster.stop)
        self.cluster.start(4)
        self.out = self.place / "out"

    def submit(self):
        words = ("sbatch", "--parsable", f"--output={self.place}/log", f"--export=ALL,GAUNTLET={GAUNTLET}", SCRIPT)
        return self.cluster.ask(*words, str(self.out), *sweep(REPLICAS)).strip()

    def state(self, job):
        fields = dict(word.split("=", 1) for word in self.cluster.ask("scontrol", "show", "job", job).split() if "=" in word)
        return fields["JobState"], int(fields["Restarts"]), fields["NodeList"]

    def in_the_middle(self):
        wait_until(lambda: stored(self.out) >= REPLICAS / 8, "an eighth of a point is stored")

    def completes(self, job):
        self.cluster.wait_until(lambda: self.state(job)[0] in ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL"),
                                f"job {job} ends", SECONDS_MAX)
        log = pathlib.Path(self.place / "log").read_text()
        self.assertEqual(self.state(job)[0], "COMPLETED", log)
        self.assert_same(self.run_alone(f"{self.out.name}-alone", REPLICAS), self.out)
        return log

    def test_four_nodes(self):
        job = self.submit()
        self.in_the_middle()
        self.assertEqual(self.state(job)[2], "n[1-4]")
        self.completes(job)

    def test_a_node_that_is_drained_finishes_its_work(self):
        job = self.submit()
        self.in_the_middle()
        self.cluster.ask("scontrol", "update", "nodename=n3", "state=drain", "reason=test")
        self.assertEqual(self.cluster.states()["n3"], "draining")
        self.completes(job)
        self.assertEqual(self.cluster.states()["n3"], "drained")

    def test_when_a_node_is_lost_the_job_starts_again_and_goes_on(self):
        job = self.submit()
        self.in_the_middle()
        self.cluster.lose("n1")  # the batch script is there, and rank 0
        self.assertGreater(stored(self.out), 0)
        self.completes(job)
        self.assertEqual(self.state(job)[1:], (1, "n[2-4]"))


if __name__ == "__main__":
    unittest.main()
