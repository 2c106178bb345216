// Which levers a scenario has, and the settings that move them.
#include "study/levers/levers.hpp"

#include "config/key_list.hpp"
#include "study/levers/stretched.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<Lever> levers_in(const std::string& scenario, std::vector<std::string> sets = {}) {
  const PointSource source(scenario, std::move(sets), 1);
  const LoadedPoint loaded = source.point();
  if (!loaded.point) {
    ADD_FAILURE() << loaded.problems.at(0).text();
    return {};
  }
  return levers_of(loaded.point->scenario, source.resolved());
}

/// "4min to 8min: checkpoint.interval=8min" for each lever of a path.
std::vector<std::string> moves(const std::vector<Lever>& levers, const std::string& path) {
  std::vector<std::string> found;
  for (const Lever& lever : levers) {
    if (lever.path != path) continue;
    std::string text = lever.change + ":";
    for (const Setting& setting : lever.settings) text += " " + setting.path + "=" + setting.value;
    found.push_back(text);
  }
  return found;
}

std::vector<std::string> paths(const std::vector<Lever>& levers) {
  std::vector<std::string> all;
  for (const Lever& lever : levers) all.push_back(lever.path);
  return all;
}

TEST(Levers, HalveWhateverSaysHowLongAThingTakes) {
  const std::vector<Lever> levers = levers_in("tiny-8", {"policies.checkpoint=fixed"});
  EXPECT_THAT(moves(levers, "job.start.process_start"),
              ElementsAre("15s to 7.5s: job.start.process_start=7.5s"));
  EXPECT_THAT(moves(levers, "job.start.scheduling"),
              ElementsAre("median 20s to 10s: job.start.scheduling.median=10s"));
  EXPECT_THAT(moves(levers, "repair.time"), ElementsAre("mean 6h to 3h: repair.time.mean=3h"));
  EXPECT_THAT(moves(levers, "people.response"), ElementsAre("20min to 10min: people.response=10min"));
  EXPECT_THAT(moves(levers, "probes.gpu_check.time"), ElementsAre("60s to 30s: probes.gpu_check.time=30s"));
  EXPECT_THAT(moves(levers, "detection.hang_timeout"),
              ElementsAre("3min to 1min30s: detection.hang_timeout=1min30s"));
  EXPECT_THAT(moves(levers, "telemetry.gap_mtbf"), ElementsAre("60d to 120d: telemetry.gap_mtbf=120d"));
  EXPECT_THAT(moves(levers, "storage.write"), ElementsAre("10GB/s to 20GB/s: storage.write=20GB/s"));
}

TEST(Levers, MoveAnIntervalBetweenCheckpointsEitherWay) {
  EXPECT_THAT(
      moves(levers_in("tiny-8"), "checkpoint.interval"),
      ElementsAre("10min to 5min: checkpoint.interval=5min", "10min to 20min: checkpoint.interval=20min"));
}

TEST(Levers, AddOneOfWhatIsCounted) {
  const std::vector<Lever> few = levers_in("tiny-8"), more = levers_in("tiny-8", {"repair.crew=2"});
  EXPECT_THAT(moves(few, "spares.count"), ElementsAre("1 to 2: spares.count=2"));
  EXPECT_THAT(moves(levers_in("tiny-8", {"spares.count=0"}), "spares.count"),
              ElementsAre("0 to 1: spares.count=1"));
  EXPECT_THAT(moves(few, "repair.crew"), IsEmpty());  // a technician is always free
  EXPECT_THAT(moves(more, "repair.crew"), ElementsAre("2 to 3: repair.crew=3"));
}

TEST(Levers, MakeAStepOneHundredthQuicker) {
  EXPECT_THAT(moves(levers_in("one-fault"), "job.step_time"), ElementsAre("1% quicker: job.step_time=1.98s"));
}

TEST(Levers, HalveAFaultInWhateverWayItsRateIsSaid) {
  const std::string mine = "{ component=\"host\", effect=\"crash\", remedy=\"restart\", ";
  const auto moves_of = [&](const std::string& how_often) {
    return moves(levers_in("one-fault", {"faults.mine=" + mine + how_often + " }"}), "faults.mine");
  };
  const std::string half = "half as often: faults.mine.rate_factor=0.5";
  EXPECT_THAT(moves_of("mtbf=\"8d\""), ElementsAre(half));
  EXPECT_THAT(moves_of("rate={ count=3, over=\"30d x 8 hosts\" }"), ElementsAre(half));
  EXPECT_THAT(moves_of("law={ name=\"weibull\", scale=\"9d\", shape=0.7 }"), ElementsAre(half));
  EXPECT_THAT(moves_of("mtbf=\"8d\", rate_factor=0.25"),
              ElementsAre("half as often: faults.mine.rate_factor=0.125"));
  EXPECT_THAT(moves_of("mtbf=\"8d\", prevalence=0.25"), ElementsAre(half + " faults.mine.prevalence=0.125"));
  EXPECT_THAT(moves_of("prevalence=0.25"), ElementsAre("half as often: faults.mine.prevalence=0.125"));
  EXPECT_THAT(moves_of("clock=\"start\", chance=0.5"), ElementsAre("half as often: faults.mine.chance=0.25"));
  EXPECT_THAT(moves_of("mtbf=\"never\""), ElementsAre("half as often:"));
  EXPECT_THAT(
      moves_of("trace=[{ at=\"1h\", component=1 }, { at=\"2h\", component=2 }, { at=\"3h\", component=3 }]"),
      ElementsAre("3 to 1 onsets: faults.mine.trace=[{ at = \"2h\", component = 2 }]"));
}

TEST(Levers, HalveWhatLeadsToAFaultThatOnlyFollows) {
  const std::vector<Lever> levers =
      levers_in("one-fault", {"faults.burst={ component=\"host\", effect=\"crash\", remedy=\"restart\" }",
                              "faults.crash.followed_by={ fault=\"burst\", probability=0.5, after=\"1h\" }"});
  EXPECT_THAT(moves(levers, "faults.burst"),
              ElementsAre("half as often: faults.crash.followed_by.probability=0.25"));
}

TEST(Levers, LeaveOutTheConstantsOfDetectorsThatAreNotInUse) {
  const std::string slow = "detection.fail_slow.continuity", mfu = "detection.mfu.lasting";
  const auto with = [](const std::string& detectors) {
    return paths(levers_in("tiny-8", {"policies.detect=[" + detectors + "]"}));
  };
  EXPECT_THAT(with("\"exit\""), Not(Contains(slow)));
  EXPECT_THAT(with("\"exit\", \"fail-slow\""), Contains(slow));
  EXPECT_THAT(with("\"exit\", \"change-point\""), Contains(slow));
  EXPECT_THAT(with("\"exit\", \"fail-slow\""), Not(Contains(mfu)));
  EXPECT_THAT(with("\"exit\", \"mfu\""), Contains(mfu));
}

TEST(Levers, LeaveOutProbesThatDoNotRun) {
  const std::vector<std::string> few = paths(levers_in("tiny-8", {"diagnosis.suite=[\"host_check\"]"}));
  EXPECT_THAT(few, Contains("probes.host_check.time"));
  EXPECT_THAT(few, Not(Contains("probes.gpu_check.time")));
}

TEST(Levers, OfEveryShippedScenarioHaveAFaultEachAndNoMoveTwice) {
  for (const char* scenario :
       {"tiny-8", "llama3-405b-54d", "every-fault", "rsc1", "opt-175b", "slow-hosts"}) {
    const PointSource source(scenario, {}, 1);
    const LoadedPoint base = source.point();
    ASSERT_TRUE(base.point) << scenario;
    const std::vector<Lever> levers = levers_of(base.point->scenario, source.resolved());
    for (const FaultKind& fault : base.point->scenario.world.faults)
      EXPECT_THAT(paths(levers), Contains("faults." + fault.name)) << scenario;
    std::set<std::string> texts;
    for (const Lever& lever : levers) {
      EXPECT_FALSE(lever.change.empty()) << lever.path;
      if (!lever.settings.empty()) {
        EXPECT_TRUE(texts.insert(settings_text(lever.settings)).second) << lever.path;
      }
    }
  }
}

/// Every key of the schema, and the tables that hold them, with NAME for a name of the user's.
std::set<std::string> keys_of_the_schema() {
  std::set<std::string> keys;
  for (const ScenarioKey& key : scenario_keys())
    for (std::string path = key.path; keys.insert(path).second && path.find('.') != std::string::npos;)
      path.resize(path.rfind('.'));
  return keys;
}

/// A key with NAME in place of the name of a fault or a probe.
std::string in_schema(std::string key) {
  for (const std::string_view named : {"faults.", "probes."})
    if (key.starts_with(named))
      key.replace(named.size(), std::min(key.find('.', named.size()), key.size()) - named.size(), "NAME");
  return key;
}

TEST(Levers, AndWhatTheirSearchKnowsByNameAreKeysOfTheSchema) {
  const std::set<std::string> keys = keys_of_the_schema();
  for (const std::string_view known : keys_that_levers_know())
    EXPECT_TRUE(keys.contains(std::string(known))) << known;
  for (const char* scenario : {"tiny-8", "llama3-405b-54d", "every-fault", "rsc1", "slow-hosts"})
    for (const Lever& lever : levers_in(scenario, {"repair.crew=2"})) {
      EXPECT_TRUE(keys.contains(in_schema(lever.path))) << lever.path << " of " << scenario;
      for (const Setting& setting : lever.settings) {
        const std::string key = in_schema(setting.path);  // or a parameter of a distribution
        EXPECT_TRUE(keys.contains(key) || keys.contains(key.substr(0, key.rfind('.')))) << setting.path;
      }
    }
}

TEST(Levers, AreChosenByTheirPathOrAPartOfIt) {
  const std::vector<Lever> all = levers_in("tiny-8");
  const ChosenLevers start = chosen_levers(all, {"job.start", "spares.count"}, "--lever");
  EXPECT_THAT(start.problems, IsEmpty());
  EXPECT_THAT(paths(start.levers),
              ElementsAre("spares.count", "job.start.communicator_init", "job.start.process_start",
                          "job.start.scheduling", "job.start.warm_up"));
  EXPECT_EQ(chosen_levers(all, {}, "--lever").levers.size(), all.size());
  const ChosenLevers none = chosen_levers(all, {"job.sta", "spares.conut"}, "--lever");
  ASSERT_EQ(none.problems.size(), 2U);
  EXPECT_THAT(none.levers, IsEmpty());
  EXPECT_THAT(none.problems[1].text(),
              HasSubstr("--lever: \"spares.conut\" is not a lever of this scenario"));
  EXPECT_THAT(none.problems[1].text(), HasSubstr("did you mean \"spares.count\"?"));
}

TEST(Stretched, TakesTheParametersOfADistributionThatAreDurations) {
  const PointSource source(
      "one-fault",
      {"people.response={ name=\"uniform\", low=\"1min\", high=\"5min\" }",
       "people.notice={ name=\"hyperexponential\", weights=[0.5, 0.5], means=[\"1h\", \"3h\"] }",
       "repair.time={ name=\"weibull\", mean=\"8h\", shape=0.7 }", "job.stop_time=1ns"},
      1);
  const auto text = [&](const std::string& path, double factor) {
    const Stretched of = stretched(source.resolved(), path, factor);
    return of.change + " | " + settings_text(of.settings);
  };
  EXPECT_EQ(text("people.response", 0.5),
            "half as long | people.response.low = 30s, people.response.high = 2min30s");
  EXPECT_EQ(text("people.notice", 2), "twice as long | people.notice.means = [\"2h\", \"6h\"]");
  EXPECT_EQ(text("repair.time", 0.9), "mean 8h to 7h12min | repair.time.mean = 7h12min");
  EXPECT_EQ(text("job.stop_time", 0.4), " | ");  // it would be zero
  EXPECT_EQ(text("job.name", 0.5), " | ");
  EXPECT_EQ(text("no.such", 0.5), " | ");
}

}  // namespace
}  // namespace gauntlet
