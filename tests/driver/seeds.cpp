#include "tests/driver/seeds.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace gauntlet {
namespace {

constexpr std::size_t kLastLines = 80;  // of the trace of a seed that fails
constexpr int kMostFailures = 5;

void print(const std::vector<std::string>& trace, std::size_t last) {
  for (std::size_t i = trace.size() - std::min(last, trace.size()); i < trace.size(); ++i)
    std::printf("%s\n", trace[i].c_str());
}

void show(std::uint64_t seed) {
  const SimulatedDrillReport report = simulate_drill(seed, Tracing::on);
  print(report.trace, report.trace.size());
  std::printf("seed %llu: %s, %u drivers, %u injections, %llu events\n",
              static_cast<unsigned long long>(seed),
              report.failure.empty() ? report.ending.c_str() : report.failure.c_str(), report.drivers,
              report.injections, static_cast<unsigned long long>(report.events));
  EXPECT_EQ(report.failure, "");
}

}  // namespace

void expect_drills_hold(std::uint64_t first_seed, std::uint64_t seeds) {
  // Journals and recordings are real files, and synced: in memory where the system has a place for that.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  if (const char* one = std::getenv("SEED")) return show(std::strtoull(one, nullptr, 10));
  if (const char* more = std::getenv("SEEDS")) seeds = std::strtoull(more, nullptr, 10);
  std::map<std::string, std::uint64_t> endings;
  std::uint64_t drivers = 0, injections = 0, events = 0, clocks = 0;
  int failures = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds && failures < kMostFailures; ++seed) {
    const SimulatedDrillReport report = simulate_drill(seed);
    ++endings[report.ending];
    drivers += report.drivers;
    injections += report.injections;
    events += report.events;
    clocks += report.clocks;
    if (report.failure.empty()) continue;
    ++failures;
    print(simulate_drill(seed, Tracing::on).trace, kLastLines);
    ADD_FAILURE() << report.failure << "\nrepeat: SEED=" << seed << " build/tests/driver_test";
  }
  for (const auto& [ending, count] : endings)
    std::printf("%8llu drills: %s\n", static_cast<unsigned long long>(count), ending.c_str());
  std::printf("%llu drivers, %llu injections, %llu events, %llu clocks\n",
              static_cast<unsigned long long>(drivers), static_cast<unsigned long long>(injections),
              static_cast<unsigned long long>(events), static_cast<unsigned long long>(clocks));
  EXPECT_GT(clocks, seeds / 2) << "else their bounds hold for want of a comparison";
}

}  // namespace gauntlet
