"""Drills in an allocation of a real Slurm with virtual nodes: what becomes of an evicted host's node, and who replaces it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(__file__)
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "scripts", "slurm")]
import drills  # noqa: E402
from virtual_cluster import Cluster, missing  # noqa: E402

GAUNTLET = os.environ["GAUNTLET"]
SCENARIO = "scenarios/drills/slurm.toml"
REASON = "gauntlet: evicted from drill drill-slurm"
SECONDS_MAX = 240
WITHOUT_RIGHTS = """#!/bin/sh
if [ "$1" = update ]; then echo "slurm_update error: Access/permission denied" >&2; exit 1; fi
exec {scontrol} "$@"
"""


class Slurm(unittest.TestCase):
    def setUp(self):
        self.assertEqual(missing(), [], "packages.txt names the packages that these programs come from")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.cluster = Cluster(self.place)
        self.addCleanup(self.cluster.stop)
        self.shared = self.place / "shared"
        self.shared.mkdir(mode=0o700)

    def drill(self, *arguments, nodes=4, path=None):
        environment = dict(self.cluster.environment, TMPDIR=str(self.shared))
        if path:
            environment["PATH"] = f"{path}:{environment['PATH']}"
        words = ["salloc", "--no-kill", "--kill-command=TERM", f"--nodes={nodes}", "--exclusive", GAUNTLET, "drill", SCENARIO,
                 "--hosts", "4", "--launch", "slurm", *drills.run_as("root"), *arguments]
        done = subprocess.run(words, text=True, capture_output=True, env=environment, timeout=SECONDS_MAX)
        return done.returncode, done.stdout, done.stderr

    def reasons(self):
        return dict(line.split(maxsplit=1) for line in
                    self.cluster.ask("sinfo", "--list-reasons", "--noheader", "--format=%N %E").splitlines())

    def leaves_nothing(self):
        self.assertEqual(list(self.shared.iterdir()), [], "files of the drill")
        self.cluster.wait_until(lambda: self.cluster.ask("squeue", "--noheader") == "", "no job is left")

    def finished(self, code, out, err):
        self.assertEqual(code, 0, err)
        self.assertIn("100 steps finish", out)
        self.assertIn("1 of 1 planned faults were injected", err)

    def test_an_evicted_host_is_drained_and_its_replacement_joins(self):
        self.cluster.start(5)
        code, out, err = self.drill()
        self.finished(code, out, err)
        self.assertEqual(self.reasons(), {"n2": REASON})
        self.assertIn("host 1 is n5 at ", err)
        self.assertIn("host 0 is n1 at ", err)
        self.assertRegex(out, r"Hosts\n  host 1: node n2 was drained.*\n  host 1 was replaced: node n5 by job 2\n")
        self.assertRegex(out, r"Detection times carry an error of up to [0-9.]+ ms")
        self.leaves_nothing()

    def test_where_no_node_is_free_the_host_itself_is_resumed(self):
        self.cluster.start(4)
        code, out, err = self.drill()
        self.finished(code, out, err)
        self.assertEqual(self.reasons(), {})
        self.assertIn("host 1 is n2 at ", err)
        self.assertIn("node n2 was resumed after its repair", out)
        self.leaves_nothing()

    def test_without_rights_a_host_is_only_excluded_and_the_report_says_so(self):
        self.cluster.start(5)
        shim = self.place / "bin"
        shim.mkdir()
        (shim / "scontrol").write_text(WITHOUT_RIGHTS.format(scontrol=shutil.which("scontrol")))
        (shim / "scontrol").chmod(0o755)
        code, out, err = self.drill(path=shim)
        self.finished(code, out, err)
        self.assertEqual(self.reasons(), {})
        self.assertIn("node n2 was not drained and is only excluded from this drill: scontrol ended with 1", out)
        self.assertIn("Access/permission denied", out)
        self.assertIn("host 1 is n5 at ", err)
        self.leaves_nothing()

    def test_too_few_nodes_and_no_allocation_are_refused(self):
        self.cluster.start(3)
        code, _, err = self.drill(nodes=3)
        self.assertEqual(code, 2, err)
        self.assertIn("needs a node for each of the 4 hosts, and job 1 has 3", err)
        alone = subprocess.run([GAUNTLET, "drill", SCENARIO, "--hosts", "4", "--launch", "slurm", *drills.run_as("root")], text=True,
                               capture_output=True, env=self.cluster.environment, timeout=SECONDS_MAX)
        self.assertEqual(alone.returncode, 2, alone.stderr)
        self.assertIn("there is no allocation", alone.stderr)


if __name__ == "__main__":
    unittest.main()
