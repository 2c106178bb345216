// A driver that ends after another driver took over its drill removes nothing that the other one works on. One that comes
// too late touches nothing, and one that goes on begins no fault. One that is interrupted while it takes over ends every agent.
#include "real/driver/drill.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CallingPolicy final : public Policy {
 public:
  void on(const Observed&, Orders&) override { when_seen(); }
  std::function<void()> when_seen = [] {};
};

struct OvertakenDrills : testing::Test {
  OvertakenDrills() {
    world.inventory.job_hosts = 1;
    world.inventory.gpus_per_host = 1;
    world.job.layout = {.tp = 1, .pp = 1, .dp = 1};
    world.job.step_time = 1s;
    options.record = place.path() / "drill.rec";
    options.platform = &platform;
    options.header = {.version = "1", .scenario = "name = \"x\"\n", .seed = 1, .replica = 0};
    options.stop = &stop;
    ::setenv("TMPDIR", place.path().c_str(), 1);
  }
  ~OvertakenDrills() override { ::setenv("TMPDIR", base.c_str(), 1); }
  /// Another driver says that the drill is its own, and begins to write.
  void overtake() {
    write_epoch(platform.directory, 2);
    put_bytes(platform.directory + "/journal", "of the later driver\n");
  }
  void expect_untouched() const {
    ASSERT_TRUE(fs::exists(platform.directory));
    EXPECT_EQ(bytes_of(platform.directory + "/journal"), "of the later driver\n");
    EXPECT_EQ(newest_epoch(platform.directory), 2U);
  }

  const std::string base = drill_base();
  const Scratch place;
  std::atomic<bool> stop = false;
  StandIns platform;
  World world;
  CallingPolicy policy;
  DrillOptions options;
};

TEST_F(OvertakenDrills, ADriverThatIsInterruptedAtItsStartLeavesThemAlone) {
  platform.answers = [this](std::uint32_t, Duration, std::string& why) {
    overtake();
    stop = true;
    why = "asked to stop";
    return false;
  };
  EXPECT_THROW(run_drill(world, policy, options), Superseded);
  expect_untouched();
}

// Its agent obeyed the later driver, and ended on its order.
TEST_F(OvertakenDrills, ADriverWhoseAgentEndedAtItsStartSaysWho) {
  platform.answers = [this](std::uint32_t, Duration, std::string& why) {
    overtake();
    why = "it ended";
    return false;
  };
  EXPECT_THROW(run_drill(world, policy, options), Superseded);
  expect_untouched();
}

TEST_F(OvertakenDrills, ADriverThatKeepsNothingLeavesThemAlone) {
  options.keep_unfinished = false;
  policy.when_seen = [this] {
    overtake();
    stop = true;
  };
  const DrillResult result = run_drill(world, policy, options);
  EXPECT_FALSE(result.finished);
  expect_untouched();
}

TEST_F(OvertakenDrills, ADriverThatFailsAndKeepsNothingLeavesThemAlone) {
  options.keep_unfinished = false;
  policy.when_seen = [this] {
    overtake();
    throw std::runtime_error("no space left");
  };
  EXPECT_THROW(run_drill(world, policy, options), std::runtime_error);
  expect_untouched();
}

// The state beside the recording is older than the directory: a power cut took the newer state.
TEST_F(OvertakenDrills, ADriverThatComesTooLateWritesNothing) {
  policy.when_seen = [this] { stop = true; };
  ASSERT_FALSE(run_drill(world, policy, options).finished);
  stop = false;
  write_epoch(platform.directory, 5);
  fs::remove(platform.directory + "/checkpoints");
  const std::string state = bytes_of(options.record + ".state");
  const std::string recording = bytes_of(options.record);
  EXPECT_THROW(run_drill(world, policy, options), Superseded);
  EXPECT_EQ(bytes_of(options.record + ".state"), state);
  EXPECT_EQ(bytes_of(options.record), recording);
  EXPECT_FALSE(fs::exists(platform.directory + "/checkpoints"));
}

// It has come to the first of two agents. Nobody else would end the second one and its ranks before their leases lapse.
TEST_F(OvertakenDrills, ADriverThatIsInterruptedAtItsStartEndsWhatTheEarlierOneLeft) {
  world.inventory.job_hosts = 2;
  world.job.layout = {.tp = 1, .pp = 1, .dp = 2};
  policy.when_seen = [this] { stop = true; };
  ASSERT_FALSE(run_drill(world, policy, options).finished);
  stop = false;
  platform.left = {0, 1};
  platform.ended = 0;
  platform.answers = [this](std::uint32_t, Duration, std::string& why) {
    stop = true;
    why = "asked to stop";
    return false;
  };
  EXPECT_FALSE(run_drill(world, policy, options).began);
  EXPECT_EQ(platform.ended, 2U);
}

struct DrillDirectories : OvertakenDrills {
  DrillDirectories() { setup.directory = place.path().string(); }
  const std::string journal = (place.path() / "journal").string();
  const Record nothing;
  DrillSetup setup;
};

// The later driver has its journal open: a new file in its place would take its name.
TEST_F(DrillDirectories, AreNotTouchedByADriverThatComesTooLate) {
  const fs::path second_name = place.path() / "second";
  put_bytes(journal, "");
  fs::create_hard_link(journal, second_name);
  write_epoch(setup.directory, 5);
  setup.epoch = 2;
  EXPECT_THROW(RealCluster(world, setup, nothing, platform), Superseded);
  EXPECT_TRUE(fs::equivalent(journal, second_name));
}

// It may die at any moment then, and the earlier driver must not go on with files that have other ones in their place.
TEST_F(DrillDirectories, SayWhoseTheyAreBeforeTheJournalIsReplaced) {
  fs::create_directory(journal);  // which cannot be opened
  write_epoch(setup.directory, 1);
  setup.epoch = 2;
  EXPECT_THROW(RealCluster(world, setup, nothing, platform), std::runtime_error);
  EXPECT_EQ(newest_epoch(setup.directory), 2U);
}

// No agent has told it yet that it was overtaken.
TEST_F(DrillDirectories, HearNothingOfAFaultThatIsDueInAnEarlierDriver) {
  world.faults.push_back({.name = "crash"});
  setup.plan = {{.at = kStart, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 0}}};
  setup.epoch = 1;
  setup.started_ns = monotonic_ns();
  RealCluster cluster(world, setup, nothing, platform);
  ASSERT_TRUE(cluster.next(kStart));
  const std::string before = bytes_of(journal);
  write_epoch(setup.directory, 2);
  EXPECT_THROW(cluster.next(kStart), Superseded);
  EXPECT_EQ(bytes_of(journal), before);
}

}  // namespace
}  // namespace gauntlet
