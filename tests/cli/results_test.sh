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
# What a reader of the results has to know is in them, not only on stderr.
exits 0 run "$tiny" --replicas 8 --precision 0.0001% --out "$scratch/imprecise"
says stderr "--precision: was not reached: 8 replicas give ettr +- 3.3% on the longer side of its interval, and +- 0.0001% was asked for; give it more with --replicas"
exits 0 results "$scratch/imprecise"
says stdout "--precision was not reached: 8 replicas give ettr +- 3.3% on the longer side of its interval, and +-"
truncate -s 500 "$scratch/imprecise/report.txt"
exits 1 results "$scratch/imprecise"
says stderr "report.txt: has 500 bytes, and was written with"
exits 0 run scenarios/one-fault.toml --replicas 2000 --precision cost=1
says stderr "--precision: was not reached: 1024 replicas give no interval of cost"
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

# The limit on the size of files is named, and so is what raises it. Nothing is lost: here files end at 96 KiB, when the tables are
# made, and then they do not. The errno is lost at one limit and known at another.
for limit in 1 8 64; do
  code=0
  (ulimit -f $limit; "$gauntlet" run "$tiny" --replicas 500 --seed 5 --threads 1 --out "$scratch/small") \
    >/dev/null 2>"$scratch/stderr" || code=$?
  ((code == 2)) || fail "files of $limit KiB end with $code, not 2"
  says stderr "results.sqlite: cannot be made: the limit on the size of files (ulimit -f) is reached; raise that limit"
done
code=0
(ulimit -f 96; "$gauntlet" run "$tiny" --replicas 500 --seed 5 --threads 1 --out "$scratch/large") \
  >/dev/null 2>"$scratch/stderr" || code=$?
((code == 1)) || fail "files of 96 KiB end with $code, not 1"
says stderr "results.sqlite: cannot be written: the limit on the size of files (ulimit -f) is reached"
says stderr "are safe; raise that limit (ulimit -f unlimited), then continue with --resume"
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
says stderr "start again with --force"
[[ "$(stat -c %s "$scratch/damaged/results.sqlite")" == 5000 ]] || fail "a damaged store was touched"

# --resume goes on with the same question alone: other values, another bound or fewer replicas would mix two studies.
sweep=(sweep "$tiny" --vary spares.count=1,2 --quiet)
exits 0 "${sweep[@]}" --replicas 30 --out "$scratch/swept"
cp -r "$scratch/swept" "$scratch/before-mixing"
exits 2 sweep "$tiny" --vary spares.count=3,4 --replicas 30 --quiet --out "$scratch/swept" --resume
says stderr "asked otherwise: \`gauntlet sweep scenarios/tiny-8.toml --vary spares.count=1,2 --replicas 30 --seed 1\`, not"
exits 2 "${sweep[@]}" --replicas 20 --out "$scratch/swept" --resume
says stderr "holds 30 replicas of a point, more than --replicas 20"
exits 2 "${sweep[@]}" --replicas 30 --incidents 3 --out "$scratch/swept" --resume
says stderr "asked otherwise"
diff -r "$scratch/swept" "$scratch/before-mixing" >&2 || fail "a refused --resume changed the results"
exits 2 run "$tiny" --replicas 500 --seed 5 --full-telemetry --out "$scratch/large" --resume
says stderr "asked otherwise"
exits 2 run "$tiny" --replicas 20 --seed 5 --out "$scratch/large" --resume
says stderr "holds 500 replicas of a point"

# More of a study that chooses its points by what it found: the end is that of one that began with as many.
tune=(tune "$tiny" --set 'policies.checkpoint="fixed"' --over checkpoint.interval --quiet)
exits 0 "${tune[@]}" --budget 300 --out "$scratch/tuned"
exits 0 "${tune[@]}" --budget 900 --out "$scratch/tuned" --resume
exits 0 "${tune[@]}" --budget 900 --out "$scratch/tuned-at-once"
diff -r "$scratch/tuned" "$scratch/tuned-at-once" >&2 || fail "a larger budget ends otherwise after --resume"
exits 0 results "$scratch/tuned" --check

# The best point has more replicas than the others, and its figures are of as many as all of them have.
exits 0 tune "$tiny" --over spares.count=0:3 --budget 150 --quiet --out "$scratch/uneven"
exits 0 results "$scratch/uneven" --check

# A job that is started again may meet the lock of its lost node for a while.
mkdir "$scratch/swept.part"
exec {lock}>"$scratch/swept.part/lock"
flock "$lock"
"$gauntlet" "${sweep[@]}" --replicas 40 --out "$scratch/swept" --resume {lock}>&- >/dev/null 2>"$scratch/stderr" &
waiting=$!
until grep -q "is being written by another program; waiting" "$scratch/stderr" || ! kill -0 "$waiting" 2>/dev/null; do :; done
kill -0 "$waiting" || fail "--resume does not wait for a lock"
exits 2 "${sweep[@]}" --replicas 40 --out "$scratch/swept" --force
exec {lock}>&-
code=0
wait "$waiting" || code=$?
((code == 0)) || fail "--resume ends with $code after the lock was let go"
exits 0 results "$scratch/swept" --check
says stdout "all 80 replicas of 2 points"

# The check looks at every file.
sed -i '3s/,40,/,41,/' "$scratch/swept/points.csv"
exits 1 results "$scratch/swept" --check
says stderr "points.csv:3:1: replicas = \"41\", where results.sqlite has \"40\"; bring the results back"
sed -i '3s/,41,/,40,/' "$scratch/swept/points.csv"
sed -i '0,/"p50": 0/s//"p50": 1/' "$scratch/swept/result.json"
exits 1 results "$scratch/swept" --check
says stderr "result.json: points[0].metrics.ettr.p50 = 1."

# Files that nothing else has the content of: edited, emptied and lost.
cp -r "$scratch/before" "$scratch/edited"
exits 0 results "$scratch/edited" --check
says stdout "Every file is as it was written."
for file in report.txt scenario.toml manifest.txt; do
  echo >>"$scratch/edited/$file"
  exits 1 results "$scratch/edited" --check
  says stderr "$file: "
  says stderr "; bring the results back from a copy, or run the study again"
  : >"$scratch/edited/$file"
  exits 1 results "$scratch/edited" --check
  rm "$scratch/edited/$file"
  exits 1 results "$scratch/edited" --check
  cp "$scratch/before/$file" "$scratch/edited/$file"
done
exits 0 results "$scratch/edited" --check

# A store with one other bit is not gone on from.
one_bit() { # FILE BYTE
  local byte
  byte="$(od -An -tu1 -j"$2" -N1 "$1")"
  printf "\\$(printf %o $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
size="$(stat -c %s "$scratch/before/results.sqlite")"
for eighth in 3 4 5 6; do
  cp "$scratch/before/results.sqlite" "$scratch/edited/results.sqlite"
  one_bit "$scratch/edited/results.sqlite" $((size * eighth / 8 + 4000))
  ! "$gauntlet" results "$scratch/edited" --check >/dev/null 2>&1 || fail "a bit of byte $((size * eighth / 8 + 4000)) is not found"
  cp -r "$scratch/edited" "$scratch/flipped"
  code=0
  "$gauntlet" run "$tiny" --replicas 40 --seed 5 --threads 1 --out "$scratch/flipped" --resume >/dev/null 2>"$scratch/stderr" || code=$?
  if ((code == 0)); then # a bit that no value uses
    [[ -e "$scratch/forty" ]] || exits 0 run "$tiny" --replicas 40 --seed 5 --threads 1 --out "$scratch/forty"
    diff -r "$scratch/flipped" "$scratch/forty" >&2 || fail "--resume goes on from wrong numbers"
  else
    says stderr "results.sqlite: is damaged: "
    says stderr "; start again with --force, or bring the file back from a copy"
  fi
  rm -r "$scratch/flipped"
done
rm -r "$scratch/edited"

# What is not a file is never opened: it might answer never.
for file in results.sqlite report.txt replicas.csv manifest.txt; do
  cp -r "$scratch/before" "$scratch/pipe"
  rm "$scratch/pipe/$file"
  mkfifo "$scratch/pipe/$file"
  code=0
  timeout 60 "$gauntlet" results "$scratch/pipe" --check >/dev/null 2>"$scratch/stderr" || code=$?
  ((code == 1 || code == 2)) || fail "a FIFO in place of $file ends with $code"
  says stderr "$file: is a FIFO, not a file"
  rm -r "$scratch/pipe"
done
cp -r "$scratch/before" "$scratch/pipe"
rm "$scratch/pipe/results.sqlite"
mkfifo "$scratch/pipe/results.sqlite"
code=0
timeout 60 "$gauntlet" run "$tiny" --replicas 20 --seed 5 --out "$scratch/pipe" --resume 2>"$scratch/stderr" >/dev/null || code=$?
((code == 2)) || fail "--resume from a FIFO ends with $code"
says stderr "results.sqlite: is a FIFO, not a file"
absent "$scratch/pipe.part"
mkdir "$scratch/fresh.part"
mkfifo "$scratch/fresh.part/results.sqlite"
for option in --resume --quiet; do
  code=0
  timeout 60 "$gauntlet" run "$tiny" --replicas 20 --out "$scratch/fresh" "$option" 2>"$scratch/stderr" >/dev/null || code=$?
  ((code == 2)) || fail "$option beside a FIFO ends with $code"
  says stderr "is a FIFO, not a file"
done
mkfifo "$scratch/fifo"
code=0
timeout 60 "$gauntlet" results "$scratch/fifo" 2>"$scratch/stderr" || code=$?
((code == 2)) || fail "results of a FIFO end with $code"

# Questions to the database.
exits 0 results "$scratch/large" --sql 'select count(*) as n from replica' --csv
[[ "$(cat "$scratch/stdout")" == $'n\n500' ]] || fail "--sql --csv prints $(cat "$scratch/stdout")"
exits 0 results "$scratch/large" --sql 'select count(*) as n from replica' --json
says stdout "500"
exits 2 results "$scratch/large" --sql 'drop table replica'
(cd "$scratch" && mkdir asked) || fail "mkdir"
cp "$scratch/large/results.sqlite" "$scratch/large.copy"
for writes in "vacuum into '$scratch/asked/copy'" "attach '$scratch/asked/copy' as other" 'vacuum' 'pragma journal_mode = wal' \
  'pragma user_version = 3' "select load_extension('x')" 'create temp table t (a)' "detach main" 'begin' 'analyze' 'reindex' \
  "insert into study default values" "with a as (select 1) delete from study" "explain attach '$scratch/asked/copy' as other"; do
  exits 2 results "$scratch/large" --sql "$writes"
  says stderr "--sql: "
done
exits 2 results "$scratch/large" --sql "vacuum into '$scratch/asked/copy'"
says stderr "does more than ask"
[[ -z "$(ls -A "$scratch/asked")" ]] || fail "a question wrote a file"
same "$scratch/large/results.sqlite" "$scratch/large.copy"
for asks in "select name from pragma_table_info('replica')" 'pragma table_info(study)' 'explain query plan select * from metric' \
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 9) select sum(i), printf("%d", 3) from n' \
  "select key, value from point, json_each(settings)" 'values (1)' 'select max(replica) over () from replica limit 1'; do
  exits 0 results "$scratch/large" --sql "$asks"
done
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
