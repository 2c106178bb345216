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
///   struct Trial {
///     static std::filesystem::path begins_with();       // a directory: what is on the disk before
///     explicit Trial(LossyPlace& place);
///     void run();                                 // notes only promises made while the disk is on
///     void check(const std::filesystem::path& left);    // of the place, or of what a power cut left of it
///   };
///
/// Cuts the power at every call in turn, with so many seeds of what is lost, and once after the last call.
template <class Trial>
void cut_at_every_call(const char* what, std::uint64_t seeds = 8) {
  std::uint64_t calls = 0, cuts = 0;
  {
    LossyPlace place(Trial::begins_with());
    Trial(place).run();
    calls = place.disk.calls();
  }
  ASSERT_GT(calls, 0u);
  for (std::uint64_t at = 1; at <= calls + 1; ++at) {
    LossyPlace place(Trial::begins_with(), {.kind = DiskFault::Kind::power_cut, .at = at});
    Trial trial(place);
    trial.run();
    for (std::uint64_t seed = 0; seed < seeds; ++seed, ++cuts) {
      SCOPED_TRACE(std::string(what) + ": power cut at call " + std::to_string(at) + " of " +
                   std::to_string(calls) + ", seed " + std::to_string(seed));
      const Memory left;
      place.disk.disk.cut_power(seed, left.path());
      trial.check(left.path());
      if (testing::Test::HasFailure()) return;
    }
  }
  std::cout << what << ": " << cuts << " power cuts at " << calls << " calls\n";
}

/// Every call fails in every way in turn. What was promised is there afterwards, and after a power cut once the program ended.
template <class Trial>
void fail_every_call(const char* what) {
  struct Way {
    const char* name;
    DiskFault::Kind kind;
    int error;
  };
  constexpr Way kWays[] = {{"EIO", DiskFault::Kind::error, EIO},
                           {"EINTR", DiskFault::Kind::error, EINTR},
                           {"EACCES", DiskFault::Kind::error, EACCES},
                           {"ENOSPC", DiskFault::Kind::full_disk, ENOSPC},
                           {"a short write", DiskFault::Kind::short_write, 0}};
  std::uint64_t failures = 0;
  for (const Way& way : kWays) {
    bool reached = true;
    for (std::uint64_t at = 1; reached; ++at) {
      SCOPED_TRACE(std::string(what) + ": " + way.name + " at call " + std::to_string(at));
      LossyPlace place(Trial::begins_with(), {.kind = way.kind, .at = at, .error = way.error});
      Trial trial(place);
      trial.run();
      reached = place.disk.calls() >= at;
      if (!place.disk.has_failed()) continue;
      ++failures;
      trial.harmless = way.error == EINTR || way.kind == DiskFault::Kind::short_write;
      trial.check(place.path());
      SCOPED_TRACE("then a power cut");
      const Memory left;
      place.disk.disk.cut_power(0, left.path());
      trial.check(left.path());
      if (testing::Test::HasFailure()) return;
    }
  }
  std::cout << what << ": " << failures << " failed calls\n";
}

}  // namespace gauntlet
