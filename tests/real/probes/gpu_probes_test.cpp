// What the driver says of two GPUs, of which the second has what the mock library is told (tests/mocks/mock_nvml.cpp).
#include "real/probes/host/gpu_probes.hpp"

#include "real/probes/isolated.hpp"
#include "real/probes/judge.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using GpuProbe = ProbeSample (*)(const ProbedHost&);
const ProbeThreshold kNothing{.at_most = 0, .breach = Breach::fail};
const ProbeThreshold kAll{.at_least = 100, .breach = Breach::degraded};

class Gpus : public testing::Test {
 protected:
  Gpus() { begin_again(); }
  ~Gpus() override {
    says("");
    ::dlclose(resident_);
  }

  void begin_again() const {
    says("");
    reinterpret_cast<void (*)()>(::dlsym(resident_, "mock_nvml_reset"))();
  }
  void says(const std::string& words) const {
    reinterpret_cast<void (*)(const char*)>(::dlsym(resident_, "mock_nvml_say"))(words.c_str());
  }
  std::uint64_t failures() const {
    return reinterpret_cast<std::uint64_t (*)()>(::dlsym(resident_, "mock_nvml_failures"))();
  }
  static ProbeFinding found(GpuProbe probe, const ProbeThreshold& threshold, Better better = Better::lower,
                            const char* library = MOCK_NVML) {
    return judge("a_probe", {.unit = "", .better = better}, probe({.nvml = library}), threshold);
  }

 private:
  void* const resident_ = ::dlopen(MOCK_NVML, RTLD_NOW | RTLD_LOCAL);  // its counters stay
};

TEST_F(Gpus, HealthyOnesPass) {
  for (const GpuProbe probe : {probe_gpu_ecc, probe_gpu_row_remaps, probe_gpu_throttle,
                               probe_gpu_pcie_replays, probe_gpu_nvlink_errors}) {
    EXPECT_EQ(found(probe, kNothing).verdict, ProbeVerdict::pass);
    EXPECT_THAT(probe({.nvml = MOCK_NVML}).parts, SizeIs(2));
  }
  EXPECT_EQ(found(probe_gpu_pcie, kAll, Better::higher).verdict, ProbeVerdict::pass);
  EXPECT_EQ(found(probe_gpu_nvlink, {.at_least = 4}, Better::higher).verdict, ProbeVerdict::pass);
  const ProbeSample inventory = probe_gpu_inventory({.nvml = MOCK_NVML});
  EXPECT_EQ(inventory.parts.at(0).values, std::vector{2.0});
  EXPECT_THAT(inventory.facts, Contains(Pair("GPU 1 model", "NVIDIA H100 80GB HBM3")));
  EXPECT_THAT(inventory.facts, Contains(Pair("GPU 1 PCI address", "00000000:01:00.0")));
  EXPECT_THAT(inventory.facts, Contains(Pair("GPU 0 memory", "81920 MiB")));
  EXPECT_THAT(inventory.facts, Contains(Pair("GPU 0 MIG", "off")));
  EXPECT_THAT(inventory.facts, Contains(Pair("driver", "580.65.06")));
  EXPECT_EQ(failures(), 0U);
}

TEST_F(Gpus, WhatIsWrongWithOneIsFoundThere) {
  struct Case {
    const char* says;
    GpuProbe probe;
    ProbeThreshold threshold;
    Better better;
    ProbeVerdict verdict;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"ecc=3", probe_gpu_ecc, kNothing, Better::lower, ProbeVerdict::fail, "3 uncorrected"},
      {"remap", probe_gpu_row_remaps, kNothing, Better::lower, ProbeVerdict::fail,
       "a remap waits for a reset"},
      {"remap-failed", probe_gpu_row_remaps, kNothing, Better::lower, ProbeVerdict::fail,
       "has to be replaced"},
      {"hot", probe_gpu_throttle, kNothing, Better::lower, ProbeVerdict::fail,
       "hardware slowdown, temperature, by the hardware"},
      {"narrow", probe_gpu_pcie, kAll, Better::higher, ProbeVerdict::degraded,
       "8 of 16 lanes, generation 1 of 5"},
      {"replays=5", probe_gpu_pcie_replays, kNothing, Better::lower, ProbeVerdict::fail, "5 more"},
      {"link-errors=1", probe_gpu_nvlink_errors, kNothing, Better::lower, ProbeVerdict::fail, "more"},
      {"links-down=2",
       probe_gpu_nvlink,
       {.of_peers = 1},
       Better::higher,
       ProbeVerdict::degraded,
       "inactive: 0, 1"}};
  for (const Case& each : cases) {
    says(each.says);
    const ProbeFinding finding = found(each.probe, each.threshold, each.better);
    EXPECT_EQ(finding.verdict, each.verdict) << each.says;
    EXPECT_EQ(finding.part, "GPU 1") << each.says;
    EXPECT_THAT(finding.why, HasSubstr(each.why)) << each.says;
  }
}

TEST_F(Gpus, OneThatHasFallenOffTheBusFailsEveryProbe) {
  says("lost");
  for (const GpuProbe probe :
       {probe_gpu_inventory, probe_gpu_ecc, probe_gpu_row_remaps, probe_gpu_throttle, probe_gpu_pcie,
        probe_gpu_pcie_replays, probe_gpu_nvlink, probe_gpu_nvlink_errors}) {
    const ProbeFinding finding = found(probe, {.at_most = 100, .breach = Breach::degraded});
    EXPECT_EQ(finding.verdict, ProbeVerdict::fail);
    EXPECT_THAT(finding.why, HasSubstr("GPU 1: nvmlDeviceGetHandleByIndex_v2: GPU is lost"));
  }
}

TEST_F(Gpus, WhatOneDoesNotSayIsInconclusiveAndWhatNoneSaysUnsupported) {
  says("ecc-off");
  EXPECT_EQ(found(probe_gpu_ecc, kNothing).verdict, ProbeVerdict::inconclusive);
  EXPECT_EQ(found(probe_gpu_ecc, kNothing).why, "GPU 1: error correction is off");
  says("no-permission");
  EXPECT_EQ(found(probe_gpu_throttle, kNothing).verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(found(probe_gpu_throttle, kNothing).why, HasSubstr("Insufficient Permissions"));
  says("no-nvlink");
  EXPECT_EQ(found(probe_gpu_nvlink, {.at_least = 0}, Better::higher).verdict, ProbeVerdict::unsupported);
  EXPECT_EQ(found(probe_gpu_nvlink_errors, kNothing).verdict, ProbeVerdict::unsupported);
  EXPECT_THAT(found(probe_gpu_nvlink_errors, kNothing).why, HasSubstr("Not Supported"));
  says("mig");
  EXPECT_THAT(probe_gpu_inventory({.nvml = MOCK_NVML}).facts, Contains(Pair("GPU 1 MIG", "on")));
}

TEST_F(Gpus, AnOldDriverIsUnsupportedWhereItLacksAFunction) {
  const ProbeFinding finding = found(probe_gpu_row_remaps, kNothing, Better::lower, MOCK_NVML_OLD);
  EXPECT_EQ(finding.verdict, ProbeVerdict::unsupported);
  EXPECT_THAT(finding.why, HasSubstr("this driver has no nvmlDeviceGetRemappedRows"));
  EXPECT_EQ(found(probe_gpu_ecc, kNothing, Better::lower, MOCK_NVML_OLD).verdict, ProbeVerdict::pass);
}

TEST_F(Gpus, WithoutADriverOrAGpuNothingIsSupported) {
  for (const auto& [words, why] : {std::pair("no-driver", "nvmlInit_v2: Driver Not Loaded"),
                                   std::pair("no-gpu", "the driver has no GPU")}) {
    says(words);
    EXPECT_EQ(found(probe_gpu_ecc, kNothing).verdict, ProbeVerdict::unsupported);
    EXPECT_EQ(found(probe_gpu_ecc, kNothing).why, why);
  }
  const ProbeFinding none =
      found(probe_gpu_inventory, kNothing, Better::higher, "/nowhere/libnvidia-ml.so.1");
  EXPECT_EQ(none.verdict, ProbeVerdict::unsupported);
  EXPECT_THAT(none.why, HasSubstr("no NVIDIA driver: /nowhere/libnvidia-ml.so.1: cannot open"));
}

/// At whichever call the library begins to fail: what was not seen never passes.
TEST_F(Gpus, AnErrorAtAnyCallIsNoHealth) {
  for (const GpuProbe probe : {probe_gpu_ecc, probe_gpu_row_remaps, probe_gpu_throttle, probe_gpu_nvlink}) {
    int healthy = 0;
    for (int after = 1; after < 40; ++after) {
      begin_again();
      says("errors-after=" + std::to_string(after));
      const ProbeSample sample = probe({.nvml = MOCK_NVML});
      const bool clean = sample.unsupported.empty() && sample.inconclusive.empty() && sample.errors.empty();
      EXPECT_EQ(clean, failures() == 0) << after;
      healthy += clean ? 1 : 0;
    }
    EXPECT_GT(healthy, 0) << "some limits lie beyond its last call";
  }
}

TEST_F(Gpus, ACallWithoutEndFailsAtTheDeadline) {
  says("slow=600000");
  const std::atomic<bool> stop = false;
  const ProbeSample sample =
      run_isolated([] { return probe_gpu_ecc({.nvml = MOCK_NVML}); }, std::chrono::milliseconds(200), &stop);
  ASSERT_THAT(sample.errors, SizeIs(1));
  EXPECT_THAT(sample.parts, IsEmpty());
}

}  // namespace
}  // namespace gauntlet
