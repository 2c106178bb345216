#!/usr/bin/env bash
# Ctrl-C: what is done is reported and written, and the exit code says that it is not all.
source tests/cli/common.sh

# So many replicas take long. The signal is sent once the first of them are on the disk.
"$gauntlet" run "$tiny" --replicas 100000 --out "$scratch/out" >"$scratch/stdout" 2>"$scratch/stderr" &
run=$!
until [[ -n "$(find "$scratch" -path '*unfinished*/replicas.csv' -size +16k)" ]] || ! kill -0 "$run" 2>/dev/null; do :; done
kill -INT "$run"
code=0
wait "$run" || code=$?
((code == 130)) || fail "exit code $code, not 130"
says stdout "trained the model"
says stdout "interrupted)."
grep -q '"interrupted": true' "$scratch/out/result.json" || fail "result.json does not say that it was interrupted"
says stderr "of 100000 replicas were done"
exits 0 results "$scratch/out" --check
[[ "$(ls -A "$scratch")" == "$(printf 'out\nstderr\nstdout')" ]] || fail "something is left beside the results"
finish
