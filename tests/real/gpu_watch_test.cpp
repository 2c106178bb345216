// What an agent sees of its GPUs, by the mock library (tests/mocks/mock_nvml.cpp).
#include "real/signals/gpu_watch.hpp"

#include "real/driver/gpus_text.hpp"
#include "real/driver/line_expressions.hpp"
#include "real/signals/line_patterns.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kPatienceMs = 60'000;  // a guard against hanging

const GpuCondition kWell{.name = "GPU 1",
                         .uncorrected_errors = 2,
                         .pcie_replays = 7,
                         .link_errors = 0,
                         .remaps = nvml::RowRemaps{},
                         .slowdown = nvml::kPowerBrake,
                         .lanes = 16,
                         .inactive_links = std::vector<std::uint32_t>{3}};

TEST(WorseGpus, EachThingThatGotWorseIsALine) {
  EXPECT_THAT(worse(kWell, kWell), IsEmpty());
  GpuCondition now = kWell;
  now.uncorrected_errors = 5;
  now.pcie_replays = 8;
  now.link_errors = 40;
  now.remaps = nvml::RowRemaps{.rows = 1, .pending = true, .failed = true};
  now.slowdown = nvml::kPowerBrake | nvml::kHardwareThermal;
  now.lanes = 8;
  now.inactive_links = {{0, 3, 5}};
  EXPECT_THAT(
      worse(kWell, now),
      ElementsAre("GPU 1: uncorrected errors of memory: 3 more", "GPU 1: a row remap waits for a reset",
                  "GPU 1: a row remap failed", "GPU 1: slowed down: temperature, by the hardware",
                  "GPU 1: its PCIe link has 8 of 16 lanes", "GPU 1: PCIe replays: 1 more",
                  "GPU 1: inactive NVLinks: 0, 5", "GPU 1: NVLink errors: 40 more"));
  EXPECT_THAT(worse(now, kWell), IsEmpty()) << "what gets better is no line, nor is a counter that was reset";
}

TEST(WorseGpus, OneThatIsLostOrSilentIsOneLine) {
  const GpuCondition lost{.name = "GPU 1", .lost = true, .silent_looks = 5};
  EXPECT_THAT(worse(kWell, lost), ElementsAre("GPU 1: is lost"));
  EXPECT_THAT(worse(lost, lost), IsEmpty());
  GpuCondition silent{.name = "GPU 1", .silent_looks = 4, .why_silent = "Unknown Error"};
  EXPECT_THAT(worse(kWell, silent), IsEmpty());
  silent.silent_looks = 5;
  EXPECT_THAT(worse(kWell, silent), ElementsAre("GPU 1: does not answer: Unknown Error"));
  silent.silent_looks = 6;
  EXPECT_THAT(worse(kWell, silent), IsEmpty());
}

/// The usual expressions find the lines.
TEST(WorseGpus, FiltersFindTheirLinesByName) {
  World world;
  world.patterns = {"collective_timeout", "peer_lost",    "gpu_lost", "gpu_silent",       "gpu_ecc",
                    "gpu_row_remap",      "gpu_slowdown", "gpu_pcie", "gpu_pcie_replays", "gpu_nvlink",
                    "gpu_nvlink_errors",  "xid_79"};
  LinePatterns patterns(line_expressions(world));
  GpuCondition now{.name = "GPU 12",
                   .lost = true,
                   .uncorrected_errors = 5,
                   .pcie_replays = 8,
                   .link_errors = 40,
                   .remaps = nvml::RowRemaps{.rows = 1, .pending = true, .failed = false},
                   .slowdown = nvml::kHardwareThermal,
                   .lanes = 8,
                   .inactive_links = {{0}}};
  std::vector<std::string> lines = worse(kWell, now);
  const GpuCondition silent{.name = "GPU 12", .silent_looks = 5, .why_silent = "Unknown Error"};
  for (const std::string& each : worse(kWell, silent)) lines.push_back(each);
  std::set<std::uint32_t> found;
  for (const std::string& line : lines) {
    const std::vector<std::uint32_t> of_line = patterns.match(LinePatterns::kHost, line, kStart);
    EXPECT_THAT(of_line, SizeIs(1)) << line;
    found.insert(of_line.begin(), of_line.end());
  }
  EXPECT_THAT(found, ElementsAre(2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U));
  EXPECT_THAT(patterns.match(LinePatterns::kHost, "NVRM: Xid (PCI:0000:01:00): 79, told by NVML", kStart),
              ElementsAre(11U));
}

TEST(WorseGpus, WhatTheDriverDoesNotSayIsNoLine) {
  const GpuCondition quiet{.name = "GPU 1"};
  EXPECT_THAT(worse(quiet, kWell), IsEmpty());
  EXPECT_THAT(worse(kWell, quiet), IsEmpty());
}

class GpuWatches : public testing::Test {
 protected:
  GpuWatches() { begin_again(); }
  ~GpuWatches() override {
    begin_again();
    ::dlclose(resident_);
  }

  void begin_again() const {
    says("");
    reinterpret_cast<void (*)()>(::dlsym(resident_, "mock_nvml_reset"))();
  }
  void says(const std::string& words) const {
    reinterpret_cast<void (*)(const char*)>(::dlsym(resident_, "mock_nvml_say"))(words.c_str());
  }
  void meets_xid(std::uint64_t xid) const {
    reinterpret_cast<void (*)(std::uint64_t)>(::dlsym(resident_, "mock_nvml_xid"))(xid);
  }
  static GpuWatchSetup quick(bool xids = true) {
    return {.library = MOCK_NVML, .xids = xids, .period = 1ms, .patience = 1min};
  }
  /// Once it has looked at all of them.
  static std::vector<GpuVitals> await_vitals(const GpuWatch& watch) {
    std::vector<GpuVitals> vitals;
    for (int i = 0; i < kPatienceMs && vitals.empty(); ++i) {
      ::poll(nullptr, 0, 1);
      vitals = watch.vitals();
    }
    return vitals;
  }
  /// All lines until there are this many.
  static std::vector<std::string> await_lines(GpuWatch& watch, std::size_t count = 1) {
    std::vector<std::string> lines;
    pollfd polled{.fd = watch.descriptor(), .events = POLLIN, .revents = 0};
    while (lines.size() < count && ::poll(&polled, 1, kPatienceMs) > 0)
      for (std::string& each : watch.take_lines()) lines.push_back(std::move(each));
    return lines;
  }
  std::uint64_t calls() const {
    return reinterpret_cast<std::uint64_t (*)()>(::dlsym(resident_, "mock_nvml_calls"))();
  }
  /// Until the watch has asked so much again.
  void await_calls(std::uint64_t more) const {
    const std::uint64_t from = calls();
    for (int i = 0; i < kPatienceMs && calls() < from + more; ++i) ::poll(nullptr, 0, 1);
  }

 private:
  void* const resident_ = ::dlopen(MOCK_NVML, RTLD_NOW | RTLD_LOCAL);  // what it was told stays
};

TEST_F(GpuWatches, SeeTheLoadOfEachAndNothingWrongWithHealthyOnes) {
  GpuWatch watch(quick());
  const std::vector<GpuVitals> vitals = await_vitals(watch);
  ASSERT_THAT(vitals, SizeIs(2));
  EXPECT_EQ(vitals[1].name, "GPU 1");
  EXPECT_EQ(vitals[1].celsius, 63U);
  EXPECT_EQ(vitals[1].percent, 100U);
  EXPECT_EQ(vitals[1].link_bytes, 0U) << "the driver does not say it";
  EXPECT_EQ(gpus_text(vitals), "2 GPUs, 41 to 63 C, 700 W, 75% busy");
  EXPECT_EQ(gpus_text({vitals[0]}), "1 GPU, 41 C, 350 W, 50% busy");
  EXPECT_EQ(gpus_text({}), "");
  EXPECT_THAT(watch.take_lines(), IsEmpty());
}

TEST_F(GpuWatches, SayWhatBecomesWrong) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"ecc=3", "GPU 1: uncorrected errors of memory: 3 more"},
      {"remap", "GPU 1: a row remap waits for a reset"},
      {"remap-failed", "GPU 1: a row remap failed"},
      {"hot", "GPU 1: slowed down: hardware slowdown, temperature, by the hardware"},
      {"narrow", "GPU 1: its PCIe link has 8 of 16 lanes"},
      {"replays=5", "GPU 1: PCIe replays: 5 more"},
      {"links-down=1", "GPU 1: inactive NVLinks: 0"},
      {"link-errors=1", "GPU 1: NVLink errors: "},
      {"lost", "GPU 1: is lost"}};
  for (const auto& [words, line] : cases) {
    GpuWatch watch(quick());
    ASSERT_THAT(await_vitals(watch), SizeIs(2));
    says(words);
    EXPECT_THAT(await_lines(watch), Contains(HasSubstr(line))) << words;
    says("");
  }
}

constexpr std::uint64_t kCallsOfManyLooks = 2000;  // a look asks each GPU some twenty questions

TEST_F(GpuWatches, ALostGpuIsTheXidOfTheSimulationOnce) {
  for (const bool by_event_first : {false, true}) {
    begin_again();
    GpuWatch watch(quick());
    ASSERT_THAT(await_vitals(watch), SizeIs(2));
    if (by_event_first) meets_xid(79);
    std::vector<std::string> lines;
    if (by_event_first) lines = await_lines(watch);
    says("lost");
    for (const std::string& each : await_lines(watch, by_event_first ? 1 : 2)) lines.push_back(each);
    if (!by_event_first) meets_xid(79);
    await_calls(kCallsOfManyLooks);
    for (const std::string& each : watch.take_lines()) lines.push_back(each);
    EXPECT_THAT(lines, testing::UnorderedElementsAre("NVRM: Xid (PCI:0000:01:00): 79, told by NVML",
                                                     "GPU 1: is lost"))
        << by_event_first;
    EXPECT_THAT(watch.vitals(), SizeIs(1)) << "it says nothing of its load";
  }
}

TEST_F(GpuWatches, XidsComeAsEventsWhereTheKernelsLogIsNotRead) {
  {
    GpuWatch watch(quick());
    ASSERT_THAT(await_vitals(watch), SizeIs(2));
    meets_xid(48);
    EXPECT_THAT(await_lines(watch), ElementsAre("NVRM: Xid (PCI:0000:01:00): 48, told by NVML"));
  }
  GpuWatch other(quick(false));
  ASSERT_THAT(await_vitals(other), SizeIs(2));
  meets_xid(48);
  await_calls(kCallsOfManyLooks);
  EXPECT_THAT(other.take_lines(), IsEmpty());
  says("lost");
  EXPECT_THAT(await_lines(other), ElementsAre("GPU 1: is lost"));
}

TEST_F(GpuWatches, WhatIsNotAnsweredForAWhileIsNothingNew) {
  says("ecc=3");
  GpuWatch watch(quick());
  ASSERT_THAT(await_vitals(watch), SizeIs(2));
  says("ecc=3 no-permission");
  for (int i = 0; i < kPatienceMs && watch.vitals().size() != 1; ++i) ::poll(nullptr, 0, 1);
  says("ecc=4");
  std::vector<std::string> lines;
  while (lines.empty() || lines.back() != "GPU 1: uncorrected errors of memory: 1 more") {
    const std::vector<std::string> more = await_lines(watch);
    ASSERT_FALSE(more.empty());
    lines.insert(lines.end(), more.begin(), more.end());
  }
  EXPECT_LE(lines.size(), 2U) << "it may have been silent for five looks, and nothing else is new";
}

TEST_F(GpuWatches, AnOldDriverIsAskedWhatItKnows) {
  GpuWatch watch({.library = MOCK_NVML_OLD, .xids = true, .period = 1ms, .patience = 1min});
  EXPECT_THAT(await_vitals(watch), SizeIs(2));
  EXPECT_THAT(watch.take_lines(), IsEmpty());
}

TEST_F(GpuWatches, NobodyWaitsForADriverThatHangs) {
  says("slow=600000");
  GpuWatchSetup setup = quick();
  setup.patience = 1ms;
  GpuWatch watch(setup);
  std::vector<std::string> lines;
  for (int i = 0; i < kPatienceMs && lines.empty(); ++i) {
    ::poll(nullptr, 0, 1);
    lines = watch.take_lines();
  }
  EXPECT_THAT(lines, ElementsAre("GPUs: the driver has not answered for 1ms"));
  EXPECT_THAT(watch.take_lines(), IsEmpty()) << "once";
  EXPECT_THAT(watch.vitals(), IsEmpty());
}

TEST_F(GpuWatches, ADriverThatComesLaterIsFound) {
  says("no-driver");
  GpuWatch watch(quick());
  ::poll(nullptr, 0, 5);
  EXPECT_THAT(watch.vitals(), IsEmpty());
  EXPECT_THAT(watch.take_lines(), IsEmpty());
  says("");
  EXPECT_THAT(await_vitals(watch), SizeIs(2));
}

TEST_F(GpuWatches, WithoutADriverThereIsNothingToSee) {
  GpuWatch watch({.library = "/nowhere/libnvidia-ml.so.1", .xids = true, .period = 1ms, .patience = 1min});
  ::poll(nullptr, 0, 5);
  EXPECT_THAT(watch.vitals(), IsEmpty());
  EXPECT_THAT(watch.take_lines(), IsEmpty());
}

/// At whichever call the library begins to fail: the only line is that a GPU does not answer.
TEST_F(GpuWatches, AnErrorAtAnyCallIsNoIllness) {
  for (int after = 1; after < 200; ++after) {
    begin_again();
    says("errors-after=" + std::to_string(after));
    GpuWatch watch(quick());
    await_calls(static_cast<std::uint64_t>(after) + 20);
    EXPECT_THAT(watch.take_lines(), testing::Each(HasSubstr("does not answer: "))) << after;
  }
}

}  // namespace
}  // namespace gauntlet
