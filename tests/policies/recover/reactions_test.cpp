// What each trigger does in each stage of a recovery, by the table of stages.hpp.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using enum Reaction;

constexpr std::array<const char*, kTriggers> kTriggerNames = {"named",    "nobody",  "restart",
                                                              "degraded", "noticed", "operated"};

struct Row {
  std::string stage;
  std::array<Reaction, kTriggers>
      reactions;  // to: a host named, nobody, a restart, a degraded host, a person's notice, an operator's word
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"running", {begin, gather, begin, save, begin, begin}},
      {"saving", {begin, gather, begin, join, begin, join}},
      {"gathering", {cut, ignore, cut, join, ignore, cut}},
      {"stopping", {join, ignore, join, join, ignore, join}},
      {"diagnosing", {treat, ignore, ignore, treat, ignore, treat}},
      {"replacing", {treat, ignore, ignore, treat, ignore, treat}},
      {"holding", {treat, ignore, ignore, treat, ignore, treat}},
      {"starting", {redo, redo, redo, redo, join, redo}},
      {"backing off", {treat, ignore, ignore, treat, redo, treat}},
      {"keeping", {treat, ignore, ignore, treat, ignore, treat}},
      {"released", {treat, ignore, ignore, treat, ignore, treat}},
  };
  return rows;
}

/// What is ordered at once, and the stage then.
struct Consequence {
  Words orders;
  std::string stage;
  bool opens;
};
Consequence consequence(const std::string& stage, Reaction reaction, Trigger trigger) {
  switch (reaction) {
    case begin:
      if (trigger == Trigger::operated) return {{"stop as planned"}, "stopping", false};
      return {{"stop for a fault"}, "stopping", true};
    case gather:
      return {{"wake me at 3620s"}, "gathering", true};  // an hour into the run, and 20 s
    case save:
      return {{"checkpoint now", "wake me at 5400s"}, "saving", false};
    case redo:
      if (trigger == Trigger::operated) return {{"cancel", "stop as planned"}, "stopping", false};
      [[fallthrough]];
    case cut:
      return {{"cancel", "stop for a fault"}, "stopping", false};
    case treat:
      if (trigger == Trigger::named) return {{"probe 0 on host 2"}, stage, false};
      // No host is ordered for a job that has given its own back.
      if (stage == "released") return {{"evict host 2"}, stage, false};
      return {{"evict host 2", "acquire a host"}, stage, false};
    case join:
    case ignore:
      break;
  }
  return {{}, stage, false};
}

Words meets(JobInStage& job, Trigger trigger) {
  switch (trigger) {
    case Trigger::named:
      return job.suspect(2);
    case Trigger::nobody:
      return job.suspect_somebody();
    case Trigger::restart:
      return job.restart();
    case Trigger::degraded:
      return job.degraded(2);
    case Trigger::noticed:
      return job.noticed();
    case Trigger::operated:
      return job.taken_out(2);
  }
  return {};
}

bool any(const Words& orders, const std::string& beginning, const std::string& part = "") {
  return std::any_of(orders.begin(), orders.end(), [&](const std::string& order) {
    return order.rfind(beginning, 0) == 0 && order.find(part) != std::string::npos;
  });
}

TEST(Reactions, AreAsStatedForEveryStageAndEveryTrouble) {
  ASSERT_EQ(table().size(), kReactions.size());
  for (std::size_t i = 0; i < table().size(); ++i) {
    EXPECT_EQ(table()[i].stage, kStageNames[i]);
    EXPECT_EQ(table()[i].reactions, kReactions[i]) << kStageNames[i];
    for (std::size_t t = 0; t < kTriggers; ++t) {
      SCOPED_TRACE(table()[i].stage + ", " + kTriggerNames[t]);
      JobInStage job(table()[i].stage);
      const Consequence expected = consequence(table()[i].stage, table()[i].reactions[t], Trigger(t));
      EXPECT_EQ(meets(job, Trigger(t)), expected.orders);
      EXPECT_EQ(job.stage(), expected.stage);
      EXPECT_EQ(job.opened(), expected.opens);
      job.orders_until_it_runs();  // whatever happened: the job runs in the end
      EXPECT_EQ(job.stage(), "running");
    }
  }
}

TEST(Reactions, AHostThatIsNamedIsExaminedBeforeTheNextStart) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    const Words at_once = job.suspect(2);
    EXPECT_TRUE(any(at_once, "probe", "host 2") || any(job.orders_until_it_runs(), "probe", "host 2"));
  }
}

TEST(Reactions, ADegradedHostIsReplacedBeforeTheNextStartAndNotExamined) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    Words orders = job.degraded(2);
    const Words later = job.orders_until_it_runs();
    orders.insert(orders.end(), later.begin(), later.end());
    EXPECT_TRUE(any(orders, "evict host 2"));
    EXPECT_FALSE(any(orders, "probe", "host 2"));
  }
}

TEST(Reactions, AHostThatAnOperatorTakesOutIsReplacedBeforeTheNextStartAndNotExamined) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    for (const bool maintenance : {false, true}) {
      JobInStage job(row.stage);
      Words orders = maintenance ? job.marked(2) : job.taken_out(2);
      const Words later = job.orders_until_it_runs();
      orders.insert(orders.end(), later.begin(), later.end());
      EXPECT_TRUE(any(orders, "evict host 2"));
      EXPECT_FALSE(any(orders, "probe", "host 2"));
    }
  }
}

// A stop that nobody is named for is investigated where it is news; a job that is down already has its reason.
TEST(Reactions, ANewStopThatNobodyIsNamedForIsInvestigated) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage), undisturbed(row.stage);
    job.suspect_somebody();
    if (row.reactions[1] == ignore) {
      EXPECT_EQ(job.orders_until_it_runs(), undisturbed.orders_until_it_runs());
    } else {
      EXPECT_TRUE(any(job.orders_until_it_runs(), "probe", "every host of the job"));
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

// Lines and exits of victims are still on their way when the job is started again: they say nothing of that start.
TEST(Reactions, NoneToWhatWasSensedBeforeTheLastStart) {
  JobInStage job("running");  // since an hour
  EXPECT_THAT(job.suspect({.sensed = kStart - 1ns}), IsEmpty());
  EXPECT_THAT(job.suspect({.host = HostId{2}, .sensed = kStart - 1ns}), IsEmpty());
  EXPECT_EQ(job.stage(), "running");
  JobInStage starting("starting");
  EXPECT_THAT(starting.suspect({.sensed = kStart - 1ns}), IsEmpty());
  EXPECT_EQ(starting.stage(), "starting");
  // A host that is named is better examined before the job trains on it.
  EXPECT_THAT(starting.suspect({.host = HostId{2}, .sensed = kStart - 1ns}),
              ElementsAre("cancel", "stop for a fault"));
}

// By a host's clock a report is from before the start only where it is so however far that clock is off: a true one is not
// dropped because the clock of its host is slow.
TEST(Reactions, ToWhatMayHaveBeenSensedSinceTheLastStartBySomeClock) {
  PolicyConstants constants = usual_constants();
  constants.detection.clock_error = 10ms;
  const auto stops = [&](Duration sensed) {
    RecoveringJob job(Recovery::First::diagnosis, constants);
    job.run();
    return !job.suspect({.host = HostId{2}, .sensed = kStart + sensed}).empty();
  };
  EXPECT_TRUE(stops(0ms));
  EXPECT_TRUE(stops(-10ms));
  EXPECT_FALSE(stops(-10ms - 1ns));
}

// A line that says that a host fails was written before the start: the restart may have cured it, or not. It stops nothing, and
// the host is the first to be examined where the job stops again soon, though nobody is named then.
TEST(Reactions, ToALineOfAHostFromBeforeTheStartWaitForTheNextStop) {
  for (const bool of_host : {true, false}) {
    RecoveringJob job;
    job.done("start");
    job.wait(10s);
    EXPECT_THAT(job.suspect({.host = HostId{2}, .sensed = kStart - 1ns, .of_host = of_host}), IsEmpty());
    EXPECT_EQ(job.stage(), "running");
    job.suspect_somebody();
    job.gathered();
    EXPECT_THAT(job.done("stop"),
                ElementsAre(of_host ? "probe 0 on host 2" : "probe 0 on every host of the job"));
  }
}

TEST(PlannedStops, SaveAJobThatTrainsGiveUpAStartAndElseWait) {
  for (const Row& row : table()) {
    SCOPED_TRACE(row.stage);
    JobInStage job(row.stage);
    const Words orders = job.told(3h);
    if (row.stage == "running") {
      EXPECT_THAT(orders, ElementsAre("checkpoint now", "wake me at 5400s"));
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

  JobInStage saves("saving");  // told at 1 h to hold for 2 h
  saves.told(10min);
  saves.orders_until_it_runs();
  EXPECT_EQ(saves.now(), 3h);
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

// The job hangs while it is to be saved, and nobody sees that: the checkpoint never comes.
TEST(PlannedStops, DoNotWaitForeverForTheLastCheckpoint) {
  JobInStage job("saving");
  job.wait(30min);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "stop as planned"));
  EXPECT_EQ(job.stage(), "stopping");
}

}  // namespace
}  // namespace gauntlet
