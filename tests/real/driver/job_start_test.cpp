// The user's own job under a driver: its starts, and what it is told while it trains.
#include "real/driver/job_start.hpp"

#include "tests/real/cluster_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Two ranks in Python that do nothing but listen, and save when they are told to.
struct UsersJob : RealClusters {
  UsersJob() {
    const std::string script = directory.file("job.py");
    std::ofstream(script)
        << "import os, sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1])\n"
        << "import gauntlet_rank\n"
        << "open(sys.argv[2], 'a').write(os.environ['MASTER_PORT'] + ' ')\n"
        << "rank, step = gauntlet_rank.Rank(), 7\n"
        << "rank.resumed(step)\n"
        << "while not rank.stop_wanted():\n"
        << "    if rank.checkpoint_wanted(1) and rank.number == 0:\n"
        << "        rank.saved(rank.every or step)\n"
        << "rank.log('stopped')\n";
    world.drill.command.arguments = {"python3", script, std::filesystem::absolute("real/rank").string(),
                                     directory.file("ports")};
    world.drill.command.stop_signal = "none";
    world.drill.command.grace = 10min;
    world.job.steps = 100;
  }
  Outcome obey(RealCluster& cluster, const Action& action) {
    cluster.start({OrderId{++last_order}, action});
    while (true) {
      const Outcome outcome = await<Outcome>(cluster);
      if (outcome.order == OrderId{last_order}) return outcome;
    }
  }
  std::set<std::string> ports() const {
    std::ifstream file(directory.file("ports"));
    std::set<std::string> found;
    for (std::string port; file >> port;) found.insert(port);
    return found;
  }

  const Record nothing;
  std::uint64_t last_order = 0;
};

TEST_F(UsersJob, SavesOutOfTurnAndStopsAtAStepBoundary) {
  RealCluster cluster(world, setup(1), nothing, platform);
  const Outcome started = obey(cluster, Start{JobId{0}, 10min});
  ASSERT_EQ(started.status, Status::done);
  EXPECT_EQ(std::get<Loaded>(started.result).step, 7);
  const Outcome saved = obey(cluster, Checkpoint{JobId{0}});
  EXPECT_EQ(saved.status, Status::done);
  EXPECT_EQ(std::get<Saved>(saved.result).step, 7);

  EXPECT_EQ(obey(cluster, CheckpointEvery{JobId{0}, 23s}).status, Status::done);  // a step takes a second
  const Outcome again = obey(cluster, Checkpoint{JobId{0}});
  EXPECT_EQ(std::get<Saved>(again.result).step, 23)
      << "the interval, which the rank was told while it trained";

  EXPECT_EQ(obey(cluster, Stop{JobId{0}}).status, Status::done);
  const auto& entries = cluster.raw_progress().entries();
  const auto stopped = std::count_if(entries.begin(), entries.end(),
                                     [](const auto& each) { return each.line.pattern == "stopped"; });
  EXPECT_EQ(stopped, 2) << "of their own accord, long before the grace period was over";
}

TEST_F(UsersJob, EachStartMeetsAtAPortOfItsOwn) {
  RealCluster cluster(world, setup(1), nothing, platform);
  for (std::size_t start = 1; start <= 3; ++start) {
    ASSERT_EQ(obey(cluster, Start{JobId{0}, 10min}).status, Status::done);
    EXPECT_EQ(ports().size(), start);
    ASSERT_EQ(obey(cluster, Stop{JobId{0}}).status, Status::done);
  }
}

/// A driver that takes over requests those that its predecessor has not.
TEST_F(UsersJob, PlannedStopsAreRequestedOnce) {
  world.job.planned_stops = {{kStart + 1ms, 3s}, {kStart + 2ms, 4s}};
  Record so_far;
  {
    RealCluster cluster(world, setup(1), nothing, platform);
    so_far.observations.push_back({kStart, await<Started>(cluster)});
    const StopRequest first = await<StopRequest>(cluster);
    EXPECT_EQ(first.hold, 3s);
    so_far.observations.push_back({kStart + 1ms, first});
  }
  RealCluster cluster(world, setup(2), so_far, platform);
  EXPECT_EQ(await<StopRequest>(cluster).hold, 4s);
  const std::optional<Observed> more = cluster.next(kStart);
  EXPECT_FALSE(more && std::holds_alternative<StopRequest>(more->what));
}

TEST_F(UsersJob, ACheckpointOfAJobThatDoesNotTrainFails) {
  RealCluster cluster(world, setup(1), nothing, platform);
  EXPECT_EQ(obey(cluster, Checkpoint{JobId{0}}).status, Status::failed);
}

TEST_F(UsersJob, AStopFailsTheCheckpointThatIsOpen) {
  world.drill.command.arguments[1] = directory.file("deaf.py");
  std::ofstream(directory.file("deaf.py"))
      << "import sys, time; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1])\n"
      << "import gauntlet_rank\n"
      << "rank = gauntlet_rank.Rank(); rank.resumed(0)\n"
      << "while not rank._stop: time.sleep(0.01); rank._listen()\n";
  RealCluster cluster(world, setup(1), nothing, platform);
  ASSERT_EQ(obey(cluster, Start{JobId{0}, 10min}).status, Status::done);
  cluster.start({OrderId{100}, Checkpoint{JobId{0}}});
  cluster.start({OrderId{101}, Stop{JobId{0}}});
  const Outcome first = await<Outcome>(cluster), second = await<Outcome>(cluster);
  EXPECT_EQ(first.order, OrderId{100});
  EXPECT_EQ(first.status, Status::failed);
  EXPECT_EQ(second.order, OrderId{101});
  EXPECT_EQ(second.status, Status::done);
}

TEST(JobCommands, ThatThisMachineCannotStart) {
  const OwnDirectory directory;
  JobCommand command;
  command.arguments = {"sh"};
  command.directory = directory.name();
  EXPECT_FALSE(problem_of_command(command));
  command.environment = {{"PATH", directory.name()}};
  EXPECT_THAT(problem_of_command(command)->text(),
              HasSubstr("drill.command.arguments cannot be started: sh: is in no directory of PATH"))
      << "of the job";
  command.directory += "/nowhere";
  EXPECT_THAT(
      problem_of_command(command)->text(),
      HasSubstr("drill.command.directory names " + directory.name() + "/nowhere, which is not a directory"));
}

}  // namespace
}  // namespace gauntlet
