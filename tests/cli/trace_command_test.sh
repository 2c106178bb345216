#!/usr/bin/env bash
# gauntlet trace: what it prints, writes and refuses.
source tests/cli/common.sh
sample=scenarios/catalog/traces/sample-64-nodes.csv

exits 0 trace fit "$sample"
says stdout "System all: 487 failures of 63 nodes"
says stdout "487 used, 0 rejected"
says stdout "durations of zero are dropped (--zero-gaps"
says stdout "Reproduce with: gauntlet trace fit $sample"
silent stderr
exits 0 trace fit "$sample" --zero-gaps keep --by-node --json
says stdout '"zero_gaps": "keep"'
says stdout '"gaps_of": "nodes"'

# What is written is loaded, and replaced only by its like.
exits 0 trace import "$sample" --out "$scratch/faults.toml"
says stdout "487 failures of 4 causes, for 63 hosts."
exits 0 trace fit "$sample" --out "$scratch/profile.toml"
for faults in faults profile; do
  printf 'extends = ["%s", "%s.toml"]\nname = "s"\nspares.count = 56\n' "$PWD/$tiny" "$faults" >"$scratch/$faults-scenario.toml"
  exits 0 check "$scratch/$faults-scenario.toml"
  exits 0 run "$scratch/$faults-scenario.toml" --replicas 5
done
cp "$scratch/faults.toml" "$scratch/before.toml"
exits 2 trace import "$sample" --cause network --out "$scratch/faults.toml"
says stderr "faults.toml exists and is not overwritten; choose another name, or replace it with --force"
exits 2 trace fit "$sample" --out "$scratch/profile.toml"
same "$scratch/faults.toml" "$scratch/before.toml"
exits 0 trace import "$sample" --cause network --out "$scratch/faults.toml" --force
exits 2 trace import "$sample" --out "$scratch/profile.toml" --force
says stderr "is not a fault trace of gauntlet's and is not overwritten"
exits 2 trace import "$sample" --out "$scratch/faults.json"
says stderr "a scenario extends files whose names end in .toml; write --out $scratch/faults.toml"
absent "$scratch/faults.json"
exits 2 trace import "$sample" --out "$scratch/no/such/folder.toml"
exits 0 trace fit "$scratch/faults.toml"
says stdout "(gauntlet)"

# Compressed as it is found.
gzip -c "$sample" >"$scratch/sample.gz"
exits 0 trace fit "$scratch/sample.gz" --json
sed "s#$scratch/sample.gz#$sample#" "$scratch/stdout" >"$scratch/compressed.json"
exits 0 trace fit "$sample" --json
same "$scratch/compressed.json" "$scratch/stdout"

# Lines that are no records are named and counted; a file without any other is refused.
printf 'start,end,node,cause\n2024-01-01,2024-01-02,1,a\nsoon,,1,a\n2024-01-03,2024-01-02,1,a\n2024-01-05,2024-01-06,1,a\n' >"$scratch/some.csv"
exits 2 trace fit "$scratch/some.csv"
silent stdout
says stderr "2 of 4 lines (50.0%) that are not a record, more than 1%"
says stderr "accept them with --max-rejected 0.5"
exits 0 trace fit "$scratch/some.csv" --max-rejected 0.5
says stdout "Warning: 2 of 4 lines (50%) were rejected: if each is a failure, rates are 50% too low"
says stdout "Reproduce with: gauntlet trace fit $scratch/some.csv --max-rejected 0.5"
says stderr "some.csv:3:1: start = \"soon\" is not a date"
says stderr "some.csv:4:1: end = \"2024-01-02\" is before the start"
says stdout "4 records read, 2 used, 2 rejected (1 start, 1 negative)"
sed -i '/2024-01-01\|2024-01-05/d' "$scratch/some.csv"
exits 2 trace fit "$scratch/some.csv"
says stderr "has no record that can be used: 2 read"
silent stdout
exits 2 trace import "$scratch/some.csv" --out "$scratch/none.toml"
absent "$scratch/none.toml"

# Up to 1% is told, and what it does; more is refused, and nothing is written.
{ head -n 101 "$sample"; echo "soon,,node1,hardware"; } >"$scratch/one-in-101.csv"
exits 0 trace import "$scratch/one-in-101.csv" --out "$scratch/rejected.toml"
says stdout "Warning: 1 of 101 lines (0.99%) were rejected: if each is a failure, rates are 0.99% too low"
exits 0 trace fit "$scratch/one-in-101.csv" --json
says stdout '"1 of 101 lines (0.99%) were rejected'
{ head -n 93 "$sample"; for i in 1 2 3 4 5 6 7 8; do echo "soon,,node$i,hardware"; done; } >"$scratch/eight-in-100.csv"
exits 2 trace import "$scratch/eight-in-100.csv" --out "$scratch/eight.toml"
says stderr "8 of 100 lines (8.0%) that are not a record, more than 1%: if each is a failure, rates are 8% too low"
absent "$scratch/eight.toml"
exits 0 trace import "$scratch/eight-in-100.csv" --out "$scratch/eight.toml" --max-rejected 0.08
exits 2 trace fit "$sample" --max-rejected 8

# An end that is not known, however it is spelled, is a failure all the same.
printf 'start,end,node,cause\n' >"$scratch/open.csv"
for end in NA N/A n/a null NULL None nan - '?' ' ' ''; do printf '2024-01-01,%s,1,a\n' "$end" >>"$scratch/open.csv"; done
exits 0 trace fit "$scratch/open.csv"
says stdout "11 records read, 11 used, 0 rejected. 11 have no end"

# A replayed trace is the same in every replica, and the report says what its intervals do not cover.
exits 0 run "$scratch/faults-scenario.toml" --replicas 5
says stdout "Warning: a trace gives the failures of"
says stderr "the same ones in every replica. Intervals cover only what each replica draws"
exits 0 run "$scratch/faults-scenario.toml" --replicas 5 --json
cp "$scratch/stdout" "$scratch/replayed.json"
says stderr "warning: s: a trace gives the failures of"
exits 0 run "$scratch/faults-scenario.toml" --replicas 5 --out "$scratch/replayed"
exits 0 results "$scratch/replayed"
says stdout "Warning: a trace gives the failures of"
exits 0 run "$scratch/profile-scenario.toml" --replicas 5
silent stderr

# Too few for a rate: no profile, and the report says so.
printf 'start,end,node,cause\n2024-01-01,2024-01-02,1,a\n2024-01-05,2024-01-06,1,a\n' >"$scratch/two.csv"
exits 2 trace fit "$scratch/two.csv" --out "$scratch/two.toml"
says stderr "5 failures or more"
absent "$scratch/two.toml"
exits 0 trace fit "$scratch/two.csv" --json
says stdout "only 1 time between failures"

exits 2 trace fit "$scratch/no-such-file.csv"
exits 2 trace fit "$sample" --format lanl
says stderr 'has no column "Prob Started"'
exits 2 trace fit "$sample" --cause hardwear
says stderr 'did you mean "hardware"?'
exits 2 trace
exits 2 trace fitt "$sample"
exits 2 trace fit "$sample" --zero-gapz drop
says stderr 'did you mean "--zero-gaps"?'
says stderr '"gauntlet trace fit --help"'
for help in "trace" "trace import" "trace fit"; do
  # shellcheck disable=SC2086
  exits 0 $help --help
  says stdout "Examples:"
done
finish
