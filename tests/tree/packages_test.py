"""Every package of packages.txt is installed: a test that needs one must not pass, or be skipped, because it is missing."""
import shutil
import subprocess
import unittest


class Packages(unittest.TestCase):
    def test_none_is_missing(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("this is not a Debian system: the packages of packages.txt have other names here")
        done = subprocess.run(["scripts/setup.sh", "--missing"], text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout.split(), [], "packages.txt names packages that are not installed; run scripts/setup.sh")


if __name__ == "__main__":
    unittest.main()
