# shellcheck shell=bash disable=SC2034
# What the tests of the command share. Source it, call the checks, end with `finish`.
# The command is the first argument, or $GAUNTLET. Everything is written into $scratch, which is removed.
set -uo pipefail

gauntlet="$(realpath "${1:-${GAUNTLET:?names the built command}}")"
tiny=scenarios/tiny-8.toml
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# exits CODE ARGUMENTS...: the command must end with CODE. Its output is left in $scratch/stdout and $scratch/stderr.
exits() {
  local wanted="$1" code=0
  shift
  "$gauntlet" "$@" >"$scratch/stdout" 2>"$scratch/stderr" || code=$?
  if ((code != wanted)); then
    fail "exit code $code, not $wanted: gauntlet $*"
    sed 's/^/    /' "$scratch/stderr" >&2
  fi
}

# says stdout|stderr TEXT: the last command must have said it.
says() {
  grep -qF -- "$2" "$scratch/$1" || { fail "$1 does not say: $2"; sed 's/^/    /' "$scratch/$1" >&2; }
}

silent() { [[ ! -s "$scratch/$1" ]] || { fail "$1 is not silent"; sed 's/^/    /' "$scratch/$1" >&2; }; }
absent() { [[ ! -e "$1" ]] || fail "$1 exists"; }
same() { cmp "$1" "$2" >&2 || fail "$1 and $2 differ"; }

# skip WHAT REASON: what this environment does not let be tested; listed after the last test.
skip() { echo "SKIPPED: $1: $2"; }

finish() {
  ((failures == 0)) || { echo "$failures failed" >&2; exit 1; }
  exit 0
}
