"""scripts/skipped_tests.py names what GoogleTest, unittest and the scripts skip, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, "scripts")
import skipped_tests  # noqa: E402

CASES = """
    import unittest
    class Cases(unittest.TestCase):
        def test_a(self):
            self.skipTest("no 'mount' here")
        def test_b(self):
            '''What it is about.'''
            self.skipTest("not as root")
        def test_c(self):
            print("skipped nothing")
        @unittest.skipIf(True, "under a sanitizer")
        def test_d(self):
            pass
    unittest.main()
"""


def log_of(program, output):
    return f"3/9 Testing: {program}\n3/9 Test: {program}\nCommand: x\nOutput:\n-----\n{output}\n<end of output>\nTest Passed.\n"


class SkippedTests(unittest.TestCase):
    def test_unittest(self):
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(CASES), "-v"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=True)
        self.assertEqual(list(skipped_tests.skipped(log_of("cli/cases_test", done.stdout))), [
            ("cli/cases_test", "test_a", "no 'mount' here"), ("cli/cases_test", "test_b", "not as root"),
            ("cli/cases_test", "test_d", "under a sanitizer")])

    def test_google_test(self):
        output = textwrap.dedent("""\
            [ RUN      ] Disks.AreFull
            tests/files/disk_test.cpp:12: Skipped
            no file system
            of its own

            [  SKIPPED ] Disks.AreFull (0 ms)
            [ RUN      ] Disks.AreEmpty
            [       OK ] Disks.AreEmpty (3 ms)
            [ RUN      ] Disks.AreSlow
            tests/files/disk_test.cpp:20: Skipped

            [  SKIPPED ] Disks.AreSlow (0 ms)
            [  PASSED  ] 1 test.
            [  SKIPPED ] 2 tests, listed below:
            [  SKIPPED ] Disks.AreFull
            [  SKIPPED ] Disks.AreSlow
            """)
        self.assertEqual(list(skipped_tests.skipped(log_of("files_test", output))), [
            ("files_test", "Disks.AreFull", "no file system of its own"), ("files_test", "Disks.AreSlow", "no reason given")])

    def test_scripts(self):
        with tempfile.TemporaryDirectory() as place:
            script = pathlib.Path(place) / "some_test.sh"
            script.write_text('source tests/cli/common.sh\nskip "the picture" "Graphviz is not here"\nfinish\n')
            done = subprocess.run(["bash", script, "/bin/true"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=True)
        self.assertEqual(list(skipped_tests.skipped(log_of("cli/some_test", done.stdout))),
                         [("cli/some_test", "the picture", "Graphviz is not here")])

    def test_the_report(self):
        self.assertEqual(skipped_tests.report(log_of("a", "all is well")), "No test was skipped.")
        one = log_of("cli/a", "SKIPPED: the picture: no Graphviz")
        self.assertEqual(skipped_tests.report(one), "1 test was skipped:\n  cli/a: the picture: no Graphviz")
        self.assertEqual(skipped_tests.report(one + one).splitlines()[0], "2 tests were skipped:")


if __name__ == "__main__":
    unittest.main()
