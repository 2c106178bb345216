#!/usr/bin/env bash
# scripts/same_bytes.sh GAUNTLET OTHER: two builds of the command must answer every shipped scenario with the same bytes.
set -euo pipefail

(($# == 2)) || { echo "usage: $0 GAUNTLET OTHER" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

differing=0
shopt -s nullglob
scenarios=(scenarios/*.toml)
((${#scenarios[@]} > 0)) || { echo "same_bytes: scenarios/ holds no scenario" >&2; exit 1; }
for scenario in "${scenarios[@]}"; do
  "$1" run "$scenario" --replicas 8 --seed 7 --threads 1 --json >"$scratch/one.json"
  "$2" run "$scenario" --replicas 8 --seed 7 --threads 2 --json >"$scratch/other.json"
  if cmp "$scratch/one.json" "$scratch/other.json"; then
    echo "same_bytes: $scenario agrees"
  else
    echo "same_bytes: $scenario differs; repeat: $1 run $scenario --replicas 8 --seed 7 --json" >&2
    differing=1
  fi
done
exit "$differing"
