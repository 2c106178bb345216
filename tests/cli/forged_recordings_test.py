"""Recordings whose checksums are right and whose content is not: view, timeline and replay refuse them or use them, and never break.

    GAUNTLET=build/gauntlet SEED=7 python3 tests/cli/forged_recordings_test.py
"""
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
FORGED = 60
SECONDS_MAX = 20  # a guard against hanging
MAGIC = b"gauntlet-record-1\n"
HEAD = struct.Struct("<BII")  # of a frame: kind, length, checksum
WORD = (1 << 64) - 1


def checksum(kind, payload):
    """core/record/fingerprint.hpp, of the kind and each byte."""
    state = 0x6761756e746c6574
    for number in (kind, *payload):
        state = ((((state << 27) | (state >> 37)) & WORD) ^ number) * 0xff51afd7ed558ccd & WORD
        state ^= state >> 33
    whole = state * 0xc4ceb9fe1a85ec53 & WORD
    return (whole ^ (whole >> 33)) & 0xffffffff


def frames_of(data):
    assert data.startswith(MAGIC)
    at, frames = len(MAGIC), []
    while at < len(data):
        kind, length, check = HEAD.unpack_from(data, at)
        payload = data[at + HEAD.size:at + HEAD.size + length]
        assert checksum(kind, payload) == check, "the format has changed"
        frames.append((kind, payload))
        at += HEAD.size + length
    return frames


def forge(frames, draws):
    """Some frames overwritten in part, removed, repeated or swapped. The scenario stays."""
    frames = list(frames)
    for _ in range(draws.choice([1, 1, 2, 5])):
        one, other = draws.randrange(1, len(frames)), draws.randrange(1, len(frames))
        if draws.random() < 0.3:
            one = len(frames) - 1  # the logs
        how, (kind, payload) = draws.random(), frames[one]
        if how < 0.6 and payload:
            changed, at = bytearray(payload), draws.randrange(len(payload))
            length = min(draws.choice([1, 1, 4, 8]), len(payload) - at)
            changed[at:at + length] = bytes([draws.choice([0, 1, 127, 128, 255, draws.randrange(256)])]) * length
            frames[one] = (kind, bytes(changed))
        elif how < 0.75 and len(frames) > 3:
            del frames[one]
        elif how < 0.9:
            frames.insert(other, frames[one])
        else:
            frames[one], frames[other] = frames[other], frames[one]
    return MAGIC + b"".join(HEAD.pack(kind, len(payload), checksum(kind, payload)) + payload for kind, payload in frames)


class Forged(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="gauntlet-forged-")
        self.addCleanup(kept.cleanup)
        self.place = pathlib.Path(kept.name)

    def run_gauntlet(self, *words):
        return subprocess.run([GAUNTLET, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX)

    def test_nothing_breaks(self):
        print(f"repeat with SEED={SEED}")
        draws = random.Random(SEED)
        whole = self.place / "whole.rec"
        done = self.run_gauntlet("run", "tiny-8", "--replica", 3, "--record", whole, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = [frames_of(whole.read_bytes()), frames_of(pathlib.Path("notebooks/drill-tiny.rec").read_bytes())]
        forged, out, drawn, refused = self.place / "forged.rec", self.place / "out", 0, 0
        for number in range(FORGED):
            forged.write_bytes(forge(draws.choice(sources), draws))
            for words in (["view", forged, "--out", out], ["timeline", forged, "--out", out], ["replay", forged]):
                out.unlink(missing_ok=True)
                done = self.run_gauntlet(*words)
                self.assertIn(done.returncode, (0, 1, 2), f"SEED={SEED}, forgery {number}: {words[0]}: {done.stderr[-500:]}")
                drawn += out.exists()
                refused += done.returncode != 0
        self.assertGreater(drawn, 0, "each forgery was refused")
        self.assertGreater(refused, 0, "no forgery was refused")


if __name__ == "__main__":
    unittest.main()
