// The recording of a drill, on a disk that loses what was not synced.
#include "real/driver/drill.hpp"

#include "core/files/append_file.hpp"
#include "real/driver/drill_place.hpp"
#include "tests/files/lossy_run.hpp"
#include "tests/real/local_platform.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

class NoPolicy final : public Policy {
 public:
  void on(const Observed&, Orders&) override {}
};

/// A drill without hosts, whose time is over at once: it starts no process.
struct LossyDrills : testing::Test {
  LossyDrills() {
    world.inventory.job_hosts = 0;
    world.job.layout = {.tp = 1, .pp = 1, .dp = 1};
    world.job.window = 1ms;
    options.record = place.path() / "drill.rec";
    options.platform = &platform;
    options.header = {.version = "1", .scenario = "name = \"x\"\n", .seed = 1, .replica = 0};
    options.files = &place.files;
  }
  /// The recording is there as it is now, and no state beside it.
  void expect_recording_after_power_cuts() const {
    const std::string whole = bytes_of(options.record);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Memory left;
      place.disk.disk.cut_power(seed, left.path());
      EXPECT_EQ(bytes_of(left.path() / "drill.rec"), whole);
      EXPECT_FALSE(std::filesystem::exists(left.path() / "drill.rec.state"));
    }
  }

  LossyPlace place;
  LocalPlatform platform{"", ""};
  World world;
  NoPolicy policy;
  DrillOptions options;
};

TEST_F(LossyDrills, HaveTheirRecordingOnceTheyAreOver) {
  ASSERT_TRUE(run_drill(world, policy, options).finished);
  expect_recording_after_power_cuts();
}

// Its driver died after the last observation and before its report.
TEST_F(LossyDrills, HaveTheirRecordingOnceTheNextDriverReportsThem) {
  StateFile(options.record, place.files)
      .write({.started_ns = platform.clock().monotonic_ns(),
              .epoch = 1,
              .plan = mark_of(options.plan),
              .directory = new_drill_directory()});
  {
    AppendFile file(options.record, place.files);
    RecordingWriter writer([&file](std::string_view frame) { file.append(frame); });
    writer.write(options.header);
    writer.write(Observed{kStart, Started{JobId{0}, world.inventory}});
    writer.write(Observed{kStart + 1s, Finished{JobId{0}, Ending::time_over}});
  }
  ASSERT_TRUE(run_drill(world, policy, options).finished);
  expect_recording_after_power_cuts();
}

// Its driver died while it made the place of its agents, or just before it wrote to the recording that it had made.
TEST_F(LossyDrills, TakeTheDirectoryOfADriverThatRecordedNothing) {
  const std::string directory = new_drill_directory();
  StateFile(options.record, place.files)
      .write({.started_ns = 0, .epoch = 1, .plan = mark_of(options.plan), .directory = directory});
  std::ofstream(options.record).close();
  ASSERT_TRUE(run_drill(world, policy, options).finished);
  EXPECT_FALSE(std::filesystem::exists(directory));
  expect_recording_after_power_cuts();
}

TEST_F(LossyDrills, ThatCannotBringTheirRecordingToTheDiskSaySo) {
  ASSERT_TRUE(run_drill(world, policy, options).finished);
  std::uint64_t refused = 0;
  for (std::uint64_t at = 1; at <= place.disk.calls(); ++at) {
    if (!place.disk.is_sync(at)) continue;
    LossyPlace other({.kind = DiskFault::Kind::error, .at = at, .error = EIO});
    options.record = other.path() / "drill.rec";
    options.files = &other.files;
    try {
      run_drill(world, policy, options);
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("cannot be written: Input/output error"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_EQ(refused, 5u)
      << "of the state and of the recording: the bytes and the name; the measurements behind it";
}

}  // namespace
}  // namespace gauntlet
