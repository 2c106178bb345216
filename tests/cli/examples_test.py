"""What --help states: every file of an example exists, the help of everything has every option, and exit codes are those that programs
end with."""
import os
import pathlib
import re
import subprocess
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 60


def help_of(*words):
    return subprocess.run([*words, "--help"], capture_output=True, text=True, check=True, timeout=SECONDS_MAX).stdout


def commands():
    return re.findall(r"^  ([a-z]+) ", help_of(GAUNTLET).split("Subcommands:")[1].split("Examples:")[0], re.M)


def options_in(text):
    return set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", text, re.M))


class Examples(unittest.TestCase):
    def test_every_file_of_the_tree_that_an_example_names_exists(self):
        found = 0
        for words in [(), *[(command,) for command in commands()]]:
            for line in help_of(GAUNTLET, *words).split("Examples:")[1].splitlines():
                for path in re.findall(r"(?<![\w./-])([a-z]+/[\w./*-]+)", line):
                    if not pathlib.Path(path).parts[0] in os.listdir("."):
                        continue  # of the reader's
                    found += 1
                    self.assertTrue(list(pathlib.Path(".").glob(path)), f"gauntlet {' '.join(words)} --help: {line.strip()}")
        self.assertGreater(found, 10)

    def test_the_help_of_everything_has_every_option_of_each_command(self):
        everything = subprocess.run([GAUNTLET, "--help-all"], capture_output=True, text=True, check=True, timeout=SECONDS_MAX).stdout
        sections = dict(re.findall(r"^([a-z]+)\n((?: .*\n|\n)*)", everything.split("Subcommands:", 1)[1], re.M))
        self.assertEqual(set(sections), set(commands()))
        found = 0
        for name in commands():
            options = options_in(help_of(GAUNTLET, name).split("Examples:")[0]) - {"--help", "--help-all"}
            found += len(options)
            self.assertLessEqual(options, options_in(sections[name]), name)
        self.assertGreater(found, 100)

    def test_the_trainer_states_the_code_of_a_collective_timeout(self):
        (code,) = re.findall(r"kAbortedByWatchdog = (\d+);", pathlib.Path("core/signal.hpp").read_text(encoding="utf-8"))
        trainer = os.path.join(os.path.dirname(GAUNTLET), "gauntlet-trainer")
        self.assertIn(f" {code} waited for another", help_of(trainer))


if __name__ == "__main__":
    unittest.main()
