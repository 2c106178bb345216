#!/usr/bin/env bash
# What runs on a machine with a GPU that has only a compiler, CMake and CUDA's toolkit: builds the CUDA probes, measures, compares with bare
# loops, and looks for wrong accesses. With a bundle of programs (real/bundle_for_gpu.sh) also the tests on a device, and a drill of a job on it. With
# PyTorch also its events, and the plugin in its NCCL. Files go to the directory that is given (default: real/measurements): a file of
# measurements named by GPU and date, and a log of each stage. A stage that fails is told at the end, and the others still run.
#
#   real/run_on_gpu.sh [DIRECTORY [BUNDLE]]
set -uo pipefail
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/measurements}")
bundle=${2:+$(realpath -m "$2")}
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

# Wrong accesses of our kernels; those of libraries are not ours. Of racecheck nothing is filtered: on Hopper it fails in cuBLAS where it is to pass over
# a kernel ("Internal Sanitizer Error", also with a filter that no kernel has).
compute_sanitizer() {
  local tool probe log bad=0
  local -a ours
  for tool in memcheck racecheck synccheck; do
    ours=(--error-exitcode 9)
    [ "$tool" = racecheck ] || ours+=(--kernel-name kernel_substring=gauntlet)
    [ "$tool" = memcheck ] && ours+=(--report-api-errors no)
    for probe in launch memory_copy memory_triad; do
      log="$out/sanitizer-$tool-$probe.log"
      echo "$tool $probe"
      compute-sanitizer --tool "$tool" "${ours[@]}" "$build/gauntlet-cuda-probe" "$probe" 2>&1 | tee "$log"
      [ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '"values":\[' "$log" && grep -q '"errors":\[\]' "$log" || bad=1
    done
    [ -n "$bundle" ] || continue
    log="$out/sanitizer-$tool-trainer.log"
    echo "$tool trainer"
    RANK=0 WORLD_SIZE=1 compute-sanitizer --tool "$tool" "${ours[@]}" "$bundle/gauntlet-device-trainer" --width 256 --layers 2 --rows 256 --steps 3 \
      --checkpoints "$out/checkpoints" --save-every 1 2>&1 | tee "$log"
    [ "${PIPESTATUS[0]}" -eq 0 ] && grep -q '^final state' "$log" || bad=1
    rm -r "$out/checkpoints"
  done
  return "$bad"
}

build_all() {
  cmake -S real/probes/cuda -B "$build" && cmake --build "$build" --parallel --target gauntlet-cuda-probe gauntlet-cuda-bench &&
    "${CXX:-c++}" -std=c++20 -O2 -shared -fPIC -Wl,-z,nodelete -I. -o "$build/libnccl-profiler-gauntlet.so" real/rank/nccl/nccl_profiler.cpp
}

# The ranks have no variables but those of the scenario.
drill() {
  "$bundle/gauntlet" drill scenarios/drills/device/train.toml --hosts 2 --run-as "$(id -un)" \
    --set "drill.command.arguments=[\"$bundle/gauntlet-device-trainer\", \"--share-gpu\"]" --set "drill.environment.LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\""
}
export -f measure compute_sanitizer build_all drill
export out build bundle
export PATH="$PATH:/usr/local/cuda/bin"
# NCCL comes with PyTorch where the system has none.
nccl=$(python3 -c 'import nvidia.nccl; print(list(nvidia.nccl.__path__)[0] + "/lib")' 2> /dev/null)
export LD_LIBRARY_PATH="${bundle:+$bundle/lib:}/usr/local/cuda/lib64${nccl:+:$nccl}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Together under half an hour; on an H200 they took seven minutes. A build folder that is there already is used again.
stage machine 20 bash -c 'nvidia-smi && nvcc --version && cmake --version'
stage build 200 bash -c build_all || { echo "nothing was built"; exit 1; }
stage measurements 200 bash -c measure
stage ratios 120 "$build/gauntlet-cuda-bench"
if command -v compute-sanitizer > /dev/null; then
  stage sanitizer 240 bash -c compute_sanitizer
else
  echo "--- sanitizer: compute-sanitizer is not here"
  failed+=("sanitizer")
fi
if python3 -c 'import torch' 2> /dev/null; then
  stage torch-segments 90 python3 tests/device/torch_segments.py
  stage torch-nccl 120 env NCCL_PROFILER_PLUGIN="$PWD/$build/libnccl-profiler-gauntlet.so" python3 tests/device/torch_nccl.py
else
  echo "--- torch: PyTorch is not here"
fi
if [ -n "$bundle" ]; then
  stage trainer 300 env PROGRAMS="$bundle" python3 tests/device/trainer.py
  stage faults 180 env PROGRAMS="$bundle" python3 tests/device/faults.py
  stage drill 240 bash -c drill
else
  echo "--- trainer, faults, drill: no bundle was given"
fi
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
