// What a suspicion, and an operator, do to each stage of a recovery: every pair.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct Row {
  std::string stage;
  Reaction reaction;
  Words orders;      // at once
  std::string next;  // the stage then
  bool opens;        // an incident
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"running", Reaction::begin, {"stop for a fault"}, "stopping", true},
      {"saving", Reaction::begin, {"stop for a fault"}, "stopping", true},
      {"stopping", Reaction::join, {}, "stopping", false},
      {"diagnosing", Reaction::join, {}, "diagnosing", false},
      {"asking", Reaction::join, {}, "asking", false},
      {"replacing", Reaction::join, {}, "replacing", false},
      {"holding", Reaction::join, {}, "holding", false},
      {"starting", Reaction::redo, {"cancel", "stop for a fault"}, "stopping", false},
  };
  return rows;
}

bool examines(const Words& orders, const std::string& whom) {
  return std::any_of(orders.begin(), orders.end(), [&](const std::string& order) {
    return order.rfind("probe", 0) == 0 && order.find(whom) != std::string::npos;
  });
}

TEST(Reactions, AreStatedForEveryStage) {
  ASSERT_EQ(table().size(), kReactions.size());
  for (std::size_t i = 0; i < table().size(); ++i) {
    EXPECT_EQ(table()[i].stage, kStageNames[i]);
    EXPECT_EQ(table()[i].reaction, kReactions[i]) << kStageNames[i];
  }
}

TEST(Reactions, ToAHostThatIsNamed) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    EXPECT_EQ(job.suspect(2), row.orders);
    EXPECT_EQ(job.opened(), row.opens);
    EXPECT_EQ(job.stage(), row.next);
    EXPECT_TRUE(examines(job.orders_until_it_runs(), "host 2")) << "before the next start";
  }
}

// A stop that nobody is named for is investigated where it is news; a job that is down already has its reason.
TEST(Reactions, ToAStopThatNobodyIsNamedFor) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage), undisturbed(row.stage);
    EXPECT_EQ(job.suspect_somebody(), row.orders);
    EXPECT_EQ(job.opened(), row.opens);
    EXPECT_EQ(job.stage(), row.next);
    if (row.reaction == Reaction::join) {
      EXPECT_EQ(job.orders_until_it_runs(), undisturbed.orders_until_it_runs());
    } else {
      EXPECT_TRUE(examines(job.orders_until_it_runs(), "every host of the job"));
    }
  }
}

TEST(Reactions, NoneToAHostThatDoesNotCarryTheJob) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage), undisturbed(row.stage);
    EXPECT_THAT(job.suspect(12), IsEmpty());
    EXPECT_FALSE(job.opened());
    EXPECT_EQ(job.stage(), row.stage);
    EXPECT_EQ(job.orders_until_it_runs(), undisturbed.orders_until_it_runs());
  }
}

TEST(PlannedStops, SaveAJobThatTrainsGiveUpAStartAndElseWait) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    const Words orders = job.told(3h);
    if (row.stage == "running") {
      EXPECT_THAT(orders, ElementsAre("checkpoint now"));
      EXPECT_EQ(job.stage(), "saving");
    } else if (row.stage == "starting") {
      EXPECT_THAT(orders, ElementsAre("cancel", "stop as planned"));
      EXPECT_EQ(job.stage(), "stopping");
    } else {
      EXPECT_THAT(orders, IsEmpty());
      EXPECT_EQ(job.stage(), row.stage);
    }
  }
}

// Whatever the job was doing when it was told: it trains again three hours later, not before, and not much after.
TEST(PlannedStops, HoldTheJobForAsLongAsTold) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    const Duration told = job.now();
    job.told(3h);
    const Words orders = job.orders_until_it_runs();
    EXPECT_EQ(job.now(), told + 3h);
    EXPECT_EQ(std::count(orders.begin(), orders.end(), kStarts), 1);
  }
}

TEST(PlannedStops, OfTwoTheLongerHoldCounts) {
  JobInStage job("holding");  // told at 1 h to hold for 2 h
  job.told(1h);
  EXPECT_EQ(job.now(), 1h);
  job.told(4h);
  EXPECT_THAT(job.orders_until_it_runs(), ElementsAre("wake me at 18000s", kStarts));
  EXPECT_EQ(job.now(), 5h);
}

// A fault cuts the last checkpoint short: it is dealt with, and the job is held all the same.
TEST(PlannedStops, OutlastAFaultThatStrikesBeforeThem) {
  JobInStage job("saving");
  job.suspect(1);
  EXPECT_THAT(job.failed("checkpoint now"), IsEmpty());
  EXPECT_THAT(job.done("stop for a fault"), ElementsAre("probe 0 on host 1"));
  job.probe_finds(1);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 1", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre("stop as planned", "wake me at 10800s"));
  EXPECT_EQ(job.stage(), "holding");
}

}  // namespace
}  // namespace gauntlet
