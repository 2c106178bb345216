// Machines as /sys describes them, their cores by fake measurements, and memory that forgets.
#include "real/probes/host/cores.hpp"
#include "real/probes/host/cpu_probes.hpp"
#include "real/probes/host/disk_traffic.hpp"
#include "real/probes/host/gpu_facts.hpp"
#include "real/probes/host/machine_files.hpp"
#include "real/probes/host/memory_patterns.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A /sys and a /proc of a test's own.
class FakeMachine {
 public:
  std::string root() const { return scratch_.path().string(); }
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = scratch_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    put_bytes(file, text + "\n");
  }
  void put_cpu(int cpu, const std::string& siblings, int socket) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    put(folder + "/topology/thread_siblings_list", siblings);
    put(folder + "/topology/physical_package_id", std::to_string(socket));
    put(folder + "/cache/index0/level", "1");
    put(folder + "/cache/index0/size", "32K");
    put(folder + "/cache/index1/level", "3");
    put(folder + "/cache/index1/size", "16M");
    put(folder + "/cache/index1/shared_cpu_list", socket == 0 ? "0,2" : "1,3");
  }

 private:
  Scratch scratch_;
};

TEST(MachineFiles, ReadWhatLinuxWrites) {
  EXPECT_THAT(listed_numbers("0-3,8,10-11"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(listed_numbers(""), IsEmpty());
  EXPECT_EQ(size_of_text("32768K"), std::uint64_t{32} << 20);
  EXPECT_EQ(size_of_text("x"), std::nullopt);
  FakeMachine machine;
  EXPECT_EQ(available_memory(machine.root()), std::nullopt);
  machine.put("proc/meminfo", "MemTotal:  100 kB\nMemAvailable:     2048 kB");
  EXPECT_EQ(available_memory(machine.root()), std::uint64_t{2} << 20);
}

TEST(DiskTraffic, IsThatOfTheWholeDiskUnderADirectory) {
  FakeMachine machine;
  EXPECT_EQ(disk_bytes(machine.root(), machine.root()), std::nullopt);
  struct stat found {};
  ASSERT_EQ(::stat(machine.root().c_str(), &found), 0);
  const std::string device =
      "sys/dev/block/" + std::to_string(major(found.st_dev)) + ":" + std::to_string(minor(found.st_dev));
  machine.put(device + "/stat", "  2000  7  3000  40  500  6  1000  90  0 50 60");
  EXPECT_EQ(disk_bytes(machine.root(), machine.root()), 512U * 4000);
  // The disk of a partition is the folder above it.
  machine.put(device + "/partition", "1");
  machine.put("sys/dev/block/stat", "1 1 10 1 1 1 20 1 0 1 1");
  EXPECT_EQ(disk_bytes(machine.root(), machine.root()), 512U * 30);
  EXPECT_EQ(disk_bytes(machine.root(), machine.root() + "/absent"), std::nullopt);
}

TEST(DiskTraffic, OfOthersExcusesASlowDisk) {
  EXPECT_THAT(why_shared(100'000'000, 100'000'000), IsEmpty());
  EXPECT_THAT(why_shared(100'000'000, 90'000'000), IsEmpty());  // some of it was in memory
  EXPECT_THAT(why_shared(100'000'000, 110'000'000), IsEmpty());
  EXPECT_EQ(
      why_shared(100'000'000, 120'000'000),
      "the disk moved 20 MB for others beside the 100 MB of the probe; repeat it while nothing else uses it");
}

TEST(GpuFacts, AreWhatTheDriverSaysOfEachGpu) {
  FakeMachine machine;
  EXPECT_THAT(gpu_facts(machine.root()), IsEmpty());
  machine.put("proc/driver/nvidia/gpus/0000:3b:00.0/information",
              "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 16\nVideo BIOS: \t 96.00.74.00.01\nGPU "
              "Firmware: \t 535.129.03");
  machine.put("sys/bus/pci/devices/0000:3b:00.0/current_link_width", "16");
  EXPECT_THAT(gpu_facts(machine.root()),
              ElementsAre(std::pair("GPU 0 model", "NVIDIA H100 80GB HBM3"),
                          std::pair("GPU 0 video BIOS", "96.00.74.00.01"),
                          std::pair("GPU 0 firmware", "535.129.03"), std::pair("GPU 0 link width", "16")));
}

TEST(GpuFacts, VersionsOfNcclAreCountedInTwoWays) {
  EXPECT_EQ(nccl_version_of(2708), "2.7.8");
  EXPECT_EQ(nccl_version_of(22803), "2.28.3");
}

TEST(MachineCores, AreOnePerPhysicalCore) {
  FakeMachine machine;
  for (const int cpu : {0, 2}) machine.put_cpu(cpu, "0,2", 0);
  for (const int cpu : {1, 3}) machine.put_cpu(cpu, "1,3", 1);
  machine.put("sys/devices/system/node/online", "0-1");
  machine.put("sys/devices/system/node/node0/cpulist", "0,2");
  machine.put("sys/devices/system/node/node1/cpulist", "1,3");
  const std::vector<MachineCore> cores = cores_of(machine.root(), {0, 1, 2, 3});
  ASSERT_EQ(cores.size(), 2U);
  EXPECT_EQ(cores[0].cpu, 0);
  EXPECT_EQ(cores[1].socket, 1);
  EXPECT_EQ(cores[1].node, 1);
  EXPECT_EQ(last_level_caches(machine.root(), cores), std::uint64_t{32} << 20);
  // Where the first hardware thread is not allowed, the core is its other one.
  EXPECT_EQ(cores_of(machine.root(), {2}).at(0).cpu, 2);
}

TEST(MachineCores, OfAMachineThatSaysNothingAreAllAlike) {
  const FakeMachine machine;
  EXPECT_EQ(cores_of(machine.root(), {0, 1}).size(), 2U);
  EXPECT_EQ(last_level_caches(machine.root(), cores_of(machine.root(), {0, 1})), 0U);
}

/// Cores 0, 1, ... of two sockets, with the rates and shares given.
std::vector<CoreRun> runs_of(const std::vector<std::pair<double, double>>& rates_and_shares) {
  std::vector<CoreRun> runs;
  for (const auto& [rate, share] : rates_and_shares) {
    const int cpu = static_cast<int>(runs.size());
    runs.push_back({.core = {.cpu = cpu, .socket = cpu % 2, .node = 0, .capacity = ""},
                    .rates = {rate, rate, rate},
                    .shares = {share, share, share}});
  }
  return runs;
}

const ProbeMetric kSteps{.unit = "Mstep/s", .better = Better::higher};
const ProbeThreshold kStraggler{.of_peers = 0.75, .source = ""};

TEST(CpuProbes, ASlowCoreIsFoundAndToldFromABusyOne) {
  const auto slow =
      judge("cpu_cores", kSteps, cores_sample(runs_of({{600, 1}, {600, 1}, {300, 1}, {600, 1}})), kStraggler);
  EXPECT_EQ(slow.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(slow.part, "core 2");
  EXPECT_THAT(slow.why, HasSubstr("the core itself is slow"));
  const auto busy = judge("cpu_cores", kSteps,
                          cores_sample(runs_of({{600, 1}, {600, 1}, {600, 1}, {300, 0.5}})), kStraggler);
  EXPECT_EQ(busy.part, "core 3");
  EXPECT_THAT(busy.why, HasSubstr("other programs took 50% of its time"));
}

TEST(CpuProbes, WhereAllCoresAreBusyNobodyPasses) {
  const auto finding =
      judge("cpu_cores", kSteps, cores_sample(runs_of({{300, 0.5}, {300, 0.5}})), kStraggler);
  EXPECT_EQ(finding.verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(finding.why, HasSubstr("while nothing else runs"));
}

TEST(CpuProbes, ASocketIsTheSumOfItsCores) {
  const ProbeSample sample = sockets_sample(runs_of({{600, 1}, {500, 1}, {600, 1}, {500, 1}}));
  ASSERT_EQ(sample.parts.size(), 2U);
  EXPECT_THAT(sample.parts[0].values, ElementsAre(1200, 1200, 1200));
  EXPECT_THAT(sample.parts[1].values, ElementsAre(1000, 1000, 1000));
}

TEST(CpuProbes, WithoutACoreCannotLook) {
  EXPECT_EQ(judge("cpu_cores", kSteps, cores_sample({}), kStraggler).verdict, ProbeVerdict::unsupported);
}

TEST(MemoryPatterns, FindNothingInGoodMemory) {
  std::vector<std::uint64_t> memory(1000);
  EXPECT_EQ(check_patterns(memory).words, 0U);
}

// Each bit, stuck at either value, is found at its place.
TEST(MemoryPatterns, FindEveryStuckBit) {
  std::vector<std::uint64_t> memory(100);
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    for (const bool one : {false, true}) {
      const auto stick = [&] { memory[70] = one ? memory[70] | 1ULL << bit : memory[70] & ~(1ULL << bit); };
      const BitErrors errors = check_patterns(memory, stick);
      EXPECT_GT(errors.words, 0U) << bit << " at " << one;
      EXPECT_EQ(errors.first, 70U);
      EXPECT_EQ(errors.wrote ^ errors.read, 1ULL << bit);
    }
  }
}

// Two addresses that are one word: the one that was written last is in both.
TEST(MemoryPatterns, FindAnAddressLineThatSticks) {
  std::vector<std::uint64_t> memory(128);
  const BitErrors errors = check_patterns(memory, [&] { memory[1] = memory[65]; });
  EXPECT_EQ(errors.words, 1U);
  EXPECT_EQ(errors.read, 65U);
  EXPECT_THAT(to_text(errors), HasSubstr("1 word read back differently"));
}

}  // namespace
}  // namespace gauntlet
