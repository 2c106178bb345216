// Watchdogs on a disk that fails: it may cost an injection, and never an undo.
#include "real/watchdog/watchdog.hpp"

#include "tests/files/lossy_run.hpp"
#include "tests/real/file_faults.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr Duration kLongLease = std::chrono::hours(1);

/// Two faults are injected and undone on a disk of which every call fails in turn, and how many were injected in all.
struct FailingDisk {
  DiskFault::Kind kind;
  bool killed;  // the watchdog, so that the agent undoes them
};
int faults_on(const FailingDisk& disk) {
  int injected = 0;
  constexpr std::uint64_t kCalls = 24;  // more than both faults take
  for (std::uint64_t at = 1; at <= kCalls; ++at) {
    SCOPED_TRACE("call " + std::to_string(at));
    LossyPlace place({.kind = disk.kind, .at = at, .error = EIO});
    const std::string folder = place.path().string();
    Watchdog watchdog(folder + "/journal", {.group = folder, .interfaces = {}}, file_faults(), place.files);
    std::size_t open = 0;
    for (const std::uint64_t each : {1U, 2U})
      open += watchdog.inject(down(each), {}, kLongLease).empty() ? 1U : 0U;
    injected += static_cast<int>(open);
    if (disk.killed) ::kill(watchdog.process(), SIGKILL);
    for (const std::uint64_t each : {1U, 2U}) watchdog.undo(each);
    std::set<std::uint64_t> undone;
    while (undone.size() < 2) {
      const std::vector<FaultEnd> ends = ends_of(watchdog);
      EXPECT_FALSE(ends.empty()) << "only " << undone.size() << " ended";
      if (ends.empty()) break;
      for (const FaultEnd& end : ends)
        if (end.why.empty()) undone.insert(end.injection);
    }
    for (const int each : {1, 2}) EXPECT_FALSE(exists(folder + "/fault-" + std::to_string(each)));
  }
  return injected;
}

// On a disk that fails nothing more may be injected; whatever was injected is undone.
TEST(WatchdogsOnLossyDisks, NoFailingDiskSkipsAnUndo) {
  using Kind = DiskFault::Kind;
  for (const bool killed : {false, true}) {
    for (const Kind kind : {Kind::error, Kind::full_disk, Kind::last_space}) {
      const int injected = faults_on({kind, killed});
      EXPECT_GT(injected, 0);
      EXPECT_LT(injected, 48) << "no call of an injection has failed";
    }
  }
}

TEST(WatchdogsOnLossyDisks, OfTwoFaultsThatANextAgentFindsOnAFullDiskBothAreUndone) {
  LossyPlace place({.kind = DiskFault::Kind::full_disk, .at = 1});
  const std::string folder = place.path().string();
  UndoJournal before(folder + "/journal");
  for (const int each : {1, 2}) {
    const std::string target = folder + "/fault-" + std::to_string(each);
    ASSERT_EQ(
        before.begin(static_cast<std::uint64_t>(each), {.kind = InjectionKind::link_down, .target = target}),
        "");
    put_bytes(target, "down");
  }
  Watchdog next(folder + "/journal", {.group = folder, .interfaces = {}}, file_faults(), place.files);
  EXPECT_TRUE(becomes([&] { return !exists(folder + "/fault-1") && !exists(folder + "/fault-2"); }));
}

}  // namespace
}  // namespace gauntlet
