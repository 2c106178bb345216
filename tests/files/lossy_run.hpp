// A program run on a disk that fails at every call in turn, and what is left after a power cut.
#pragma once

#include "tests/files/lossy_files.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>

namespace gauntlet {

/// Files that no disk is needed for: what is durable is up to the lossy disk.
class Memory : public Scratch {
 public:
  Memory() : Scratch(base()) {}
  /// With a copy of what is in another directory.
  explicit Memory(const std::filesystem::path& from) : Memory() {
    std::filesystem::copy(from, path(), std::filesystem::copy_options::recursive);
  }

 private:
  static std::filesystem::path base() {
    const std::filesystem::path memory = "/dev/shm";
    return ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  }
};

/// A directory of its own on a faulty disk.
struct LossyPlace {
  explicit LossyPlace(DiskFault fault = {}) : disk(scratch.path(), fault) {}
  /// Begins with a copy of what is in another directory, all of it durable.
  explicit LossyPlace(const std::filesystem::path& from, DiskFault fault = {})
      : scratch(from), disk(scratch.path(), fault) {}
  std::filesystem::path path() const { return scratch.path(); }

  Memory scratch;
  FaultyDisk disk;
  LossyFiles files{disk};
};

/// A directory that stays empty.
inline std::filesystem::path empty_directory() {
  static const Memory empty;
  return empty.path();
}

/// What a test knows after a run: what the program promised before the power was cut.
///
///   struct LossyTrial {
///     static constexpr const char* kName;                // of what it writes
///     static std::filesystem::path begins_with();        // a directory: what is on the disk before
///     explicit LossyTrial(LossyPlace& place);
///     void run();                                        // notes only promises made while the disk is on
///     void check(const std::filesystem::path& left);     // of the place, or of what a power cut left of it
///     bool harmless;                                     // whether the fault is one that the program gets over
///   };
// Seeds are ways to lose what was not synced. Under a sanitizer, where a run takes five times as long, each way to fail meets every third
// call; the seven ways together meet every call.
#ifdef GAUNTLET_SANITIZED
constexpr std::uint64_t kSeeds = 2, kStride = 3;
#else
constexpr std::uint64_t kSeeds = 8, kStride = 1;
#endif

/// Cuts the power of a disk with the first `seeds` seeds, and checks what each leaves.
template <class LossyTrial>
void check_after_power_cuts(const LossyPlace& place, const LossyTrial& trial, std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("power cut, seed " + std::to_string(seed));
    const Memory left;
    place.disk.disk.cut_power(seed, left.path());
    trial.check(left.path());
  }
}

/// The calls of a run that nothing goes wrong in.
template <class LossyTrial>
FaultyDisk calls_of_run() {
  LossyPlace place(LossyTrial::begins_with());
  LossyTrial(place).run();
  return place.disk;
}

/// Cuts the power at every call in turn, and once after the last call.
template <class LossyTrial>
void cut_at_every_call(std::uint64_t seeds = kSeeds) {
  const std::uint64_t calls = calls_of_run<LossyTrial>().calls();
  ASSERT_GT(calls, 0u);
  for (std::uint64_t at = 1; at <= calls + 1; ++at) {
    SCOPED_TRACE(std::string(LossyTrial::kName) + ": at call " + std::to_string(at) + " of " +
                 std::to_string(calls));
    LossyPlace place(LossyTrial::begins_with(), {.kind = DiskFault::Kind::power_cut, .at = at});
    LossyTrial trial(place);
    trial.run();
    check_after_power_cuts(place, trial, seeds);
    if (testing::Test::HasFailure()) return;
  }
  std::cout << LossyTrial::kName << ": " << (calls + 1) * seeds << " power cuts at " << calls << " calls\n";
}

/// Cuts the power after the last call.
template <class LossyTrial>
void cut_at_the_end() {
  SCOPED_TRACE(LossyTrial::kName);
  LossyPlace place(LossyTrial::begins_with());
  LossyTrial trial(place);
  trial.run();
  check_after_power_cuts(place, trial, kSeeds);
}

/// Every call fails in every way in turn (kStride). What was promised is there afterwards, and after a power cut once the program ended.
template <class LossyTrial>
void fail_every_call(std::uint64_t seeds = 1) {
  struct Way {
    const char* name;
    DiskFault::Kind kind;
    int error;
  };
  constexpr Way kWays[] = {{"EIO", DiskFault::Kind::error, EIO},
                           {"EINTR", DiskFault::Kind::error, EINTR},
                           {"EACCES", DiskFault::Kind::error, EACCES},
                           {"EMFILE", DiskFault::Kind::error, EMFILE},
                           {"ENOSPC", DiskFault::Kind::full_disk, ENOSPC},
                           {"short write", DiskFault::Kind::short_write, 0},
                           {"short write, then ENOSPC", DiskFault::Kind::last_space, ENOSPC}};
  std::cout << LossyTrial::kName << ": failed calls:";
  for (const Way& way : kWays) {
    bool reached = true;
    std::uint64_t failures = 0;
    for (std::uint64_t at = 1 + static_cast<std::uint64_t>(&way - kWays) % kStride; reached; at += kStride) {
      SCOPED_TRACE(std::string(LossyTrial::kName) + ": " + way.name + " at call " + std::to_string(at));
      LossyPlace place(LossyTrial::begins_with(), {.kind = way.kind, .at = at, .error = way.error});
      LossyTrial trial(place);
      trial.run();
      reached = place.disk.calls() >= at;
      if (!place.disk.has_failed()) continue;
      ++failures;
      trial.harmless = way.error == EINTR || way.kind == DiskFault::Kind::short_write;
      trial.check(place.path());
      check_after_power_cuts(place, trial, seeds);
      if (testing::Test::HasFailure()) return;
    }
    std::cout << ' ' << failures << ' ' << way.name << (&way == std::end(kWays) - 1 ? "\n" : ",");
  }
}

/// Every sync in turn returns EIO. What the program does next counts on nothing that this sync was for.
template <class LossyTrial>
void fail_every_sync() {
  const FaultyDisk run = calls_of_run<LossyTrial>();
  for (std::uint64_t at = 1; at <= run.calls(); ++at) {
    if (!run.is_sync(at)) continue;
    SCOPED_TRACE(std::string(LossyTrial::kName) + ": EIO at call " + std::to_string(at));
    LossyPlace place(LossyTrial::begins_with(), {.kind = DiskFault::Kind::error, .at = at, .error = EIO});
    LossyTrial trial(place);
    trial.run();
    check_after_power_cuts(place, trial, kSeeds);
    if (testing::Test::HasFailure()) return;
  }
}

/// Every sync in turn only says that it did, and the power is cut after each later promise. `trial.lied` is set.
template <class LossyTrial>
void lie_at_every_sync(std::uint64_t seeds = kSeeds) {
  const FaultyDisk run = calls_of_run<LossyTrial>();
  std::uint64_t lies = 0;
  for (std::uint64_t at = 1; at <= run.calls(); ++at) {
    if (!run.is_sync(at)) continue;
    SCOPED_TRACE(std::string(LossyTrial::kName) + ": a lie at call " + std::to_string(at));
    LossyPlace place(LossyTrial::begins_with(), {.kind = DiskFault::Kind::lying_sync, .at = at});
    LossyTrial trial(place);
    trial.lied = true;
    trial.after_each_promise = [&] { check_after_power_cuts(place, trial, seeds); };
    trial.run();
    check_after_power_cuts(place, trial, seeds);
    if (testing::Test::HasFailure()) return;
    ++lies;
  }
  std::cout << LossyTrial::kName << ": " << lies << " syncs that lied\n";
}

/// What holds for everything that writes files.
template <class LossyTrial>
struct OnLossyDisks : testing::Test {};
TYPED_TEST_SUITE_P(OnLossyDisks);
TYPED_TEST_P(OnLossyDisks, APowerCutAtAnyCallLosesNothingPromised) { cut_at_every_call<TypeParam>(); }
TYPED_TEST_P(OnLossyDisks, AFailingCallLosesNothingPromised) { fail_every_call<TypeParam>(kSeeds); }
REGISTER_TYPED_TEST_SUITE_P(OnLossyDisks, APowerCutAtAnyCallLosesNothingPromised,
                            AFailingCallLosesNothingPromised);

}  // namespace gauntlet
