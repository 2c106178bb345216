#!/usr/bin/env bash
# Result directories: their rules, and that their bytes depend on nothing but scenario and seed.
source tests/cli/common.sh

exits 0 run "$tiny" --replicas 20 --seed 5 --threads 1 --json --out "$scratch/one"
silent stderr
same "$scratch/stdout" "$scratch/one/result.json"
exits 0 run "$tiny" --replicas 20 --seed 5 --threads 2 --json --out "$scratch/two"
for file in result.json replicas.csv incidents.csv scenario.toml; do same "$scratch/one/$file" "$scratch/two/$file"; done
exits 0 run "$tiny" --replicas 20 --seed 6 --json
! cmp -s "$scratch/stdout" "$scratch/one/result.json" || fail "the seed changes nothing"

# The same figures again, as text and as JSON; and they add up.
exits 0 results "$scratch/one" --check
says stdout "95% interval, Monte Carlo only, 20 replicas"
says stdout "Checked: phases and causes add up in all 20 replicas."
exits 0 results "$scratch/one" --json
same "$scratch/stdout" "$scratch/one/result.json"
[[ "$(wc -l <"$scratch/one/replicas.csv")" == 21 ]] || fail "replicas.csv has not a line for each replica"

# What exists is not overwritten unless that is asked for; and only results are.
cp -r "$scratch/one" "$scratch/before"
exits 2 run "$tiny" --replicas 2 --out "$scratch/one"
says stderr "exists and is not overwritten"
silent stdout
diff -r "$scratch/one" "$scratch/before" >&2 || fail "a refused run changed the results"
exits 0 run "$tiny" --replicas 2 --out "$scratch/one" --force
exits 0 results "$scratch/one" --check
says stdout "2 replicas"
echo mine >"$scratch/two/notes.txt"
exits 2 run "$tiny" --replicas 2 --out "$scratch/two" --force
says stderr "notes.txt"
mkdir "$scratch/empty"
exits 0 run "$tiny" --replicas 2 --out "$scratch/empty"
exits 0 results "$scratch/empty" --check
exits 2 run "$tiny" --replicas 2 --out "$scratch/no/such/place"
exits 2 run "$tiny" --replicas 2 --out /proc/results
[[ -z "$(find "$scratch" -name '.*unfinished*')" ]] || fail "something is left beside the results"

# A disk that is full says so in its own words, and loses nothing: here files end at 64 KiB, and then they do not.
code=0
(trap '' XFSZ; ulimit -f 64; "$gauntlet" run "$tiny" --replicas 500 --seed 5 --threads 1 --out "$scratch/large") \
  >/dev/null 2>"$scratch/stderr" || code=$?
((code == 1)) || fail "a full disk ends with $code, not 1"
says stderr "results.sqlite: cannot be written: disk I/O error"
says stderr "go on with --resume"
absent "$scratch/large"
exits 0 run "$tiny" --replicas 500 --seed 5 --out "$scratch/large" --resume
exits 0 run "$tiny" --replicas 500 --seed 5 --out "$scratch/larger"
diff -r "$scratch/large" "$scratch/larger" >&2 || fail "a study that met a full disk ends otherwise"

# A directory that nobody may write into, and a database that is none.
exits 2 run "$tiny" --replicas 2 --seed 6 --out "$scratch/one" --resume
says stderr "another seed"
cp -r "$scratch/one" "$scratch/damaged"
head -c 5000 "$scratch/one/results.sqlite" >"$scratch/damaged/results.sqlite"
exits 2 run "$tiny" --replicas 9 --seed 5 --out "$scratch/damaged" --resume
says stderr "begin again with --force"
[[ "$(stat -c %s "$scratch/damaged/results.sqlite")" == 5000 ]] || fail "a damaged store was touched"

# Questions to the database.
exits 0 results "$scratch/large" --sql 'select count(*) as n from replica' --csv
[[ "$(cat "$scratch/stdout")" == $'n\n500' ]] || fail "--sql --csv prints $(cat "$scratch/stdout")"
exits 0 results "$scratch/large" --sql 'select count(*) as n from replica' --json
says stdout "500"
exits 2 results "$scratch/large" --sql 'drop table replica'
exits 2 results "$scratch/large" --sql 'select nonsense'
says stderr "nonsense"
exits 0 results "$scratch/large" --check

# Without --out nothing is written.
mkdir "$scratch/here"
scenario="$(realpath "$tiny")"
(cd "$scratch/here" && "$gauntlet" run "$scenario" --replicas 2 >/dev/null) || fail "a run in another directory"
[[ -z "$(ls -A "$scratch/here")" ]] || fail "a run without --out wrote something"

# One nanosecond more in one replica is found, with its line.
rm "$scratch/two/notes.txt"
awk -F, -v OFS=, 'NR == 4 { $5 = $5 + 1 } { print }' OFMT=%.0f CONVFMT=%.0f "$scratch/two/replicas.csv" >"$scratch/csv"
mv "$scratch/csv" "$scratch/two/replicas.csv"
exits 1 results "$scratch/two" --check
says stderr "replicas.csv:4:1: effective_ns = "
exits 0 results "$scratch/two"
exits 2 results "$scratch/here"
exits 2 results "$scratch/nowhere"

# One replica by number is the same replica wherever it is run.
exits 0 run "$tiny" --replica 7 --seed 5 --out "$scratch/seventh"
says stdout "replica 7 alone, so no interval"
cmp <(sed -n 9p "$scratch/before/replicas.csv") <(sed -n 2p "$scratch/seventh/replicas.csv") >&2 ||
  fail "replica 7 alone is not replica 7 of twenty"
exits 0 results "$scratch/seventh" --check
finish
