// The state of a drill and the files in its directory, on a disk that fails and loses what was not synced. Locks, pid files and
// sockets are beside the file layer: none of them outlives its process.
#include "real/driver/drill_place.hpp"

#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace gauntlet {
namespace {

/// The directory of a drill, with a name so long that its state covers sectors.
const std::string& drill_directory() {
  static const Memory place;
  static const std::string made = [] {
    const std::filesystem::path path =
        place.path() / std::string(250, 'a') / std::string(250, 'b') / "gauntlet-drill-1";
    std::filesystem::create_directories(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }();
  return made;
}

/// Drivers that take over from each other, each with the next epoch. What the last one wrote holds, or what one that failed
/// since was writing.
class Drivers {
 public:
  explicit Drivers(LossyPlace& place) : place_(place) {}

  bool harmless = false;

 protected:
  static constexpr std::uint64_t kFirst = 8, kLast = 11;  // the texts of their epochs differ in length

  template <class Write>
  void drive(std::uint64_t epoch, const Write& write) {
    begun_ = epoch;
    try {
      write();
      if (!place_.disk.is_off()) written_ = epoch;
    } catch (const std::runtime_error& error) {
      ++problems_;
      EXPECT_NE(std::string(error.what()).find(": cannot be "), std::string::npos) << error.what();
    }
  }
  void check_epoch(std::optional<std::uint64_t> found) const {
    EXPECT_TRUE(found || written_ == 0) << "epoch " << written_ << " was written";
    if (found) {
      EXPECT_GE(*found, std::max(written_, kFirst));
      EXPECT_LE(*found, begun_);
    }
    if (harmless) {
      EXPECT_EQ(problems_, 0);
    }
  }

  LossyPlace& place_;
  int problems_ = 0;

 private:
  std::uint64_t begun_ = 0, written_ = 0;
};

class States : public Drivers {
 public:
  using Drivers::Drivers;
  static constexpr const char* kName = "state files";
  static std::filesystem::path begins_with() { return empty_directory(); }

  void run() {
    for (std::uint64_t epoch = kFirst; epoch <= kLast; ++epoch)
      drive(epoch, [&] {
        StateFile kept(record(place_.path()), place_.files);
        if (kept.holds_state()) {
          EXPECT_LT(kept.read(record(place_.path())).epoch, epoch);
        }
        kept.write(state(epoch));
      });
  }
  void check(const std::filesystem::path& left) const {
    const StateFile kept(record(left));
    if (!kept.holds_state()) return check_epoch(std::nullopt);
    const DrillState found = kept.read(record(left));
    check_epoch(found.epoch);
    EXPECT_EQ(found.started_ns, 5);
    EXPECT_EQ(found.plan, state(0).plan);
    EXPECT_EQ(found.directory, drill_directory());
  }

 private:
  static std::string record(const std::filesystem::path& place) { return place / "a.rec"; }
  static DrillState state(std::uint64_t epoch) {
    return {.started_ns = 5,
            .epoch = epoch,
            .plan = {.faults = 3, .fingerprint = 12345},
            .directory = drill_directory()};
  }
};

class DirectoryOfDrivers : public Drivers {
 public:
  using Drivers::Drivers;
  static constexpr const char* kName = "epochs";
  static std::filesystem::path begins_with() {
    static const Memory place;
    return place.folder("drill").parent_path();
  }

  void run() {
    const std::string directory = place_.path() / "drill";
    for (std::uint64_t epoch = kFirst; epoch <= kLast; ++epoch)
      drive(epoch, [&] {
        prepare_drill_directory(directory, place_.files);
        write_epoch(directory, epoch, place_.files);
      });
  }
  void check(const std::filesystem::path& left) const { check_epoch(newest_epoch(left / "drill")); }
};

using DrillFiles = testing::Types<States, DirectoryOfDrivers>;
INSTANTIATE_TYPED_TEST_SUITE_P(Drills, OnLossyDisks, DrillFiles);

TEST(LossyStateFiles, AreGoneOnceTheyAreRemoved) {
  LossyPlace place;
  const std::string record = place.path() / "a.rec";
  {
    StateFile kept(record, place.files);
    kept.write({.started_ns = 5, .epoch = 1, .plan = {}, .directory = drill_directory()});
    kept.remove();
  }
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Memory left;
    place.disk.disk.cut_power(seed, left.path());
    EXPECT_FALSE(std::filesystem::exists(left.path() / "a.rec.state")) << "seed " << seed;
  }
}

// Also from the driver that wrote another state: the lock is on the new file.
TEST(LossyStateFiles, StayLockedWhenTheyAreWritten) {
  const LossyPlace place;
  const std::string record = place.path() / "a.rec";
  StateFile kept(record);
  for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
    kept.write({.started_ns = 5, .epoch = epoch, .plan = {}, .directory = drill_directory()});
    EXPECT_THROW(StateFile{record}, std::runtime_error);
    EXPECT_EQ(kept.read(record).epoch, epoch);
  }
}

}  // namespace
}  // namespace gauntlet
