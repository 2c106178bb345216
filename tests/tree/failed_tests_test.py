"""scripts/failed_tests.py shows the failures of GoogleTest and unittest, and the last lines of anything else, and nothing of what passed."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "scripts"))
import failed_tests  # noqa: E402

GTEST = """Running main() from gmock_main.cc
[ RUN      ] Agents.AreStarted
[       OK ] Agents.AreStarted (3 ms)
[ RUN      ] Agents.AreStopped
tests/real/agent_test.cpp:74: Failure
Expected equality of these values:
  logged
    Which is: ""
[  FAILED  ] Agents.AreStopped (330 ms)
[ RUN      ] Agents.AreKept
[       OK ] Agents.AreKept (3 ms)"""
UNITTEST = """
import unittest
class Case(unittest.TestCase):
    def test_well(self):
        print("all is well")
    def test_ill(self):
        self.assertEqual(1, 2, "something is ill")
unittest.main()
"""


def log_of(name, output, verdict):
    """As CTest writes it."""
    return (f"3/4 Testing: {name}\n3/4 Test: {name}\nCommand: \"{name}\"\nOutput:\n{'-' * 58}\n{output}\n<end of output>\n"
            f"Test time =   0.01 sec\n{'-' * 58}\n{verdict}\n\"{name}\" end time: Nov 26\n\n")


class FailedTests(unittest.TestCase):
    def test_the_failures_of_googletest_are_shown_alone(self):
        shown = failed_tests.report(log_of("fine_test", GTEST, "Test Passed.") + log_of("real_test", GTEST, "Test Failed."))
        self.assertEqual(shown.splitlines(), ["real_test failed:", "  tests/real/agent_test.cpp:74: Failure",
                                              "  Expected equality of these values:", "    logged", "      Which is: \"\"",
                                              "  [  FAILED  ] Agents.AreStopped (330 ms)"])

    def test_the_failures_of_unittest_are_shown_alone(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write(UNITTEST)
            script.flush()
            done = subprocess.run([sys.executable, script.name, "-v"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        shown = failed_tests.report(log_of("cli/case_test", done.stdout, "Test Failed."))
        self.assertIn("something is ill", shown)
        self.assertIn("FAIL: test_ill", shown)
        self.assertNotIn("all is well", shown)

    def test_of_another_program_the_last_lines_are_shown(self):
        output = "\n".join(f"line {number}" for number in range(100))
        self.assertEqual(failed_tests.report(log_of("script", output, "Test Failed.")).splitlines()[-2:], ["  line 98", "  line 99"])
        self.assertNotIn("line 50\n", failed_tests.report(log_of("script", output, "Test Failed.")))

    def test_one_that_did_not_end_has_failed(self):
        self.assertIn("script failed:", failed_tests.report(log_of("script", "it begins", "Test Failed.").split("<end")[0]))

    def test_of_what_passed_nothing_is_shown(self):
        self.assertEqual(failed_tests.report(log_of("fine_test", GTEST, "Test Passed.")), "")


if __name__ == "__main__":
    unittest.main()
