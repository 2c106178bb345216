#!/usr/bin/env bash
# Ctrl-C: what is done is reported and written, and the exit code says that it is not all.
source tests/cli/common.sh

# interrupted OPTIONS...: a run of many replicas into $scratch/out that gets Ctrl-C once the store holds more than before.
interrupted() {
  rm -f "$scratch/stderr"
  "$gauntlet" run "$tiny" --replicas 1000000 --out "$scratch/out" "$@" >"$scratch/stdout" 2>"$scratch/stderr" &
  local run=$! code=0
  until [[ -n "$(find "$scratch/out.part" -name 'results.sqlite-wal' -size +96k 2>/dev/null)" ]] ||
    ! kill -0 "$run" 2>/dev/null; do :; done
  kill -INT "$run"
  wait "$run" || code=$?
  ((code == 130)) || fail "exit code $code, not 130"
}

interrupted --seed 5
says stdout "effective training time was"
says stdout "interrupted)."
grep -q '"interrupted": true' "$scratch/out/result.json" || fail "result.json does not say that it was interrupted"
says stderr "interrupted: "
says stderr "--resume"
exits 0 results "$scratch/out" --check
[[ "$(ls -A "$scratch")" == "$(printf 'out\nstderr\nstdout')" ]] || fail "something is left beside the results"

# --force replaces nothing by a study that is not complete.
cp -r "$scratch/out" "$scratch/earlier"
for how in --force --resume; do
  interrupted --seed 6 "$how"
  says stderr "has the earlier results until then"
  diff -r "$scratch/out" "$scratch/earlier" >&2 || fail "a study that was stopped with $how replaced the earlier results"
done
new="$(sed -n 's/.*interrupted: \([0-9,]*\) replicas.*/\1/p' "$scratch/stderr" | tr -d ,)"
exits 0 run "$tiny" --replicas "$new" --seed 6 --out "$scratch/out" --resume
[[ "$("$gauntlet" results "$scratch/out" --sql 'select seed from study' --csv | tail -n 1)" == 6 ]] ||
  fail "what --resume completed did not replace the earlier results"
[[ ! -e "$scratch/out.part" ]] || fail "something is left beside the results"
rm -r "$scratch/out"
mv "$scratch/earlier" "$scratch/out"

# What is done is not done again: as many more, and it is the same as if they had been asked for at once.
done="$("$gauntlet" results "$scratch/out" --sql 'select count(*) from replica' --csv | tail -n 1)"
((done > 0 && done < 1000000)) || fail "$done replicas were done"
exits 0 run "$tiny" --replicas $((done + 100)) --seed 5 --out "$scratch/out" --resume
exits 0 run "$tiny" --replicas $((done + 100)) --seed 5 --out "$scratch/whole"
diff -r "$scratch/out" "$scratch/whole" >&2 || fail "a study in two halves is not the whole one"
finish
