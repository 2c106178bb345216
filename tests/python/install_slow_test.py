"""The package installs into a virtual environment without a network, and finds its scenarios and its programs there.

    GAUNTLET=build/gauntlet /usr/bin/python3 tests/python/install_slow_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from command import GAUNTLET, ROOT, json_of

BUILD = pathlib.Path(GAUNTLET).resolve().parent
SCRIPT = """
import pathlib, sys, gauntlet
installed = pathlib.Path(sys.prefix).resolve()
assert pathlib.Path(gauntlet.__file__).resolve().is_relative_to(installed), gauntlet.__file__
sys.stdout.write(gauntlet.run("tiny-8", replicas=5).json)
s = gauntlet.load("tiny-8")
assert pathlib.Path(s.origin("spares.count").rpartition(":")[0]).resolve().is_relative_to(installed), s.origin("spares.count")
assert gauntlet.step("tiny-8", network="simgrid").step_time_s > 0
"""


class Install(unittest.TestCase):
    def test_into_a_virtual_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            environment["GAUNTLET_BUILD_DIR"] = str(BUILD)

            def ran(*words):
                done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                return done.stdout

            ran(sys.executable, "-m", "venv", "--system-site-packages", "venv")
            python = os.path.join(folder, "venv", "bin", "python")
            ran(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", str(ROOT))
            self.assertEqual(ran(python, "-c", SCRIPT), json_of("run", "tiny-8", "--replicas", "5"))


if __name__ == "__main__":
    unittest.main()
