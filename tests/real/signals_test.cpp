// What agents observe: the meters behind their watches, and what they read of a machine.
#include "real/runner/marks.hpp"
#include "real/signals/line_patterns.hpp"
#include "real/signals/loss_level.hpp"
#include "real/signals/machine_sensor.hpp"
#include "real/signals/segment_times.hpp"
#include "real/signals/traffic_meter.hpp"
#include "real/system/kept_file.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <utility>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

namespace fs = std::filesystem;

RankLine segment(std::int64_t step, const std::string& name, Duration took) {
  return {.kind = RankLine::Kind::segment, .step = step, .took_ns = took.count(), .pattern = name};
}

TEST(SegmentTimes, AreThoseOfTheSlowestRankOfAHost) {
  SegmentTimes times;
  EXPECT_THAT(times.on_segment(0, segment(1, "forward", 10ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(0, segment(1, "optimizer", 90ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(1, segment(1, "forward", 30ms), 2),
              ElementsAre(Pair(Signal::forward_time, testing::DoubleEq(0.03))));
  // The slowest rank is some steps behind.
  EXPECT_THAT(times.on_segment(0, segment(1, "backward", 50ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(0, segment(2, "backward", 50ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(1, segment(1, "backward", 70ms), 2),
              ElementsAre(Pair(Signal::backward_time, testing::DoubleEq(0.07))));
  // One that said nothing of step 2 is not waited for for ever.
  EXPECT_THAT(times.on_segment(0, segment(2 + SegmentTimes::kBehind, "forward", 10ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(0, segment(3 + SegmentTimes::kBehind, "forward", 10ms), 2),
              ElementsAre(Pair(Signal::backward_time, testing::DoubleEq(0.05))));
  EXPECT_THAT(times.on_segment(1, segment(2, "backward", 90ms), 2), IsEmpty()) << "too late";
}

TEST(SegmentTimes, WaitForTheSlowRankThoughAnotherReportsTwice) {
  SegmentTimes times;
  EXPECT_THAT(times.on_segment(0, segment(1, "forward", 10ms), 2), IsEmpty());
  EXPECT_THAT(times.on_segment(0, segment(1, "forward", 80ms), 2), IsEmpty()) << "by the device";
  EXPECT_THAT(times.on_segment(1, segment(1, "forward", 30ms), 2),
              ElementsAre(Pair(Signal::forward_time, testing::DoubleEq(0.03))));
}

TEST(LossLevel, IsTheDistanceFromTheMedianInRobustDeviations) {
  LossLevel level;
  for (const double loss : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) EXPECT_FALSE(level.on_loss(loss));
  EXPECT_FALSE(level.on_loss(8.0)) << "seven before it";
  // Of 1 to 8 the median is 4.5, the deviations 0.5 0.5 1.5 1.5 2.5 2.5 3.5 3.5, their median 2.
  const auto found = level.on_loss(34.5);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 30 / (1.4826 * 2), 1e-12);
  EXPECT_TRUE(std::isnan(*level.on_loss(NAN)));
  EXPECT_TRUE(std::isnan(*level.on_loss(INFINITY)));
  level.reset();
  EXPECT_FALSE(level.on_loss(1.0));
  EXPECT_TRUE(std::isnan(*level.on_loss(NAN))) << "also as the first ones";
}

TEST(LossLevel, OfEqualLossesAnyOtherStandsOut) {
  LossLevel level;
  for (int i = 0; i < 20; ++i) level.on_loss(2.0);
  EXPECT_EQ(level.on_loss(2.0), 0.0);
  EXPECT_GT(level.on_loss(2.1).value(), 1e4);
  LossLevel zero;
  for (int i = 0; i < 20; ++i) zero.on_loss(0);
  EXPECT_EQ(zero.on_loss(0), 0.0);
}

TEST(TrafficMeter, ComparesAnIntervalWithTheUsualOnes) {
  TrafficMeter meter({.interval = 1s, .step = 0s});
  EXPECT_EQ(meter.next(), kNever) << "nothing trains";
  Time now = kStart + 100s;
  meter.began(now);
  std::uint64_t bytes = 5000;  // of an earlier run
  const auto second = [&](std::uint64_t sent) {
    bytes += sent;
    now = meter.next();
    return meter.on_counter(bytes, now).level;
  };
  EXPECT_FALSE(second(0)) << "the first reading is where it begins";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(second(1000), 1.0);
  EXPECT_EQ(second(500), 0.5);
  EXPECT_FALSE(second(0)) << "an interval without traffic has no sample";
  EXPECT_EQ(second(2000), 2.0);
  for (int i = 0; i < 40; ++i) second(100);
  EXPECT_NEAR(second(100).value(), 0.1, 0.9) << "what was learned first";
  meter.gone();
  EXPECT_EQ(meter.next(), kNever);
}

TEST(TrafficMeter, KeepsToWhatItLearnedAtTheStart) {
  TrafficMeter meter({.interval = 1s, .step = 0s});
  meter.began(kStart);
  std::uint64_t bytes = 0;
  const auto second = [&](std::uint64_t sent) {
    bytes += sent;
    return meter.on_counter(bytes, meter.next()).level;
  };
  second(0);
  for (int i = 0; i < 16; ++i) second(1000);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(second(250), 0.25);
  // The counter begins anew, as those of ranks that were started again do.
  bytes = 0;
  EXPECT_EQ(second(700), 0.7);
}

// An interval of half a second holds two steps of 0.2 s or three.
TEST(TrafficMeter, StepsThatFallIntoOneIntervalOrTheNextAreNoDecline) {
  TrafficMeter meter({.interval = 500ms, .step = 200ms});
  meter.began(kStart);
  double lowest = 9, highest = 0;
  int samples = 0;
  for (; samples < 200; ++samples) {
    const Time now = meter.next();
    const auto steps = static_cast<std::uint64_t>((now - kStart) / 200ms);
    const auto level = meter.on_counter(1000 * steps, now).level;
    if (!level) continue;
    lowest = std::min(lowest, *level);
    highest = std::max(highest, *level);
  }
  EXPECT_GT(lowest, 0.85);
  EXPECT_LT(highest, 1.15);
}

/// Bursts of a pipeline and of the all-reduce in each step, read every 10 ms, some readings late.
TEST(TrafficMeter, FindsThePeriodOfTheSteps) {
  for (const Duration step : {200ms, 330ms, 1000ms}) {
    TrafficMeter meter({.interval = 1s, .step = step, .period = true});
    EXPECT_GE(meter.sampling(), 10ms);
    meter.began(kStart);
    const auto sent_until = [&](Time at) {
      const double steps = to_seconds(at - kStart) / to_seconds(step);
      const double whole = std::floor(steps), part = steps - whole;
      double bytes = whole * 1400;
      for (const double begin : {0.1, 0.3, 0.5, 0.7})
        bytes += 100 * std::clamp((part - begin) / 0.05, 0.0, 1.0);
      bytes += 1000 * std::clamp((part - 0.9) / 0.1, 0.0, 1.0);
      return static_cast<std::uint64_t>(bytes);
    };
    std::vector<double> periods;
    for (int i = 0; periods.size() < 5 && i < 100'000; ++i) {
      const Time now = meter.next() + (i % 17 == 0 ? 7ms : 0ms);
      if (const auto period = meter.on_counter(sent_until(now), now).period) periods.push_back(*period);
    }
    ASSERT_EQ(periods.size(), 5U);
    for (const double period : periods) EXPECT_NEAR(period, to_seconds(step), 0.05 * to_seconds(step));
  }
}

TEST(TrafficMeter, TrafficWithoutAPeriodHasNone) {
  std::vector<double> steady(100, 5.0), noise;
  std::uint64_t state = 1;
  for (int i = 0; i < 128; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    noise.push_back(static_cast<double>(state >> 40));
  }
  EXPECT_FALSE(period_of(steady, 16));
  EXPECT_FALSE(period_of(noise, 16));
  EXPECT_FALSE(period_of({}, 16));
  EXPECT_FALSE(period_of({1, 2}, 16));
  std::vector<double> sine;
  for (int i = 0; i < 200; ++i) sine.push_back(std::sin(2 * std::numbers::pi * i / 12.5));
  EXPECT_NEAR(period_of(sine, 16).value(), 12.5, 0.1) << "between two samples";
}

/// Steps of a trainer whose ranks share two processors: each takes up to 40% longer than 0.4 s, each of its bursts comes when it may,
/// and some readings are late. Of a hundred readings at most one may be a multiple of the period, or a part of it.
TEST(TrafficMeter, StepsThatJitterHaveThePeriodOfTheirMean) {
  std::uint64_t state = 1;
  const auto random = [&state] {  // from 0 to 1
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40) / static_cast<double>(1U << 24);
  };
  for (const double slower : {1.0, 2.0}) {
    std::vector<std::pair<double, std::uint64_t>> bursts;  // seconds, bytes
    double begin = 0;
    int steps = 0;
    for (; begin < 400; ++steps) {
      const double step = 0.4 * slower * (1 + 0.4 * random());
      for (const double part : {0.05, 0.2, 0.35, 0.5})
        bursts.emplace_back(begin + step * (part + 0.1 * random()), 1500);
      bursts.emplace_back(begin + step * (0.8 + 0.1 * random()), 6000);
      begin += step;
    }
    const double mean = begin / steps;
    std::sort(bursts.begin(), bursts.end());
    TrafficMeter meter({.interval = 500ms, .step = 400ms, .period = true});
    meter.began(kStart);
    std::size_t sent = 0;
    std::uint64_t bytes = 0;
    int found = 0, wrong = 0;
    while (meter.next() < kStart + 390s) {
      const Time now = meter.next() + from_seconds(random() < 0.1 ? 0.04 * random() : 0);
      for (; sent < bursts.size() && bursts[sent].first <= to_seconds(now - kStart); ++sent)
        bytes += bursts[sent].second;
      const auto period = meter.on_counter(bytes, now).period;
      if (!period) continue;
      ++found;
      if (std::abs(*period / mean - 1) > 0.25) ++wrong;
    }
    EXPECT_GT(found, 200) << "of 780 intervals";
    EXPECT_LE(100 * wrong, found);
  }
}

TEST(LinePatterns, FindsTheKindsOfALine) {
  LinePatterns patterns({"", R"(NVRM: Xid \([^)]*\): 79\b)", "(", "Xid"});
  const std::string line = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.";
  EXPECT_THAT(patterns.match(0, line, kStart), ElementsAre(1U, 3U));
  EXPECT_THAT(patterns.match(0, "NVRM: Xid (PCI:0000:3b:00): 794", kStart), ElementsAre(3U));
  EXPECT_THAT(patterns.match(0, "\xff\xfe all is \x01 well", kStart), IsEmpty());
  EXPECT_THAT(LinePatterns({"", "("}).match(0, line, kStart), IsEmpty());
  EXPECT_THAT(LinePatterns().match(0, line, kStart), IsEmpty());
}

TEST(LinePatterns, ARankThatPrintsWithoutEndIsNotLookedAtForEver) {
  LinePatterns patterns({"needle"});
  Time now = kStart + 1h;
  for (std::uint32_t i = 0; i < kLinesPerSecond; ++i) EXPECT_THAT(patterns.match(1, "hay", now), IsEmpty());
  EXPECT_THAT(patterns.match(1, "needle", now), IsEmpty()) << "it had its share of this second";
  EXPECT_THAT(patterns.match(2, "needle", now), ElementsAre(0U)) << "another rank has its own";
  EXPECT_THAT(patterns.take_skipped(now), ElementsAre(Pair(1U, 1U)));
  now += 1s;
  EXPECT_THAT(patterns.match(1, "needle", now), ElementsAre(0U));
  std::size_t reported = 0;
  for (std::uint32_t i = 0; i < 2 * kMatchesPerSecond; ++i)
    reported += patterns.match(1, "needle", now).size();
  EXPECT_LE(reported, kMatchesPerSecond);
  EXPECT_THAT(patterns.take_skipped(now + 1s), testing::SizeIs(1));
}

// --- a machine -----------------------------------------------------------------------------------------------------------

/// A root with files of proc/ and sys/.
struct Machine : testing::Test {
  void put(const std::string& path, const std::string& text) const {
    const fs::path file = root / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Scratch scratch;
  fs::path root = scratch.folder("root");
};

TEST_F(Machine, ItsHardwareIsThatOfProcAndSys) {
  put("proc/cpuinfo",
      "processor\t: 0\nmodel name\t: AMD EPYC 9654\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 9654\n");
  put("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n");
  put("sys/bus/pci/devices/0000:3b:00.0/vendor", "0x10de\n");
  put("sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
  put("sys/bus/pci/devices/0000:3b:00.0/device", "0x2330\n");
  put("sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086\n");
  put("sys/bus/pci/devices/0000:00:1f.0/class", "0x030000\n");
  HostHardware hardware = read_hardware(root);
  EXPECT_EQ(hardware.cpu, "AMD EPYC 9654");
  EXPECT_EQ(hardware.cores, 2U);
  EXPECT_EQ(hardware.memory_bytes, 2048U * 1024);
  EXPECT_THAT(hardware.gpus, ElementsAre("NVIDIA 0x2330 at 0000:3b:00.0"));
  put("proc/driver/nvidia/gpus/0000:3b:00.0/information",
      "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 42\n");
  EXPECT_THAT(read_hardware(root).gpus, ElementsAre("NVIDIA H100 80GB HBM3 at 0000:3b:00.0"));
  EXPECT_EQ(read_hardware(root / "nothing"), HostHardware{});
}

constexpr const char* kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier "
    "compressed\n"
    "    lo: 111      1    0    0    0     0          0         0      222       1    0    0    0     0      "
    " 0          "
    "0\n"
    "  data0:333333 1 0 0 0 0 0 0 4444444 1 0 0 0 0 0 0\n";

TEST_F(Machine, TrafficIsThatOfTheInterfacesThatAreItsOwn) {
  put("proc/self/net/dev", kNetDev);
  EXPECT_THAT(read_nics(root),
              ElementsAre(NicCounters{"lo", 111, 222}, NicCounters{"data0", 333333, 4444444}));
  EXPECT_THAT(own_interfaces(root), ElementsAre("data0"));
  EXPECT_FALSE(MachineSensor({.root = root}).bytes_sent()) << "none is its own";
  MachineSensor sensor({.root = root, .interfaces = {"data0"}});
  EXPECT_EQ(sensor.bytes_sent(), 4444444U);
  put("proc/self/net/dev", "  data0:333333 1 0 0 0 0 0 0 5555555 1 0 0 0 0 0 0\n");
  EXPECT_EQ(sensor.bytes_sent(), 5555555U) << "the file is open, and is read anew";
  // What passes over RDMA is in no counter of an interface. Its unit is four bytes.
  put("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "1000\n");
  put("sys/class/infiniband/mlx5_1/ports/1/counters/port_xmit_data", "10\n");
  EXPECT_EQ(MachineSensor({.root = root, .interfaces = {"data0"}}).bytes_sent(), 4040U);
}

TEST_F(Machine, AFileThatIsReadAgainIsPlainAndMayComeLater) {
  const KeptFile file(root / "counter");
  std::array<char, 4> room;
  EXPECT_EQ(file.read(room), "");
  put("counter", "12");
  EXPECT_EQ(file.read(room), "12");
  put("counter", "123456");
  EXPECT_EQ(file.read(room), "1234") << "as many bytes as there is room for";
  std::filesystem::create_symlink(root / "counter", root / "link");
  EXPECT_EQ(KeptFile(root / "link").read(room), "") << "no link is followed";
  ASSERT_EQ(::mkfifo((root / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(KeptFile(root / "fifo").read(room), "") << "nobody is waited for";
}

TEST_F(Machine, AProcessIsReadAlsoWhereItsNameIsStrange) {
  put("proc/77/stat",
      "77 (a) R (b) T 1 77 77 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1 0 1000 5000000 25 "
      "18446744073709551615");
  RankVitals vitals{.pid = 77};
  ASSERT_TRUE(read_process(root, vitals));
  EXPECT_EQ(vitals.state, 'T');
  EXPECT_EQ(vitals.cpu_ns, 300 * (1'000'000'000 / ::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(vitals.memory_bytes, 25U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  RankVitals gone{.pid = 78};
  EXPECT_FALSE(read_process(root, gone));
  put("proc/78/stat", "78 (x) R 1");
  EXPECT_FALSE(read_process(root, gone)) << "cut short";
  RankVitals own{.pid = ::getpid()};
  ASSERT_TRUE(read_process("", own));
  EXPECT_GT(own.memory_bytes, 0U);
}

TEST_F(Machine, KernelLinesAreThoseSinceItBegan) {
  EXPECT_EQ(text_of_kernel_record("4,1234,567890,-;NVRM: Xid (PCI:0000:3b:00): 79\n SUBSYSTEM=pci\n"),
            "NVRM: Xid (PCI:0000:3b:00): 79");
  EXPECT_EQ(text_of_kernel_record("no record"), "");
  EXPECT_EQ(text_of_kernel_record(";"), "");
  const std::string log = root / "kmsg";
  put("kmsg", "4,1,1,-;of the past\n");
  MachineSensor sensor({.root = root, .kernel_log = log});
  EXPECT_THAT(sensor.logged_lines(), IsEmpty());
  std::ofstream(log, std::ios::app) << "4,2,2,-;NVRM: Xid\n";
  EXPECT_THAT(sensor.logged_lines(), ElementsAre("NVRM: Xid"));
  EXPECT_THAT(sensor.logged_lines(), IsEmpty());
  EXPECT_THAT(MachineSensor({.root = root, .kernel_log = root / "none"}).logged_lines(), IsEmpty());
}

TEST_F(Machine, ItsReportHoldsIdentityAndDisk) {
  MachineSensor sensor({.root = root, .directory = root, .identity = {"10.0.0.7", "pod-7"}});
  const HostReport report = sensor.report();
  EXPECT_EQ(report.identity, (HostIdentity{"10.0.0.7", "pod-7"}));
  EXPECT_GT(report.free_disk_bytes, 0U);
}

// --- who waits in what -----------------------------------------------------------------------------------------------------

TEST(Marks, TellInWhichDimensionARankWaits) {
  using What = RankMark::What;
  const auto mark = [](std::uint64_t number, What what, const std::string& group) {
    return RankMark{.number = number, .what = what, .value = 1, .name = "all_reduce", .group = group};
  };
  EXPECT_EQ(waits_in({}), std::nullopt);
  EXPECT_EQ(waits_in({mark(1, What::entered, "tp")}), Dimension::tensor);
  EXPECT_EQ(waits_in({mark(1, What::entered, "tp"), mark(2, What::left, "tp")}), std::nullopt);
  EXPECT_EQ(waits_in({mark(1, What::left, "tp"), mark(2, What::entered, "pp"), mark(3, What::segment, "")}),
            Dimension::pipeline);
  EXPECT_EQ(waits_in({mark(1, What::entered, "world")}), Dimension::data);
}

}  // namespace
}  // namespace gauntlet
