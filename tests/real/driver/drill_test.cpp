// What run_drill makes of the files that an earlier drill left, before any process is started.
#include "real/driver/drill.hpp"

#include "core/files/append_file.hpp"
#include "real/driver/drill_place.hpp"
#include "real/system/clock.hpp"
#include "tests/real/agent_harness.hpp"
#include "tests/real/local_platform.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

class NoPolicy final : public Policy {
 public:
  void on(const Observed&, Orders&) override {}
};

struct LeftDrills : testing::Test {
  LeftDrills() {
    world.inventory.job_hosts = 1;
    world.inventory.gpus_per_host = 1;
    world.job.layout = {.tp = 1, .pp = 1, .dp = 1};
    world.job.step_time = 1s;
    world.faults.resize(1);
    options.record = place.path() / "drill.rec";
    options.platform = &platform;
    options.header = {.version = "1", .scenario = "name = \"x\"\n", .seed = 1, .replica = 0};
  }

  void leave(const PlanMark& plan, const Record& record) {
    const Variable there("TMPDIR", place.path().c_str());
    directory = new_drill_directory();
    StateFile(options.record)
        .write({.started_ns = started_ns, .epoch = 1, .plan = plan, .directory = directory});
    AppendFile file(options.record);
    RecordingWriter writer([&file](std::string_view frame) { file.append(frame); });
    writer.write(options.header);
    for (const Observed& seen : record.observations) writer.write(seen);
  }
  Record begun() const {
    Record record;
    record.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
    return record;
  }
  std::string refusal() {
    try {
      run_drill(world, policy, options);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  Scratch place;
  const std::int64_t started_ns = monotonic_ns();
  LocalPlatform platform{"", ""};  // nothing is started
  World world;
  NoPolicy policy;
  DrillOptions options;
  std::string directory;
};

TEST_F(LeftDrills, WhatIsDrilledCannotChangeHalfWay) {
  const PlannedFault fault{.at = kStart + 1s, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 0}};
  leave({.faults = 1, .fingerprint = 123}, begun());
  const std::string before = bytes_of(options.record);
  EXPECT_THAT(
      refusal(),
      HasSubstr("was started with 1 planned faults; leave out --no-faults, or give another --record"));
  options.plan = {fault};
  EXPECT_THAT(refusal(), HasSubstr("was started with another fault plan"));
  StateFile(options.record).write({.started_ns = started_ns, .epoch = 1, .plan = {}, .directory = directory});
  EXPECT_THAT(refusal(), HasSubstr("was started with --no-faults; write it again"));
  options.header.seed = 2;
  EXPECT_THAT(refusal(), HasSubstr("is an unfinished drill of another scenario or seed"));
  EXPECT_EQ(bytes_of(options.record), before) << "it can still go on";
  EXPECT_TRUE(fs::exists(directory));
}

// Its driver died after the last observation and before its report.
TEST_F(LeftDrills, OneThatWasOverIsReportedByTheNextDriver) {
  options.plan = {{.at = kStart + 1s, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 0}}};
  Record record = begun();
  record.observations.push_back({kStart + 9s, Finished{JobId{0}, Ending::completed}});
  leave(mark_of(options.plan), record);
  const auto machine = [&](Duration at) { return std::to_string(started_ns + at.count()); };
  put_bytes(directory + "/progress",
            "1 0 " + machine(1s) + " up 0\n1 0 " + machine(2s) + " step 1 1000000000\n1 0 " + machine(3s) +
                " log checkpoint_damaged torn\n1 0 " + machine(8s) + " finished 1 0123456789abcdef\n");
  put_bytes(directory + "/journal", "1 armed 0\n1500000000 began 0\n1500000000 observed 0\n");
  const DrillResult result = run_drill(world, policy, options);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.injected, 1u);
  EXPECT_EQ(result.logs.truth.size(), 1u);
  EXPECT_NE(result.final_hash, 0u);
  EXPECT_THAT(result.checkpoint_warnings, testing::ElementsAre("torn"));
  EXPECT_EQ(result.logs.progress.stretches.size(), 1u);
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_FALSE(fs::exists(options.record + ".state"));
  EXPECT_THAT(refusal(), HasSubstr("this drill is finished"));
}

// A write that was interrupted leaves the beginning of an entry. Anything else is not what a driver wrote.
TEST_F(LeftDrills, ARecordingThatIsDamagedIsRefusedAndLeftAsItIs) {
  Record record = begun();
  record.observations.push_back({kStart + 1s, Noticed{}});
  record.observations.push_back({kStart + 2s, Noticed{}});
  leave({}, record);
  const std::string whole = bytes_of(options.record);
  const auto size_with = [&](std::size_t observations) {
    std::size_t bytes = 0;
    RecordingWriter writer([&](std::string_view frame) { bytes += frame.size(); });
    writer.write(options.header);
    for (std::size_t i = 0; i < observations; ++i) writer.write(record.observations[i]);
    return bytes;
  };
  const std::size_t second = size_with(1);
  for (const std::size_t at : {second, second + 1, second + 3, second + 5, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] ^= 4;  // the kind, the length, the checksum and the payload
    put_bytes(options.record, damaged);
    const std::size_t place = at == whole.size() - 1 ? size_with(2) : second;
    EXPECT_THAT(refusal(), HasSubstr("drill.rec: is damaged at byte " + std::to_string(place) + ", after "));
    EXPECT_THAT(refusal(),
                HasSubstr("; bring the file back from a copy, or drill from the start with another "
                          "--record"));
    EXPECT_EQ(bytes_of(options.record), damaged);
    EXPECT_TRUE(fs::exists(directory));
  }
  options.header.seed = 2;  // what is refused next, of one that is torn
  put_bytes(options.record, whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal(), HasSubstr("is an unfinished drill of another scenario or seed"));
}

// The agent of the first host never answers.
TEST_F(LeftDrills, OneThatIsInterruptedWhileItsAgentsStartLeavesNothing) {
  const Variable there("TMPDIR", place.path().c_str());
  BlockedAgent agent(place.path());
  std::atomic<bool> stop = false;
  LocalPlatform blocked(agent.program(), "");
  options.platform = &blocked;
  options.stop = &stop;
  std::thread interrupts([&] {
    agent.await_begun();
    stop = true;
  });
  const DrillResult result = run_drill(world, policy, options);
  interrupts.join();
  EXPECT_FALSE(result.began);
  EXPECT_FALSE(result.finished);
  EXPECT_FALSE(fs::exists(options.record));
  EXPECT_FALSE(fs::exists(options.record + ".state"));
  EXPECT_TRUE(agent.is_gone());
}

TEST_F(LeftDrills, ARecordThatIsNoFileOfOursIsRefusedAndNotWaitedFor) {
  const fs::path nowhere = place.path() / "nowhere";
  fs::create_symlink(nowhere, options.record);
  EXPECT_THAT(refusal(), HasSubstr("drill.rec: is a symbolic link, which is not followed"));
  EXPECT_FALSE(fs::exists(nowhere));
  fs::remove(options.record);
  ASSERT_EQ(::mkfifo(options.record.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("drill.rec: is not a regular file"));
  fs::remove(options.record);
  ASSERT_EQ(::mkfifo((options.record + ".state").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("drill.rec.state: is not a regular file of this user"));
}

TEST(AppendFiles, GrowAndGoOnWhereTheyWereWhole) {
  const Scratch place;
  const std::string path = place.path() / "a.rec";
  AppendFile(path).append("whole|torn");
  AppendFile(path, 6).append("and on");
  EXPECT_EQ(bytes_of(path), "whole|and on");
  EXPECT_THROW(AppendFile{path}, std::runtime_error) << "it exists";
  EXPECT_THROW(AppendFile(path, 100), std::runtime_error) << "it is shorter";
  EXPECT_EQ(bytes_of(path), "whole|and on");
  EXPECT_THROW(AppendFile(place.path() / "missing" / "a.rec"), std::runtime_error);
}

// In a directory that others can write to, a link of theirs would spend this user's rights where they like.
TEST(AppendFiles, FollowNoSymbolicLinkAndWaitForNoReader) {
  const Scratch place;
  put_bytes(place.path() / "others", "precious");
  fs::create_symlink(place.path() / "others", place.path() / "link.rec");
  fs::create_symlink(place.path() / "nothing", place.path() / "dangling.rec");
  ASSERT_EQ(::mkfifo((place.path() / "fifo.rec").c_str(), 0600), 0);
  for (const char* name : {"link.rec", "dangling.rec", "fifo.rec"}) {
    EXPECT_THROW(AppendFile{place.path() / name}, std::runtime_error) << name;
    EXPECT_THROW(AppendFile(place.path() / name, 0), std::runtime_error) << name;
  }
  EXPECT_EQ(bytes_of(place.path() / "others"), "precious");
  EXPECT_FALSE(fs::exists(place.path() / "nothing"));
}

}  // namespace
}  // namespace gauntlet
