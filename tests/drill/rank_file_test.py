"""gauntlet_rank.py where its recorder cannot be written: the job trains on without one."""
import errno
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

RANK = pathlib.Path("real/rank").resolve()
sys.path.insert(0, str(RANK))
import gauntlet_rank  # noqa: E402

JOB = f"""
import sys
sys.path.insert(0, {str(RANK)!r})
import gauntlet_rank
rank = gauntlet_rank.Rank(0)
for step in range(1, 1000):  # more marks than a recorder keeps
    with rank.step(step), rank.segment("forward"):
        pass
print("trained", rank._marks is not None)
"""


class RankFile(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-rank-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)
        self.environment = {"GAUNTLET_RANK_SOCKET": str(self.place / "agent"), "GAUNTLET_RANK_MARKS": str(self.place / "rank-")}
        agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(agent.close)
        agent.bind(self.environment["GAUNTLET_RANK_SOCKET"])
        agent.listen()

    def train(self, folder):
        environment = {**os.environ, **self.environment, "GAUNTLET_RANK_MARKS": str(folder / "rank-")}
        done = subprocess.run([sys.executable, "-c", JOB], env=environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def test_the_whole_recorder_is_written_before_it_is_mapped(self):
        self.assertEqual(self.train(self.place), "trained True")
        with open(self.place / "rank-0", "rb") as file:
            self.assertEqual(file.read(8), gauntlet_rank.MAGIC)
        full, broken = OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error")
        for write in ({"side_effect": full}, {"side_effect": broken}, {"return_value": 4096}):
            with unittest.mock.patch("os.write", **write):
                rank = gauntlet_rank.Rank(0, self.environment)
            self.assertTrue(rank.connected)
            self.assertIsNone(rank._marks)

    def test_a_full_file_system_does_not_kill_the_job(self):
        disk = self.place / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k,mode=0700", "tmpfs", str(disk)], capture_output=True, text=True,
                               check=False)
        if mount.returncode != 0:
            self.skipTest(f"no file system of its own: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        self.assertEqual(self.train(disk), "trained False")


if __name__ == "__main__":
    unittest.main()
