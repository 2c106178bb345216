"""gauntlet new: the file that it writes, where it writes it, what it refuses, and its questions at a terminal."""
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 120  # a guard against hanging
GOLDEN = pathlib.Path("tests/cli/new")
KNOWN = ("--gpus 4096 --hardware h100 --model llama3-70b --tokens 2T --failures '3285 over 365d x 1024 hosts' --repair 12h "
         "--checkpoint 90s --restart 8min --gpu-hour 2.10USD")
# Each a file of tests/cli/new, reviewed line by line. GAUNTLET_REWRITE_DRAFTS=1 writes them anew.
DRAFTS = {
    "mine": KNOWN,
    "mix": KNOWN + " --mix llama3 --spares 12",
    "step-time": "--gpus 512 --hardware a100-80g --step-time 4.7s --tokens 300G --batch 4M --failures '9 over 5d x 64 hosts' "
                 "--repair 1d --checkpoint 12min --restart 5min --gpu-hour '1.20 EUR'",
}


def prompt_after(words, seen, at):
    """Where the prompt ends that follows these words; negative where it is not there yet."""
    said = seen.find(words, at)
    prompt = seen.find("\n> ", said) if said >= 0 else -1
    return prompt + 3 if prompt >= 0 else -1


class New(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="gauntlet-new-"))
        self.addCleanup(shutil.rmtree, self.place)

    def gauntlet(self, line, code=0):
        done = subprocess.run([GAUNTLET, *shlex.split(line)], capture_output=True, text=True, timeout=SECONDS_MAX,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, f"gauntlet {line}\n{done.stdout}{done.stderr}")
        return done

    def test_drafts_equal_what_was_reviewed(self):
        for name, known in DRAFTS.items():
            with self.subTest(name):
                golden = GOLDEN / f"{name}.toml"
                text = self.gauntlet(f"new {known}").stdout
                if "GAUNTLET_REWRITE_DRAFTS" in os.environ:
                    golden.write_text(text)
                self.assertEqual(text, golden.read_text(),
                                 "write it anew: GAUNTLET_REWRITE_DRAFTS=1 python3 tests/cli/new_test.py")
                self.assertTrue(all(len(line) <= 128 for line in text.splitlines()))

    def test_drafts_are_accepted_without_a_warning(self):
        for name in DRAFTS:
            done = self.gauntlet(f"check {GOLDEN / name}.toml")
            self.assertEqual(done.stderr, "", name)

    def test_a_draft_is_written_and_answers(self):
        out = self.place / "mine.toml"
        done = self.gauntlet(f"new {KNOWN} --out {out}")
        self.assertEqual(out.read_text(), (GOLDEN / "mine.toml").read_text())
        self.assertIn(f"{out} is written.\n", done.stdout)
        self.assertIn(f"Try next: gauntlet run {out}\n", done.stdout)
        self.assertEqual(done.stderr, "")
        answer = self.gauntlet(f"run {out} --threads 1")
        self.assertIn("4,096 GPUs in 512 hosts", answer.stdout)
        self.assertIn("(ETTR; 95% interval", answer.stdout)
        self.assertEqual(answer.stderr, "")

    def test_the_command_in_the_head_writes_the_file_again(self):
        for name in DRAFTS:
            text = (GOLDEN / f"{name}.toml").read_text()
            head = text.split("#\n")[1].replace("\\\n", " ").replace("#", "")
            words = shlex.split(head)
            self.assertEqual(words[:2], ["gauntlet", "new"])
            self.assertEqual(self.gauntlet(shlex.join(words[1:])).stdout, text)

    def test_nothing_is_overwritten_without_force(self):
        out = self.place / "mine.toml"
        self.gauntlet(f"new {KNOWN} --out {out}")
        before = out.read_text()
        done = self.gauntlet(f"new {KNOWN} --spares 3 --out {out}", 2)
        self.assertIn("exists and is not overwritten; choose another name, or replace it and your changes in it with --force", done.stderr)
        self.assertEqual(out.read_text(), before)
        self.gauntlet(f"new {KNOWN} --spares 3 --out {out} --force")
        self.assertIn("count = 3 ", out.read_text())
        stranger = self.place / "stranger.toml"
        stranger.write_text("name = \"somebody's\"\n")
        done = self.gauntlet(f"new {KNOWN} --out {stranger} --force", 2)
        self.assertIn("is not a draft of gauntlet's and is not overwritten", done.stderr)
        self.assertEqual(stranger.read_text(), "name = \"somebody's\"\n")

    def test_places_that_cannot_be_written(self):
        self.assertIn("write --out " + str(self.place / "mine.toml"),
                      self.gauntlet(f"new {KNOWN} --out {self.place}/mine.txt", 2).stderr)
        self.gauntlet(f"new {KNOWN} --out {self.place}/no/such.toml", 2)
        (self.place / "folder.toml").mkdir()
        self.gauntlet(f"new {KNOWN} --out {self.place}/folder.toml", 2)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["folder.toml"])

    def test_a_hyphen_is_standard_output(self):
        self.assertEqual(self.gauntlet(f"new {KNOWN} --out -").stdout, (GOLDEN / "mine.toml").read_text())

    def test_what_is_missing_is_named_where_nobody_can_be_asked(self):
        done = self.gauntlet("new --gpus 4096 --model llama3-70b", 2)
        self.assertEqual(done.stdout, "")
        for option in ("--hardware", "--tokens", "--failures", "--checkpoint", "--restart", "--repair"):
            self.assertIn(f"write {option} ", done.stderr)
        self.assertNotIn("write --gpus", done.stderr)
        self.assertIn("6 problems", done.stderr)
        self.assertIn("or --step-time", self.gauntlet("new --gpus 8", 2).stderr)

    def test_what_cannot_be_is_refused_and_nothing_is_written(self):
        out = self.place / "mine.toml"
        done = self.gauntlet(f"new {KNOWN.replace('4096', '4100')} --out {out}", 2)
        self.assertIn("--gpus: \"4100\" is not a multiple of the 8 GPUs of one h100 host; write --gpus 4096 or 4104",
                      done.stderr)
        self.assertFalse(out.exists())

    def test_a_plan_offers_a_quicker_restart(self):
        done = self.gauntlet(f"plan {GOLDEN}/mine.toml --finish-by 7d --replicas 20 --threads 1 --quiet")
        self.assertIn("10% quicker restarts", done.stdout)

    def page(self):
        """The code blocks of the page about keys, and its text."""
        text = pathlib.Path("docs/you-know-x-set-y.md").read_text()
        return re.findall(r"```(\w*)\n(.*?)```", text, re.S), text

    def test_the_phases_of_the_page_take_the_place_of_the_restart_time(self):
        blocks, _ = self.page()
        phases = next(block for kind, block in blocks if kind == "toml")
        mine = (GOLDEN / "mine.toml").read_text()
        storage, start = phases[phases.index("[storage]\n") + len("[storage]\n"):], phases[:phases.index("[storage]")]
        other = self.place / "other.toml"
        other.write_text(re.sub(r"restart_time.*\n", "", mine).replace("[storage]\n", start + "[storage]\n" + storage))
        self.assertEqual(self.gauntlet(f"check {other}").stderr, "")
        other.write_text(mine + start)
        self.assertIn("is all of a restart, and job.start.", self.gauntlet(f"check {other}", 2).stderr)

    def test_the_page_has_every_fact_that_the_command_takes(self):
        _, text = self.page()
        named = set(re.findall(r"--[a-z][a-z-]*", "".join(line for line in text.splitlines() if line.startswith("|"))))
        known = set(re.findall(r"--[a-z][a-z-]*", self.gauntlet("new --help").stdout.split("Examples:")[0]))
        self.assertEqual(named, known - {"--help", "--help-all", "--out", "--force"})

    # --- questions ------------------------------------------------------------------------------------------------------------

    def talk(self, line, answers, code):
        """The command at a terminal of its own; each answer is typed once its question (or a word of it) stands there."""
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "dumb"
            os.execv(GAUNTLET, [GAUNTLET, *shlex.split(line)])
        seen, at, waiting = "", 0, list(answers)
        end = time.monotonic() + SECONDS_MAX
        while True:
            self.assertLess(time.monotonic(), end, f"waits for {waiting[:1]}:\n{seen}")
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                more = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            seen += more.decode().replace("\r\n", "\n")
            while waiting and (prompt := prompt_after(waiting[0][0], seen, at)) >= 0:
                at = prompt
                os.write(terminal, waiting.pop(0)[1].encode())
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), code, seen)
        self.assertEqual(waiting, [], seen)
        return seen

    def test_answers_write_the_file_that_options_write(self):
        out = self.place / "mine.toml"
        seen = self.talk(f"new --out {out}", [
            ("How many GPUs", "4096\n"), ("Which hosts", "h100\n"), ("Which model", "llama3-70b\n"), ("How many tokens", "2T\n"),
            ("How many failures", "3285 over 365d x 1024 hosts\n"), ("one checkpoint block", "90s\n"), ("a restart take", "8min\n"),
            ("in repair", "12h\n"), ("spare hosts", "\n"), ("cost for an hour", "2.10USD\n")], 0)
        self.assertEqual(out.read_text(), (GOLDEN / "mine.toml").read_text())
        self.assertIn("is written.", seen)
        self.assertNotIn("healthy step take", seen.split("is written.")[0], "the model is known")

    def test_a_wrong_answer_is_explained_and_asked_for_again(self):
        out = self.place / "mine.toml"
        seen = self.talk(f"new {KNOWN.replace('--gpus 4096', '').replace('--hardware h100', '')} --out {out}", [
            ("How many GPUs", "many\n"), ("is not a whole number", "4096\n"), ("Which hosts", "h10\n"),
            ("did you mean \"h100\"", "h100\n"), ("spare hosts", "-1\n"), ("is not between 0", "6\n")], 0)
        self.assertIn("--gpus: \"many\" is not a whole number", seen)
        self.assertIn("count = 6 ", out.read_text())

    def test_an_answer_that_does_not_fit_takes_the_other_back(self):
        out = self.place / "mine.toml"
        known = KNOWN.replace("--hardware h100", "").replace("4096", "4100")
        self.talk(f"new {known} --out {out}", [
            ("Which hosts", "h100\n"), ("is not a multiple of the 8 GPUs", "4096\n"), ("spare hosts", "\n")], 0)
        self.assertEqual(out.read_text(), (GOLDEN / "mine.toml").read_text())

    def test_what_is_needed_is_asked_again_when_it_is_left_empty(self):
        known = KNOWN.replace("--model llama3-70b", "").replace("--tokens 2T", "")
        out = self.place / "mine.toml"
        self.talk(f"new {known} --spares 3 --out {out}", [
            ("Which model", "\n"), ("healthy step take", "\n"), ("This question needs an answer.", "5.5s\n"),
            ("How many tokens", "\n"), ("How many steps", "\n"), ("length of wall time", "\n"), ("needs an answer", "30d\n")], 0)
        self.assertIn("step_time = \"5.5s\"", out.read_text())
        self.assertIn("window = \"30d\"", out.read_text())

    def test_the_end_of_the_input_writes_nothing(self):
        out = self.place / "mine.toml"
        seen = self.talk(f"new --out {out}", [("How many GPUs", "4096\n"), ("Which hosts", "\x04")], 2)
        self.assertIn("the input ended before every question was answered; nothing is written", seen)
        self.assertFalse(out.exists())
        self.assertIn(f"Your answers as options, to change and run: gauntlet new --gpus 4096 --out {out}", seen)

    def test_names_in_capitals_and_gpus_in_thousands(self):
        self.assertIn("did you mean \"llama3-70b\"?", self.gauntlet(f"new {KNOWN.replace('llama3-70b', 'LLAMA3-70B')}", 2).stderr)
        draft = self.gauntlet(f"new {KNOWN.replace('--gpus 4096', '--gpus 4k')}").stdout
        self.assertEqual(draft.replace("--gpus 4k", "--gpus 4096"), (GOLDEN / "mine.toml").read_text())
        self.assertIn("is not a whole number", self.gauntlet(f"new {KNOWN.replace('4096', '4x')}", 2).stderr)

    def test_advice_to_use_force_works(self):
        fifo = self.place / "fifo.toml"
        os.mkfifo(fifo)
        (self.place / "foreign.toml").write_text("name = 1\n")
        for name in ("fifo.toml", "foreign.toml"):
            self.assertNotIn("--force", self.gauntlet(f"new {KNOWN} --out {self.place / name}", 2).stderr)

    def test_nobody_is_asked_where_all_is_known(self):
        self.assertNotIn("\n> ", self.talk(f"new {KNOWN} --out {self.place}/mine.toml", [], 0))


if __name__ == "__main__":
    unittest.main()
