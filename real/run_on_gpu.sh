#!/usr/bin/env bash
# What runs on a machine with a GPU that has only a compiler, CMake and CUDA's toolkit: builds the CUDA probes, measures, compares with bare
# loops, and looks for wrong accesses. Files go to the directory that is given (default: real/measurements): a file of measurements
# named by GPU and date, and a log of each stage. A stage that fails is told at the end, and the others still run.
#
#   real/run_on_gpu.sh [DIRECTORY]
set -uo pipefail
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/measurements}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
  local name file code
  name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || name=GPU
  file="$out/$(head -1 <<< "$name" | tr -cs 'A-Za-z0-9\n' '-')-$(date -u +%F).toml"
  "$build/gauntlet-cuda-probe" --measurements > "$file"
  code=$?
  cat "$file"
  [ "$code" -eq 0 ] && ! grep -q '^\[\[failed\]\]' "$file"
}

# Wrong accesses of our kernels; those of libraries are not ours. The other tools look for shared memory and barriers, which they do not use.
compute_sanitizer() {
  local probe log bad=0
  for probe in launch memory_copy memory_triad; do
    log="$out/sanitizer-$probe.log"
    echo "memcheck $probe"
    compute-sanitizer --tool memcheck --kernel-name kernel_substring=gauntlet --report-api-errors no --error-exitcode 9 \
      "$build/gauntlet-cuda-probe" "$probe" 2>&1 | tee "$log"
    [ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '"values":\[' "$log" && grep -q '"errors":\[\]' "$log" || bad=1
  done
  return "$bad"
}

build_all() {
  cmake -S real/probes/cuda -B "$build" && cmake --build "$build" --parallel --target gauntlet-cuda-probe gauntlet-cuda-bench
}
export -f measure compute_sanitizer build_all
export out build
export PATH="$PATH:/usr/local/cuda/bin"

# Together under ten minutes. A build folder that is there already is used again.
stage machine 20 bash -c 'nvidia-smi && nvcc --version && cmake --version'
stage build 200 bash -c build_all || { echo "nothing was built"; exit 1; }
stage measurements 200 bash -c measure
stage ratios 90 "$build/gauntlet-cuda-bench"
if command -v compute-sanitizer > /dev/null; then
  stage sanitizer 70 bash -c compute_sanitizer
else
  echo "--- sanitizer: compute-sanitizer is not here"
  failed+=("sanitizer")
fi
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
