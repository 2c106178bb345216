#!/usr/bin/env bash
# What runs on a machine with a GPU that has only a compiler, CMake and CUDA's toolkit: builds the CUDA probes, measures, compares with bare
# loops, and looks for wrong accesses. Files go to the directory that is given (default: real/measurements): a file of measurements
# named by GPU and date, and a log of each stage. A stage that fails is told at the end, and the others still run.
#
#   real/run_on_gpu.sh [DIRECTORY]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:-real/measurements}
build=build-cuda
failed=()
mkdir -p "$out" || exit 1

# stage NAME SECONDS COMMAND...: its output goes to NAME.log and to the terminal.
stage() {
  local name=$1 seconds=$2
  shift 2
  echo "--- $name"
  timeout --kill-after=10 "$seconds" "$@" 2>&1 | tee "$out/$name.log"
  local code=${PIPESTATUS[0]}
  [ "$code" -eq 0 ] || { echo "--- $name failed: exit code $code"; failed+=("$name"); }
  return "$code"
}

measure() {
  local file
  file="$out/$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr -cs 'A-Za-z0-9\n' '-')-$(date -u +%F).toml"
  "$build/gauntlet-cuda-probe" --measurements > "$file" && cat "$file"
}

compute_sanitizer() {
  local tool probe
  for tool in memcheck racecheck synccheck; do
    for probe in launch memory_copy memory_triad arithmetic; do
      echo "$tool $probe"
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/gauntlet-cuda-probe" "$probe" || return 1
    done
  done
}

build_all() {
  cmake -S real/probes/cuda -B "$build" && cmake --build "$build" --parallel --target gauntlet-cuda-probe gauntlet-cuda-bench
}
export -f measure compute_sanitizer build_all
export out build

stage machine 60 bash -c 'nvidia-smi && nvcc --version && cmake --version'
stage build 480 bash -c build_all || { echo "nothing was built"; exit 1; }
stage measurements 480 bash -c measure
stage ratios 240 "$build/gauntlet-cuda-bench"
if command -v compute-sanitizer > /dev/null; then
  stage sanitizer 480 bash -c compute_sanitizer
else
  echo "--- sanitizer: compute-sanitizer is not here"
fi
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
