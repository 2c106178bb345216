// Whole conversations: what the controller sees, and what it orders then.
#include "policies/controller/controller.hpp"

#include "tests/policies/in_words.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr WatchId kProbeReport{
    1};  // the first id that the controller hands out; the second is for localisation

PolicyConstants constants() {
  return {.names = {.detect = {"heartbeat", "exit", "log", "hang"},
                    .diagnose = "suite",
                    .checkpoint = "fixed",
                    .restore = "one-reader",
                    .recover = "replace",
                    .retire = "never"},
          .detection = {.heartbeat_timeout = 30s,
                        .hang_timeout = 300s,
                        .collective_timeout = 600s,
                        .lines = {{PatternId{4}}}},
          .diagnosis = {.suite = {ProbeId{0}, ProbeId{1}}},
          .checkpoint =
              {.interval = 900s, .prior_mtbf = 1000s, .prior_weight = 1, .prior_cost = 20s, .hysteresis = 0},
          .recovery = {.restarts_in_place = 1, .relapse_window = 60s},
          .retirement = {}};
}

/// Four hosts carry the job, host 4 stands by.
class Conversation {
 public:
  explicit Conversation(PolicyConstants constants = ::gauntlet::constants())
      : constants_(std::move(constants)), controller_(constants_) {}

  Words starts() { return sees(Started{JobId{0}, Inventory{.job_hosts = 4, .spares = 1, .layout = {}}}); }
  Conversation& at(Duration when) {
    now_ = kStart + when;
    return *this;
  }
  Words sees(const Observation& what) {
    controller_.on({now_, what}, orders_);
    for (const Order& order : orders_) {
      if (const auto* watch = std::get_if<Watch>(&order.what)) watches_.push_back(*watch);
    }
    return unanswered_.note(orders_);
  }
  /// A report of the latest watch that reads so.
  Words reports(const std::string& watch, std::uint32_t index, Edge edge = Edge::sample, double value = 0) {
    for (auto each = watches_.rbegin(); each != watches_.rend(); ++each) {
      if (in_words(*each).rfind(watch, 0) == 0) return seen(each->id, {each->who.kind, index}, edge, value);
    }
    ADD_FAILURE() << "nobody watches " << watch;
    return {};
  }
  Words falls_silent(std::uint32_t host) { return reports("heartbeats", host, Edge::began); }
  Words exits(std::uint32_t host, int code = 1) {
    return reports("exits of every host, outside", host, Edge::began, code);
  }
  Words logs_an_error(std::uint32_t host) { return reports("log lines of every host, pattern 4", host); }
  Words a_victim_exits(std::uint32_t host) {
    return reports("exits of every host, pattern 0", host, Edge::sample, kAbortedByWatchdog);
  }
  Words no_step_completes() { return reports("steps", 0, Edge::began); }
  Words fails_the_probe(std::uint32_t host) {
    return seen(kProbeReport, component(HostId{host}), Edge::sample, 1);
  }

  Words done(const std::string& order, const Result& result = {}) {
    return sees(
        Outcome{.order = unanswered_.take(order).id, .status = Status::done, .took = 1s, .result = result});
  }

 private:
  Words seen(WatchId watch, ComponentId who, Edge edge, double value) {
    return sees(Seen{.watch = watch, .who = who, .edge = edge, .sensed = now_, .value = value, .more = 0});
  }

  PolicyConstants constants_;
  Controller controller_;
  Orders orders_;
  Unanswered unanswered_;
  std::vector<Watch> watches_;
  Time now_ = kStart;
};

const std::string kStarts = "start, ranks wait 600s";

TEST(Controller, WatchesSetsTheIntervalAndStarts) {
  Conversation talk;
  EXPECT_THAT(talk.starts(), ElementsAre("watch heartbeats of every host, silent for 30s",       //
                                         "watch exits of every host, outside a band",            //
                                         "watch exits of every host, pattern 0, first 1 alone",  //
                                         "watch log lines of every host, pattern 4",             //
                                         "watch steps of the job, silent for 300s",              //
                                         "checkpoint every 900s",                                //
                                         kStarts));
}

// The cluster grants a spare host while the policies evict it: the grant and the silence cross on their ways.
TEST(Controller, OrdersAnotherHostWhereTheGrantedOneWasEvictedOnItsWay) {
  Conversation talk;
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  talk.at(1000s).exits(2);
  talk.at(1005s).done("stop");
  talk.at(1125s).fails_the_probe(2);
  EXPECT_THAT(talk.at(1125s).done("probe 0", Probed{component(HostId{2}), Verdict::faulty, 1}),
              ElementsAre("evict host 2", "acquire a host"));
  talk.at(1125s).done("evict");
  EXPECT_THAT(talk.at(1126s).falls_silent(4), ElementsAre("evict host 4"));
  EXPECT_THAT(talk.at(1126s).done("acquire", Granted{HostId{4}}), ElementsAre("acquire a host"));
  talk.at(1126s).done("evict");
  EXPECT_THAT(talk.at(2000s).sees(HostReturned{HostId{2}}), ElementsAre("readmit host 2"));
  EXPECT_THAT(talk.at(2000s).done("acquire", Granted{HostId{2}}), ElementsAre(kStarts));
}

TEST(Controller, ReplacesAHostThatCrashedAndTakesItBackRepaired) {
  Conversation talk;
  talk.starts();
  EXPECT_THAT(talk.at(60s).done("start", Loaded{0}), IsEmpty());

  // A rank of host 2 exits; its victims give up waiting in the meantime, and the log says so too.
  EXPECT_THAT(talk.at(1000s).exits(2), ElementsAre("stop for a fault"));
  EXPECT_THAT(talk.at(1001s).logs_an_error(2), IsEmpty());
  EXPECT_THAT(talk.at(1002s).a_victim_exits(0), IsEmpty());
  EXPECT_THAT(talk.at(1005s).done("stop"), ElementsAre("probe 0 on host 2"));

  EXPECT_THAT(talk.at(1125s).fails_the_probe(2), IsEmpty());
  EXPECT_THAT(talk.at(1125s).done("probe 0", Probed{component(HostId{2}), Verdict::faulty, 1}),
              ElementsAre("evict host 2", "acquire a host"));
  EXPECT_THAT(talk.at(1125s).done("evict"), IsEmpty());
  EXPECT_THAT(talk.at(1130s).done("acquire", Granted{HostId{4}}), ElementsAre(kStarts));
  talk.at(1200s).done("start", Loaded{90});
  EXPECT_THAT(talk.at(1201s).logs_an_error(2), IsEmpty());  // it is in repair

  EXPECT_THAT(talk.at(90'000s).sees(HostReturned{HostId{2}}), ElementsAre("readmit host 2"));
  // Now it stands by: when it fails there, the job goes on.
  EXPECT_THAT(talk.at(90'500s).falls_silent(2), ElementsAre("evict host 2"));
  // And host 4 carries the job.
  EXPECT_THAT(talk.at(91'000s).falls_silent(4), ElementsAre("stop for a fault"));
}

// Each has orders and watches of its own beside those of others.
TEST(Controller, TellsADetectorWhatItsOwnWatchesSeeAndItsOwnOrdersCameTo) {
  PolicyConstants with = constants();
  with.names.detect = {"hang", "mfu", "heartbeat"};
  with.detection.mfu = {.samples = 2, .decline = 0.1, .lasting = 600s, .restart = false};
  Conversation talk(with);
  talk.starts();
  EXPECT_THAT(talk.at(60s).done("start", Loaded{0}),
              ElementsAre("unwatch", "watch steps of the job, the next 2"));
  const std::string learning = "steps of the job, the next 2", watching = "steps of the job, outside";
  EXPECT_THAT(talk.at(61s).reports(learning, 0, Edge::sample, 1.0), IsEmpty());
  EXPECT_THAT(talk.at(62s).reports(learning, 0, Edge::sample, 1.0),
              ElementsAre("unwatch", "watch steps of the job, outside a band"));
  EXPECT_THAT(talk.at(100s).reports(watching, 0, Edge::began, 1.5), ElementsAre("wake me at 700s"));
  EXPECT_THAT(talk.at(200s).reports(watching, 0, Edge::ended, 1.0), ElementsAre("cancel"));
  EXPECT_THAT(talk.at(300s).reports(watching, 0, Edge::began, 1.5), ElementsAre("wake me at 900s"));
  EXPECT_THAT(talk.at(900s).done("wake me at 900s"), ElementsAre("alert a person"));
  EXPECT_THAT(talk.at(1000s).reports("steps of the job, silent", 0, Edge::began),
              ElementsAre("stop for a fault"));
}

TEST(Controller, AsksAPersonAboutAHangThatNoProbeExplains) {
  Conversation talk;
  talk.starts();
  talk.at(60s).done("start", Loaded{0});

  EXPECT_THAT(talk.at(2000s).no_step_completes(), ElementsAre("stop for a fault"));
  EXPECT_THAT(talk.at(2005s).done("stop"), ElementsAre("probe 0 on every host of the job"));
  EXPECT_THAT(talk.at(2065s).done("probe 0"), ElementsAre("probe 1 on every host of the job"));
  EXPECT_THAT(talk.at(2125s).done("probe 1"), ElementsAre(kStarts));  // one restart on the same hosts
  talk.at(2200s).done("start", Loaded{90});

  EXPECT_THAT(talk.at(2230s).a_victim_exits(1), ElementsAre("stop for a fault"));
  EXPECT_THAT(talk.at(2235s).done("stop"), ElementsAre("probe 0 on every host of the job"));
  EXPECT_THAT(talk.at(2295s).done("probe 0"), ElementsAre("probe 1 on every host of the job"));
  EXPECT_THAT(talk.at(2355s).done("probe 1"), ElementsAre("ask a person"));
  EXPECT_THAT(talk.at(9000s).done("ask", Answered{HostId{3}, true}),
              ElementsAre("evict host 3", "acquire a host"));
  EXPECT_THAT(talk.at(9000s).done("acquire", Granted{HostId{4}}), ElementsAre(kStarts));
}

TEST(Controller, SavesTheJobHoldsItAndStartsItWhenAnOperatorWantsItStopped) {
  Conversation talk;
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(5000s).sees(StopRequest{JobId{0}, 3600s}),
              ElementsAre("checkpoint now", "wake me at 6800s"));
  EXPECT_THAT(talk.at(5030s).done("checkpoint now", Saved{490}), ElementsAre("stop as planned"));
  EXPECT_THAT(talk.at(5035s).done("stop"), ElementsAre("wake me at 8600s"));
  EXPECT_THAT(talk.at(8600s).done("wake me at 8600s"), ElementsAre(kStarts));
}

TEST(Controller, TellsAPersonOnceOfWhatIsUnusual) {
  PolicyConstants alerting = constants();
  alerting.detection.lines = {{PatternId{4}, LineAction::alert}};
  Conversation talk(alerting);
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(100s).logs_an_error(2), ElementsAre("alert a person"));
  EXPECT_THAT(talk.at(110s).logs_an_error(2), IsEmpty());
  EXPECT_THAT(talk.at(120s).logs_an_error(3), ElementsAre("alert a person"));
  // After a restart it is news again.
  talk.at(200s).exits(1);
  talk.done("stop");
  talk.done("probe 0");
  talk.done("probe 1");
  talk.at(300s).done("start", Loaded{9});
  EXPECT_THAT(talk.at(310s).logs_an_error(2), ElementsAre("alert a person"));
}

TEST(Controller, SavesTheJobJustInTimeWhileItTrains) {
  PolicyConstants warned = constants();
  warned.detection.lines = {{PatternId{4}, LineAction::save}};
  Conversation talk(warned);
  talk.starts();
  EXPECT_THAT(talk.at(30s).logs_an_error(2), IsEmpty());  // it has nothing to save
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(100s).logs_an_error(2), ElementsAre("checkpoint now"));
  EXPECT_THAT(talk.at(101s).logs_an_error(3), IsEmpty());
  EXPECT_THAT(talk.at(130s).done("checkpoint now", Saved{4}), IsEmpty());
  EXPECT_THAT(talk.at(140s).logs_an_error(4), IsEmpty());  // a spare
  EXPECT_THAT(talk.at(150s).logs_an_error(2), ElementsAre("checkpoint now"));
  talk.at(151s).exits(1);
  EXPECT_THAT(talk.at(152s).logs_an_error(2), IsEmpty());  // it is down
}

TEST(Controller, RetiresAHostThatComesBackTooOften) {
  PolicyConstants retiring = constants();
  retiring.names.retire = "threshold";
  retiring.retirement = {.evictions = 2, .window = 24h};
  Conversation talk(retiring);
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  talk.at(1000s).exits(2);
  talk.done("stop");
  talk.fails_the_probe(2);
  EXPECT_THAT(talk.done("probe 0"), ElementsAre("evict host 2", "acquire a host"));
  talk.done("acquire", Granted{HostId{4}});
  talk.at(1100s).done("start", Loaded{90});
  EXPECT_THAT(talk.at(9000s).sees(HostReturned{HostId{2}}), ElementsAre("readmit host 2"));
  EXPECT_THAT(talk.at(9500s).falls_silent(2), ElementsAre("evict host 2"));  // as a spare
  EXPECT_THAT(talk.at(20000s).sees(HostReturned{HostId{2}}), ElementsAre("retire host 2"));
  EXPECT_THAT(talk.at(20001s).falls_silent(2), IsEmpty());  // it is nobody's any more
}

TEST(Controller, DoesWhatOperatorsWant) {
  const auto acted = [](OperatorAction what, std::uint32_t host = 0) {
    return OperatorActed{.job = JobId{0}, .what = what, .host = HostId{host}, .scripted = false};
  };
  PolicyConstants retiring = constants();
  retiring.names.retire = "threshold";
  retiring.retirement = {.evictions = 1, .window = 24h};
  Conversation talk(retiring);
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(100s).sees(acted(OperatorAction::evict, 4)), ElementsAre("evict host 4"));  // stands by
  EXPECT_THAT(talk.at(101s).sees(acted(OperatorAction::evict, 4)), IsEmpty());    // is out already
  EXPECT_THAT(talk.at(102s).sees(acted(OperatorAction::readmit, 4)), IsEmpty());  // when it is repaired,
  EXPECT_THAT(talk.at(103s).sees(HostReturned{HostId{4}}), ElementsAre("readmit host 4"));  // and not retired
  EXPECT_THAT(talk.at(104s).sees(acted(OperatorAction::readmit, 4)), IsEmpty());
  EXPECT_THAT(talk.at(105s).sees(acted(OperatorAction::disarm)), IsEmpty());
  EXPECT_THAT(talk.at(110s).sees(acted(OperatorAction::evict, 2)), ElementsAre("stop as planned"));
  EXPECT_THAT(talk.done("stop"), ElementsAre("evict host 2", "acquire a host"));
  talk.done("acquire", Granted{HostId{4}});
  talk.at(200s).done("start", Loaded{9});
  EXPECT_THAT(talk.at(300s).sees(acted(OperatorAction::stop)), Contains("checkpoint now"));
  EXPECT_THAT(talk.done("checkpoint now", Saved{30}), ElementsAre("stop as planned"));
}

TEST(Controller, AsksAPersonWhoNoticedByHimself) {
  Conversation talk;
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(5000s).sees(Noticed{JobId{0}}), ElementsAre("stop for a fault"));
  EXPECT_THAT(talk.at(5001s).sees(Noticed{JobId{0}}), IsEmpty());
  EXPECT_THAT(talk.at(5005s).done("stop"), ElementsAre("ask a person"));
}

/// Every NIC that goes down counts, the second time.
PolicyConstants flapping() {
  PolicyConstants policies = constants();
  policies.names.detect = {"flap"};
  policies.detection.flap = {.lines = {PatternId{4}}, .returns = 2, .least_down = 0s, .quarantine = 3600s};
  return policies;
}

TEST(Controller, KeepsAHostThatFlappedInQuarantine) {
  Conversation talk(flapping());
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(100s).logs_an_error(2), IsEmpty());
  EXPECT_THAT(talk.at(200s).logs_an_error(2), ElementsAre("checkpoint now", "wake me at 2000s"));
  talk.at(230s).done("checkpoint now", Saved{10});
  EXPECT_THAT(talk.at(235s).done("stop"), ElementsAre("evict host 2", "acquire a host"));
  EXPECT_THAT(talk.done("acquire", Granted{HostId{4}}), ElementsAre(kStarts));
  // It is repaired within minutes, and waits for the end of its hour all the same.
  EXPECT_THAT(talk.at(900s).sees(HostReturned{HostId{2}}), ElementsAre("wake me at 3800s"));
  EXPECT_THAT(talk.at(3800s).done("wake me at 3800s"), ElementsAre("readmit host 2"));
}

TEST(Controller, KeepsAHostThatSlowsTheJobWhereNoneStandsBy) {
  Conversation talk(flapping());
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  talk.at(100s).sees(Seen{.watch = WatchId{4}, .who = component(HostId{4}), .sensed = kStart + 100s});
  EXPECT_THAT(
      talk.at(101s).sees(Seen{.watch = WatchId{4}, .who = component(HostId{4}), .sensed = kStart + 101s}),
      ElementsAre("evict host 4"));  // the spare itself
  talk.at(200s).logs_an_error(2);
  EXPECT_THAT(talk.at(300s).logs_an_error(2), ElementsAre("alert a person"));
}

// Young's interval, from 20 s a checkpoint and a failure every 1,000 s to what is seen of both.
TEST(Controller, LearnsTheIntervalFromCostsAndFailures) {
  PolicyConstants learning = constants();
  learning.names.checkpoint = "young";
  learning.names.detect = {"heartbeat", "collective-timeout"};
  Conversation talk(learning);
  EXPECT_THAT(talk.starts(), ElementsAre("watch heartbeats of every host, silent for 30s",
                                         "watch log lines of every host, pattern 0, first 1 alone",
                                         "watch log lines of every host, pattern 1, first 1 alone",
                                         "checkpoint every 200s",  // sqrt(2 x 20 x 1,000)
                                         kStarts));
  EXPECT_THAT(talk.at(60s).done("start", Loaded{0}),
              ElementsAre("unwatch", "watch checkpoint costs of the job, the next 1"));
  EXPECT_THAT(
      talk.at(1000s).reports("checkpoint costs", 0, Edge::sample, 2.5),
      ElementsAre("checkpoint every 100s"));  // no failure in 1,000 s: sqrt(2 x 2.5 x (1,000 + 1,000))
  EXPECT_THAT(talk.at(3500s).falls_silent(2),
              ElementsAre("stop for a fault",
                          "checkpoint every 106s"));  // sqrt(2 x 2.5 x (1,000 + 3,500) / 2) = 106.07
  // Neither another host nor an event of the start counts as a second failure.
  EXPECT_THAT(talk.at(3501s).falls_silent(3), IsEmpty());
}

// Checkpoints every 15 min, and a line that is written up to 25 min after the numbers went wrong: two may hold them.
TEST(Controller, GoesBackBeyondTheCheckpointsThatALineMakesDoubtful) {
  PolicyConstants wary = constants();
  wary.detection.lines = {{PatternId{4}, LineAction::restart}};
  wary.detection.corruption = {.lines = {PatternId{4}}, .late = 25min};
  Conversation talk(wary);
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(9000s).reports("log lines of every host of the job, pattern 4", 2),
              ElementsAre("stop for a fault"));
  EXPECT_THAT(talk.at(9005s).done("stop"), ElementsAre(kStarts + ", 2 checkpoints back"));
}

TEST(Controller, HasNothingToSayToTheRest) {
  Conversation talk;
  talk.starts();
  talk.at(60s).done("start", Loaded{0});
  EXPECT_THAT(talk.at(70s).sees(Overflow{WatchId{2}, 5}), IsEmpty());
  EXPECT_THAT(talk.at(80s).reports("heartbeats", 2, Edge::ended), IsEmpty());
  EXPECT_THAT(talk.at(90s).sees(Finished{JobId{0}, Ending::completed}), IsEmpty());
}

// Fresh policies over the same observations give the same orders, ids included: a record can be replayed.
TEST(Controller, SaysTheSameTwice) {
  const auto orders_of_a_crash = [] {
    const PolicyConstants policies = constants();
    Controller controller(policies);
    Orders orders;
    controller.on({kStart, Started{JobId{0}, Inventory{.job_hosts = 4, .spares = 1, .layout = {}}}}, orders);
    controller.on({kStart + 60s, Outcome{.order = orders[orders.size() - 1].id, .result = {}}}, orders);
    controller.on({kStart + 90s, Seen{.watch = WatchId{3},
                                      .who = component(HostId{1}),
                                      .edge = Edge::began,
                                      .sensed = kStart + 90s,
                                      .value = 0,
                                      .more = 0}},
                  orders);
    std::vector<std::pair<std::uint64_t, std::string>> all;
    for (const Order& order : orders) all.emplace_back(order.id.value, in_words(order.what));
    return all;
  };
  const auto once = orders_of_a_crash();
  EXPECT_EQ(once, orders_of_a_crash());
  EXPECT_EQ(once.back().second, "stop for a fault");
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].first, i + 1);  // counted from 1
}

}  // namespace
}  // namespace gauntlet
