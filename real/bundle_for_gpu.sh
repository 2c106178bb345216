#!/usr/bin/env bash
# What a machine with a GPU needs that has only CUDA: the programs of a release build and the libraries they load, without those of the C++
# compiler and of CUDA. real/run_on_gpu.sh uses it there. It needs patchelf: programs find the libraries beside them, also as agents, which
# get no LD_LIBRARY_PATH.
#
#   make && real/bundle_for_gpu.sh DIRECTORY
set -euo pipefail
[ $# -eq 1 ] || { echo "real/bundle_for_gpu.sh DIRECTORY: which directory is to be made?" >&2; exit 2; }
command -v patchelf > /dev/null || { echo "real/bundle_for_gpu.sh: patchelf is not here: install it (apt-get install patchelf)" >&2; exit 1; }
build=$(dirname "${BASH_SOURCE[0]}")/../build
programs=(gauntlet gauntlet-cuda-probe gauntlet-ucx-probe gauntlet-fault-disk gauntlet-trainer gauntlet-device-trainer gauntlet-cuda-fault)
for each in "${programs[@]}"; do
  [ -x "$build/$each" ] || { echo "real/bundle_for_gpu.sh: build/$each is not there: build it first, where CUDA's toolkit is installed" >&2; exit 1; }
done

rm -rf "$1/lib"
mkdir -p "$1/lib"
for each in "${programs[@]}"; do strip -o "$1/$each" "$build/$each"; done
for each in "${programs[@]}"; do ldd "$build/$each"; done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -v -E '/(ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|cuda|cudart|cublas|cublasLt))[-.]' | xargs -I{} cp -L {} "$1/lib/"
for each in "${programs[@]}"; do patchelf --force-rpath --set-rpath '$ORIGIN/lib:/usr/local/cuda/lib64' "$1/$each"; done
for each in "$1"/lib/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$each"; done
du -sh "$1"
