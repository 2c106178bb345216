#!/usr/bin/env bash
# What the command accepts, what it refuses, and how it ends.
source tests/cli/common.sh

exits 0 --version
says stdout "gauntlet "
exits 0 --help
says stdout "Examples:"
for command in new run sweep compare tune plan scale step topology validate replay check show list explain schema results certs; do
  exits 0 "$command" --help
  says stdout "Examples:"
  says stdout "gauntlet $command"
done

# Wrong words are wrong input, and nothing is printed as if it were an answer.
for arguments in "" "fly" "run" "run $tiny --replicas 0" "run $tiny --replicas -3" "run $tiny --replicas many" \
  "run $tiny --threads 0" "run $tiny --threads 100000" "run $tiny --seed -1" "run $tiny --replica -1" \
  "run $tiny --replica 1 --replicas 2" "run $tiny --unheard-of" "run $tiny $tiny" "list everything" "results" "replay"; do
  # shellcheck disable=SC2086  # the words are meant to be split
  exits 2 $arguments
  silent stdout
done
exits 2 run "$tiny" --out ""
exits 2 run "$tiny" --record "$scratch/run.gauntlet"
says stderr "--replica"
absent "$scratch/run.gauntlet"

# An unknown word is named, and the nearest known one beside it.
exits 2 rnu
says stderr 'there is no command "rnu"; did you mean "run"?'
says stderr '"gauntlet --help"'
exits 2 run "$tiny" --replcas 3
says stderr 'there is no option "--replcas"; did you mean "--replicas"?'
exits 2 run "$tiny" --replcas=3
says stderr 'there is no option "--replcas"; did you mean "--replicas"?'
exits 2 run "$tiny" --thr 3
says stderr 'did you mean "--threads"?'
exits 2 run "$tiny" --zzzzzz
says stderr 'there is no option "--zzzzzz"'
exits 2 run "$tiny" another
says stderr '"another" is one word too many'
exits 2 --replicas 2 run "$tiny"
says stderr '"--replicas" is an option of "gauntlet run ...": write it after the command'
exits 2 run "$tiny" --replicas many
says stderr '--replicas: "many" is not a whole number; write it in decimal digits'
exits 2 run "$tiny" --replicas 4 --replica 1
says stderr 'exclude each other; leave one of them out'
exits 2 run "$tiny" --seed
says stderr '--seed needs a value'
exits 2 run
says stderr 'scenario is missing'
exits 2 list metrix
says stderr 'did you mean "metrics"?'

# Whole numbers are decimal: 010 is neither ten nor eight.
exits 2 run "$tiny" --replicas 010
says stderr '--replicas: "010" begins with 0; write 10'
exits 2 run "$tiny" --seed 0x5
says stderr '--seed: "0x5" is not a whole number; write it in decimal digits, such as 20'
exits 2 run "$tiny" --threads 1_000
exits 0 run "$tiny" --replicas 3 --seed 0

# More replicas than their statistics may be of are refused, wherever they are asked for.
exits 2 run "$tiny" --replicas 4000001
says stderr "4000000"
exits 2 run "$tiny" --set study.replicas=4000001
says stderr "study.replicas = 4000001 is above 4000000"

# Runs that gave up: the report says so, and the exit code.
exits 1 run "$tiny" --replicas 5 --set job.give_up_after=1min
says stdout "5 of 5 runs gave up: no progress for 60 s, or in 10,000 starts in a row."
exits 1 run "$tiny" --replica 3 --set job.give_up_after=1min
says stdout "1 of 1 run gave up: no progress for 60 s, or in 10,000 starts in a row."
# They end after 30 days by default, and the report says what they waited for.
exits 1 run "$tiny" --replicas 5 --set job.window=100d --set spares.count=0 --set repair.time=400d
says stdout "5 of 5 runs gave up: no progress for 30 days, or in 10,000 starts in a row."
says stdout 'went to `waiting_for_spare`: no spare host replaced'
exits 1 run "$tiny" --replicas 5 --set job.window=100d --set job.start.communicator_init=400d
says stdout "5 of 5 runs gave up: no progress for 30 days, or in 10,000 starts in a row."
says stdout 'went to `restarting`: no start succeeded'
exits 0 run "$tiny" --replicas 5 --set job.window=20d --set job.start.communicator_init=400d
exits 1 run "$tiny" --replicas 5 --set job.give_up_after=1min --json
says stdout '"gave_up"'

# What is allowed and seldom meant is said once, whatever the study.
twins=(--set 'policies.detect=["hang","learned-hang"]' --replicas 2 --json)
for study in "run $tiny" "sweep $tiny --vary spares.count=1,2" "compare $tiny --with spares.count=3" \
  "scale $tiny --gpus 64,128"; do
  # shellcheck disable=SC2086
  exits 0 $study "${twins[@]}"
  said="$(grep -c '^warning: --set: policies.detect = .* has both "hang" and "learned-hang"' "$scratch/stderr")"
  ((said == 1)) || fail "$said warnings, not 1: $study"
done

# Wrong scenarios: every problem on its line, then their number.
exits 2 run "$scratch/none.toml"
says stderr "none.toml"
says stderr "1 problem"
exits 2 run "$tiny" --set no.such.path=1 --set job.window=forever --out "$scratch/out"
says stderr "2 problems"
silent stdout
absent "$scratch/out"
exits 2 check "$tiny" "$scratch/none.toml"
says stdout "$tiny: no mistakes"
says stderr "1 problem"
exits 0 check "$tiny"
silent stderr

# A scenario that is shown is itself a scenario that means the same.
exits 0 show "$tiny" --set spares.count=3
cp "$scratch/stdout" "$scratch/shown.toml"
exits 0 run "$scratch/shown.toml" --replicas 3 --json
cp "$scratch/stdout" "$scratch/shown.json"
exits 0 run "$tiny" --set spares.count=3 --replicas 3 --json
same "$scratch/stdout" "$scratch/shown.json"
# --set takes one value, so that a scenario may follow it.
exits 0 run --set spares.count=3 "$tiny" --replicas 3 --json
same "$scratch/stdout" "$scratch/shown.json"

exits 0 schema
says stdout '"$schema"'
exits 0 list
for what in scenarios faults distributions policies hardware models; do
  exits 0 list "$what"
  [[ -s "$scratch/stdout" ]] || fail "list $what lists nothing"
done
# A filter keeps the entries that have it in their name or meaning, whatever its capitals are.
exits 0 list faults NVLINK
says stdout "nvlink_error"
! grep -q host_maintenance "$scratch/stdout" || fail "list faults NVLINK lists other faults"
exits 2 run "$tiny" --out= --json  # not a directory of that name
says stderr '--out needs a value'
[ ! -e ./--json ] || fail "an empty value took the next option"
exits 0 list faults nic
! grep -q kernel_panic "$scratch/stdout" || fail "list faults nic lists a panic"
exits 2 list faults nothing-has-this
says stderr '`gauntlet list faults` lists them all'
silent stdout
exits 0 list scenarios
says stdout "tiny-8"
exits 0 list distributions
says stdout "weibull"

# An answer that cannot be printed is no success.
if [[ -w /dev/full ]]; then
  code=0
  "$gauntlet" run "$tiny" --replicas 2 >/dev/full 2>"$scratch/stderr" || code=$?
  ((code == 1)) || fail "a full standard output ends with $code, not 1"
fi

# No colour and no progress bar where there is no terminal.
exits 0 run "$tiny" --replicas 3
silent stderr
! grep -q $'\x1b' "$scratch/stdout" || fail "colour in a file"
finish
