# Targets for common tasks: `make help` lists them. The builds are defined in CMakePresets.json, the scripts lie in scripts/.
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help setup build run test check-all clang asan-ubsan sanitized tsan slow same-bytes long coverage mutants swarm fuzz bench bench-agents bench-checkpoint drill drills drill-chaos drill-torch format tidy clean

CORES := $(shell nproc)
# Drills wait a good part of their time: on two cores the suite uses three quarters of them, two tests at a time.
TESTS_AT_ONCE := $(shell expr $(CORES) + 1)
# JOBS=1 for a machine with little memory.
BUILD := cmake --build $(if $(JOBS),--parallel $(JOBS)) --preset
# $(call test,PRESET,FOLDER) runs the tests of a preset; then it names those that were skipped, and shows why others failed.
test = ctest --parallel $(or $(JOBS),$(TESTS_AT_ONCE)) --preset $(1); code=$$?; scripts/skipped_tests.py $(2); scripts/failed_tests.py $(2); exit $$code
# The thread sanitizer of clang 14 cannot map its shadow where the kernel randomises addresses widely.
FIXED_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what packages.txt names and this machine lacks
	@scripts/setup.sh

# One configure per build folder; after that Ninja runs CMake again when a CMakeLists.txt or a glob changes.
%/build.ninja: CMakePresets.json | setup
	cmake --preset $(if $(filter build,$*),release,$(*:build-%=%))
	@touch $@

build: build/build.ninja ## build everything, optimised, with contracts on (the default)
	$(BUILD) release

run: build/build.ninja ## build the command and run the main job: 54 days on 16,384 GPUs
	$(BUILD) release --target gauntlet
	build/gauntlet run scenarios/llama3-405b-54d.toml --replicas 200

test: build/build.ninja ## build and run the suite (half an hour from nothing on 2 cores)
	$(BUILD) release-tests
	@$(call test,release,build)

check-all: asan-ubsan tsan slow same-bytes ## the suite and the fuzzers under the sanitizers, the slow tests, g++ against clang

clang: build-clang/build.ninja ## everything built by clang, optimised, and the suite
	$(BUILD) clang
	@$(call test,clang,build-clang)

asan-ubsan: build-asan-ubsan/build.ninja ## the suite under the address and undefined-behaviour sanitizers
	$(BUILD) asan-ubsan
	@$(call test,asan-ubsan,build-asan-ubsan)

sanitized: build-asan-ubsan/build.ninja ## the scripts that asan-ubsan leaves out, as they mostly wait
	$(BUILD) asan-ubsan
	@$(call test,sanitized,build-asan-ubsan)

tsan: build-tsan/build.ninja ## the tests that start threads, under the thread sanitizer
	$(BUILD) tsan
	@$(FIXED_ADDRESSES) $(call test,tsan,build-tsan)

slow: build/build.ninja ## the slow tests, in the optimised build
	$(BUILD) slow
	@$(call test,slow,build)

# The sanitized build is another compiler's at another optimisation, and check-all has it already.
same-bytes: build/build.ninja build-asan-ubsan/build.ninja ## g++ and clang give the same results, byte for byte
	$(BUILD) release --target gauntlet
	$(BUILD) asan-ubsan --target gauntlet
	scripts/same_bytes.sh build/gauntlet build-asan-ubsan/gauntlet

long: build/build.ninja ## the coverage of every interval, 200 repetitions of each study: minutes
	$(BUILD) long
	@$(call test,long,build)

# Only g++ and gcov; the table of docs/testing.md comes from here.
coverage: build-coverage/build.ninja ## lines and branches of each room that the suite runs (half an hour)
	$(BUILD) coverage
	find build-coverage -name '*.gcda' -delete
	@$(call test,coverage,build-coverage)
	scripts/coverage.py build-coverage

# ROOM=score for those of one room. It works in a copy of the sources, build-mutants/tree.
mutants: ## wrong programs, one change each: which tests notice (two hours; ROOM=score for one room)
	tests/mutants/mutants.py $(if $(ROOM),--room $(ROOM)) $(if $(JOBS),--jobs $(JOBS))

# SECONDS=7200 for longer. A failure is written into swarm-found/, as small as it could be made.
swarm: build/build.ninja ## random scenarios through every command, with new seeds: half an hour
	$(BUILD) release --target gauntlet
	tests/swarm/swarm.py --seconds $(or $(SECONDS),1800)

# An input that breaks something is left in build-fuzz/tests/fuzz/found, with the command that repeats it.
fuzz: build-fuzz/build.ninja ## libFuzzer on every format that is read, each for a minute (SECONDS=3600 for longer)
	$(BUILD) fuzz
	tests/fuzz/fuzz.py build-fuzz/tests/fuzz --seconds $(or $(SECONDS),60)

bench: build/build.ninja ## timings by Google Benchmark
	$(BUILD) release --target gauntlet_bench
	build/bench/gauntlet_bench

# A table, and 1 where a goal is missed. The files of this user are limited: with `ulimit -n` 20,000 for 10,000 agents.
# The shaped link: a token bucket on the loopback of a network namespace.
bench-checkpoint: build/build.ninja ## stages, restore and broadcast of a checkpoint beside bare loops (a minute, 3 GB)
	$(BUILD) release --target checkpoint_bench broadcast_bench
	build/bench/checkpoint_bench $(or $(DIRECTORY),build)
	build/bench/broadcast_bench
	unshare --map-root-user --net sh -c 'ip link set lo up && \
	  tc qdisc add dev lo root tbf rate 4gbit burst 512kb latency 50ms && build/bench/broadcast_bench'

bench-agents: build/build.ninja ## one driver and 10,000 agents over mutual TLS: CPU time and memory (minutes)
	$(BUILD) release --target agents_bench
	build/bench/agents_bench --agents $(or $(AGENTS),10000)

# Root alone makes the lab that these three need.
DRILL := GAUNTLET=$(CURDIR)/build/gauntlet PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/chaos

drill: build/build.ninja ## one fault of each kind on eight hosts of a lab, each detected, localised and recovered (about 10 minutes)
	$(BUILD) release --target gauntlet gauntlet-trainer
	$(DRILL)/every_kind.py

drills: build/build.ninja ## 200 drills with random faults and a kill -9 of whatever belongs to them (about 12 s each; DRILLS=5 for fewer)
	$(BUILD) release --target gauntlet gauntlet-trainer
	$(DRILL)/random_drills.py --drills $(or $(DRILLS),200)

drill-chaos: build/build.ninja ## a drill whose driver, agents, watchdogs, ranks, links and disk fail at moments drawn from SEED=7 (a minute)
	$(BUILD) release --target gauntlet gauntlet-trainer
	$(DRILL)/chaos.py --seed $(or $(SEED),7)

# python3-torch is not in packages.txt: it takes 200 MB, and nothing else needs it. Debian's PyTorch belongs to Debian's Python.
drill-torch: build/build.ninja ## install python3-torch, and drill the PyTorch job of scenarios/drills/pytorch (minutes)
	scripts/setup.sh python3-torch
	$(BUILD) release --target gauntlet gauntlet-trainer
	GAUNTLET=$(CURDIR)/build/gauntlet /usr/bin/python3 tests/drill/torch_drill.py

format: setup ## lay out every C++ file by .clang-format
	git ls-files -z --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs -0 --no-run-if-empty clang-format -i

tidy: build-clang/build.ninja ## clang-tidy by .clang-tidy (minutes)
	run-clang-tidy -quiet -p build-clang '^$(CURDIR)/(core|models|flow|policies|sim|score|config|study|report|shell|commands|real|cli|python)/'

clean: ## remove every build folder
	rm -rf build build-dev build-clang build-asan-ubsan build-tsan build-fuzz build-coverage build-mutants build-python build-cuda
