#!/usr/bin/env bash
# A recorded replica: the same policies give the same orders, others do not.
source tests/cli/common.sh

exits 0 run "$tiny" --replica 3 --record "$scratch/run.gauntlet"
exits 0 replay "$scratch/run.gauntlet"
says stdout ": identical"
[[ "$(sed -E 's/.* ([0-9]+) orders.*/\1/' "$scratch/stdout")" -gt 1 ]] || fail "hardly an order was compared"

exits 0 replay "$scratch/run.gauntlet" --print
says stdout "    Start{job=0"
grep -qE "^Outcome\{.*Loaded\{step=0\}" "$scratch/stdout" || fail "the story lacks the outcome of the first start"
# The old name of --print works for one more release, and says so in a line.
cp "$scratch/stdout" "$scratch/printed"
exits 0 replay "$scratch/run.gauntlet" --tell
same "$scratch/stdout" "$scratch/printed"
says stderr "--tell is now called --print"
[[ "$(wc -l <"$scratch/stderr")" -eq 1 ]] || fail "more than one line about --tell"

# A recording is not overwritten unless that is asked for.
cp "$scratch/run.gauntlet" "$scratch/before"
exits 2 run "$tiny" --replica 4 --record "$scratch/run.gauntlet"
says stderr "exists and is not overwritten"
same "$scratch/run.gauntlet" "$scratch/before"
exits 0 run "$tiny" --replica 4 --record "$scratch/run.gauntlet" --force
! cmp -s "$scratch/run.gauntlet" "$scratch/before" || fail "--force replaced nothing"

# Where it cannot stay, that is said before anything runs.
for record in "$scratch/out/run.gauntlet" "$scratch/out.part/run.gauntlet" "$scratch/none/../out/result.json"; do
  exits 2 run "$tiny" --replica 4 --out "$scratch/out/" --record "$record"
  says stderr "would be in the directory of --out, where only results are; name a file beside that directory"
done
exits 2 run "$tiny" --replica 4 --record "$scratch/none/run.gauntlet"
says stderr 'is not a directory; make the directory first'
(cd "$scratch" && exits 2 run tiny-8 --replica 4 --out out --record out/run.gauntlet)
(cd "$scratch" && exits 0 run tiny-8 --replica 4 --record here.gauntlet)
[[ ! -e "$scratch/out" && ! -e "$scratch/out.part" ]] || fail "something was begun"
exits 0 run "$tiny" --replica 4 --out "$scratch/out" --record "$scratch/output.gauntlet"

# A recording that was cut says so, with where it ends, and is no difference between policies; at any of these bytes.
exits 0 run "$tiny" --replica 3 --record "$scratch/whole"
size="$(stat -c %s "$scratch/whole")"
# What ends before the first frame does, with the scenario, was not compared: wrong input. 18 bytes, then kind, length and checksum.
header=$((18 + 9 + $(od -An -tu4 -j19 -N4 "$scratch/whole")))
for length in $(seq $((size - 1)) -9 $((size - 400))) $((size / 2)) $((size / 2 + 1)) 2000 100 18 1; do
  head -c "$length" "$scratch/whole" >"$scratch/cut"
  exits "$([ "$length" -gt "$header" ] && echo 1 || echo 2)" replay "$scratch/cut"
  says stderr "is truncated: it ends at byte $length, "
  ! grep -q different "$scratch/stdout" || fail "a recording of $length bytes is called different"
done
exits 1 replay <(head -c $((size / 2)) "$scratch/whole") --print
says stdout "    Start{job=0"
exits 0 replay <(cat "$scratch/whole")
says stdout ": identical"

# What other constants order is different, also where the recording was cut after that: its scenario is that of another run.
exits 0 run "$tiny" --replica 3 --set 'policies.checkpoint="fixed"' --record "$scratch/others"
python3 - "$scratch/others" "$scratch/whole" "$scratch/mixed" <<'PYTHON'
import pathlib, sys
MAGIC, KIND, LENGTH, CHECKSUM = len(b"gauntlet-record-1\n"), 1, 4, 4

def entries_begin(recording):
    at = MAGIC + KIND
    return at + LENGTH + CHECKSUM + int.from_bytes(recording[at:at + LENGTH], "little")

scenario_of, entries_of = (pathlib.Path(path).read_bytes() for path in sys.argv[1:3])
mixed = scenario_of[:entries_begin(scenario_of)] + entries_of[entries_begin(entries_of):]
pathlib.Path(sys.argv[3]).write_bytes(mixed)
PYTHON
exits 1 replay "$scratch/mixed"
says stdout ": different"
says stdout "  recorded: CheckpointEvery{"
head -c $(($(stat -c %s "$scratch/mixed") - 1)) "$scratch/mixed" >"$scratch/cut"
exits 1 replay "$scratch/cut"
says stdout ": different"

exits 2 replay "$scratch/none"
exits 2 replay "$scratch"
echo "no recording" >"$scratch/words"
exits 2 replay "$scratch/words"
finish
