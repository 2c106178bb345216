#!/usr/bin/env bash
# gauntlet topology: the page, the picture, and networks that cannot be.
source tests/cli/common.sh

exits 0 topology "$tiny"
says stdout "tiny-8: the network of 9 hosts, 1 of them spares"
says stdout "NIC r of 4 hosts is under the ToR switch of rail r, one of 8."
says stdout "ToR switches                 24   4 x 400 Gb/s down, 8 x 200 Gb/s up"  # 3 groups, the last of one host
says stdout "in another pod"
silent stderr

# As a Clos all three ToR switches are in one pod.
exits 0 topology "$tiny" --set cluster.network.kind=clos
says stdout "ToR switches                  3   32 x 400 Gb/s down, 8 x 1600 Gb/s up"
says stdout "spine switches                0   one pod needs none"

exits 0 topology megascale-175b-12288
says stdout "the network of 1560 hosts, 24 of them spares"
says stdout "pod                        25   64 (the last: 24)     the other pods"
exits 0 topology megascale-175b-12288 --dot
says stdout "graph topology {"
says stdout "style=dashed"
(($(wc -l <"$scratch/stdout") < 300)) || fail "a picture that is too large to read"
silent stderr
if command -v dot >/dev/null; then
  dot -Tsvg -o "$scratch/network.svg" "$scratch/stdout" 2>"$scratch/stderr" || fail "Graphviz does not read it"
  silent stderr
else
  skip "Graphviz reads the picture" "dot is not here (package graphviz, which packages.txt does not name)"
fi

# Spines that could not be wired evenly, and too few of them.
exits 0 topology "$tiny" --set cluster.network.spines=70
says stdout "64 of 70 spine switches are used"
exits 2 topology "$tiny" --set cluster.network.spines=5
says stderr "cluster.network.spines = 5 leaves some"
says stderr "8 would join them"
silent stdout
exits 2 topology "$tiny" --set cluster.network.kind=torus
silent stdout
exits 2 topology "$tiny" --set cluster.network.aggregations_per_pod=10000000 --set cluster.network.spines=10000000
says stderr "cluster.hosts = 8 has, with the spares,"
says stderr "links in its network"
silent stdout
exits 2 topology
exits 2 topology no-such-scenario
exits 0 topology --help
says stdout "gauntlet topology tiny-8"
finish
