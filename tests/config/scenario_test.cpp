// What a scenario's text becomes.
#include "config/scenario.hpp"

#include "config/checks/expectations.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Loads or fails with the problems.
Scenario loaded(const std::string& text, const std::vector<std::string>& sets = {}) {
  const LoadedScenario result = load_text(text, sets);
  EXPECT_EQ(problems_of(result), "");
  return result.scenario.value_or(Scenario{});
}

FaultKind fault(const std::string& lines) {
  const std::string component = lines.starts_with("component") ? "" : "component = \"host\"\n";
  return loaded(kSmall + "[faults.f]\neffect = \"crash\"\nremedy = \"restart\"\n" + component + lines)
      .world.faults.at(0);
}

TEST(Scenario, FillsTheWorld) {
  const Scenario scenario = loaded(kSmall + "[spares]\ncount = 1\n[study]\nreplicas = 7\nseed = 9\n");
  const World& world = scenario.world;
  EXPECT_EQ(world.name, "test");  // of test.toml
  EXPECT_EQ(world.inventory, (Inventory{.job_hosts = 2,
                                        .spares = 1,
                                        .gpus_per_host = 8,
                                        .hosts_per_tor = 1,
                                        .layout = {.tp = 4, .pp = 1, .dp = 4, .virtual_stages = 1}}));
  EXPECT_EQ(world.job.layout, world.inventory.layout);
  EXPECT_EQ(world.hardware.name, "H100");
  EXPECT_EQ(world.hardware.nvlink, Bandwidth{900e9});
  EXPECT_EQ(world.job.model.layers, 24U);
  EXPECT_EQ(world.job.window, 240h);
  EXPECT_EQ(world.job.give_up_after, 720h);
  EXPECT_TRUE(world.storage.free);
  EXPECT_THAT(world.patterns, ElementsAre("collective_timeout", "peer_lost"));
  EXPECT_EQ(scenario.study.replicas, 7U);
  EXPECT_EQ(scenario.study.seed, 9U);
}

TEST(Scenario, PoliciesAreThoseOfTheRegistryByDefault) {
  const PolicyConstants policies = loaded(kSmall).policies;
  // All but learned-hang and change-point, which are alternatives to others.
  EXPECT_THAT(policies.names.detect,
              ElementsAre("heartbeat", "exit", "log", "hang", "collective-timeout", "traffic-stopped",
                          "traffic-period", "fail-slow", "mfu", "loss", "flap"));
  EXPECT_EQ(policies.names.diagnose, "suite");
  EXPECT_EQ(policies.names.checkpoint, "fixed");
  EXPECT_EQ(policies.names.recover, "replace");
  EXPECT_THAT(policies.detection.lines, ElementsAre());  // no fault logs a line
}

TEST(Scenario, ACountOverHostsIsARateOfEachComponent) {
  // 148 failures in 54 d on 2,048 hosts: one host fails every 54 x 24 h x 2,048 / 148 = 17,934.27 h, and each of its
  // eight GPUs every 143,474.16 h.
  const std::string rate = "rate = { count = 148, over = \"54d x 2048 hosts\" }\n";
  EXPECT_DOUBLE_EQ(fault("component = \"host\"\n" + rate).life.mean(), 54.0 * 86'400 * 2'048 / 148);
  EXPECT_DOUBLE_EQ(fault("component = \"gpu\"\n" + rate).life.mean(), 54.0 * 86'400 * 2'048 * 8 / 148);
  // The same count over 16,384 GPUs is the same rate.
  const std::string gpus = "rate = { count = 148, over = \"54d x 16384 gpus\" }\n";
  EXPECT_DOUBLE_EQ(fault("component = \"host\"\n" + gpus).life.mean(), 54.0 * 86'400 * 2'048 / 148);
  EXPECT_DOUBLE_EQ(fault("component = \"nic\"\n" + gpus).life.mean(), 54.0 * 86'400 * 2'048 * 8 / 148);
}

TEST(Scenario, ACountOverNicsIsNoCountOverGpus) {
  const auto days = [](const std::string& component, const std::string& over) {
    const LoadedScenario loaded =
        load_text(with(kSmall, "hardware = \"h100\"", kTwoNics) +
                  "[faults.f]\neffect = \"crash\"\nremedy = " + "\"restart\"\ncomponent = \"" + component +
                  "\"\nrate = { count = 1, over = \"1d x " + over + "\" }\n");
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.scenario ? loaded.scenario->world.faults.at(0).life.mean() / 86'400 : 0;
  };
  // Four hosts have 8 NICs and 32 GPUs.
  EXPECT_DOUBLE_EQ(days("nic", "4 hosts"), 8);
  EXPECT_DOUBLE_EQ(days("gpu", "4 hosts"), 32);
  EXPECT_DOUBLE_EQ(days("nic", "32 gpus"), 8);
  EXPECT_DOUBLE_EQ(days("gpu", "8 nics"), 32);
  EXPECT_DOUBLE_EQ(days("host", "8 nics"), 4);
}

TEST(Scenario, AMeanBeyondTheRangeOfADuration) {
  EXPECT_DOUBLE_EQ(fault("mtbf = \"1000y\"\n").life.mean(), 1000.0 * 365 * 86'400);
}

TEST(Scenario, ARateGivesALawItsMean) {
  const Law weibull = fault("mtbf = \"10h\"\nlaw = { name = \"weibull\", shape = 0.7 }\n").life;
  EXPECT_EQ(weibull, Law::weibull_with_mean(36'000, 0.7));
  EXPECT_EQ(fault("mtbf = \"10h\"\n").life, Law::exponential(36'000));
  EXPECT_EQ(fault("mtbf = \"10h\"\nlaw = \"constant\"\n").life, Law::constant(36'000));
  // Weights 3 : 1 of 1 h and 5 h have a mean of 2 h; stretched to 10 h they are 5 h and 25 h.
  const Law mixed = fault(
                        "mtbf = \"10h\"\nlaw = { name = \"hyperexponential\", weights = [3, 1], means = "
                        "[\"1h\", \"5h\"] }\n")
                        .life;
  EXPECT_NEAR(mixed.mean(), 36'000, 1e-6);
  EXPECT_NEAR(mixed.variance(), 2 * (0.75 * 18'000.0 * 18'000 + 0.25 * 90'000.0 * 90'000) - 36'000.0 * 36'000,
              1);
}

TEST(Scenario, ALawMayHaveAMeanOfItsOwn) {
  EXPECT_EQ(fault("law = { name = \"weibull\", scale = \"10h\", shape = 1.5 }\n").life,
            Law::weibull(36'000, 1.5));
  EXPECT_EQ(fault("law = { name = \"empirical\", values = [\"1h\", \"3h\"] }\n").life,
            Law::empirical({3'600, 10'800}));
}

TEST(Scenario, DurationsMayFollowALaw) {
  const World world = loaded(kSmall +
                             "[repair]\ntime = { name = \"lognormal\", median = \"1h\", sigma = 1.2 }\n"
                             "[people]\nresponse = \"30min\"\n")
                          .world;
  EXPECT_EQ(world.repair.time, Law::lognormal(3'600, 1.2));
  EXPECT_EQ(world.people.response, Law::constant(1'800));
}

TEST(Scenario, EveryFieldOfAFault) {
  const Scenario scenario = loaded(kSmall + R"(
[repair]
time = "1h"
[faults.b]
component = "host"
effect = "crash"
mtbf = "9d"
[faults.a]
component = "nic"
mtbf = "9d"
age = "new"
clock = "training"
effect = "degrade"
factor = 2
heals_after = "3min"
remedy = "restart"
heartbeat_lost = true
log = "xid"
log_probability = 0.5
log_delay = "2s"
source = "here"
[probes.p]
time = "1min"
false_positive = 1e-3
detects = { b = 0.75 }
[diagnosis]
suite = ["p"]
[detection]
lines = { xid = "restart" }
)");
  const World& world = scenario.world;
  ASSERT_EQ(world.faults.size(), 2U);
  const FaultKind& a = world.faults[0];  // by name, whatever the order of the file
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.component, ComponentKind::nic);
  EXPECT_FALSE(a.stationary_ages);
  EXPECT_EQ(a.clock, FaultClock::training);
  EXPECT_EQ(a.effect, Effect::degrade);
  EXPECT_EQ(a.factor, 2);
  EXPECT_EQ(a.heals_after, Law::constant(180));
  EXPECT_EQ(a.remedy, Remedy::restart);
  EXPECT_TRUE(a.symptoms.heartbeat_lost);
  EXPECT_EQ(a.symptoms.log, PatternId{2});
  EXPECT_EQ(a.symptoms.log_probability, Probability{0.5});
  EXPECT_EQ(a.symptoms.log_delay, Law::constant(2));
  EXPECT_EQ(a.source, "here");
  EXPECT_EQ(world.faults[1].name, "b");
  EXPECT_TRUE(world.faults[1].stationary_ages);
  EXPECT_FALSE(world.faults[1].symptoms.log);
  EXPECT_THAT(world.patterns, ElementsAre("collective_timeout", "peer_lost", "xid"));
  EXPECT_THAT(world.probes.at(0).detects, ElementsAre(Probability{0}, Probability{0.75}));
  EXPECT_EQ(world.probes[0].false_positive, Probability{1e-3});
  EXPECT_THAT(scenario.policies.diagnosis.suite, ElementsAre(ProbeId{0}));
  EXPECT_THAT(scenario.policies.detection.lines, ElementsAre(LineRule{PatternId{2}, LineAction::restart}));
}

TEST(Scenario, ATraceIsInTheOrderOfItsOnsets) {
  const FaultKind kind = fault("trace = [{ at = \"2h\", component = 1 }, { at = \"1h\", component = 0 }]\n");
  EXPECT_THAT(kind.trace, ElementsAre(std::pair(kStart + 1h, 0U), std::pair(kStart + 2h, 1U)));
}

TEST(Scenario, PlannedStopsSpreadEvenlyOverTheWindow) {
  // Stop i of 4 in 10 d at (i + 1/2)/4 x 240 h: 30, 90, 150, 210 h.
  const auto stops = loaded(kSmall + "[job.planned]\ncount = 4\nhold = \"5min\"\n").world.job.planned_stops;
  ASSERT_EQ(stops.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stops[i].at, kStart + 30h + 60h * static_cast<int>(i));
    EXPECT_EQ(stops[i].hold, 5min);
  }
}

TEST(Scenario, PlannedStopsMayBeListed) {
  const auto stops =
      loaded(kSmall + "[job.planned]\ntimes = [\"3d\", \"1d\"]\nhold = \"1h\"\n").world.job.planned_stops;
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_EQ(stops[0].at, kStart + 24h);
  EXPECT_EQ(stops[1].at, kStart + 72h);
}

TEST(Scenario, OperatorsActInTheOrderOfTheirTimes) {
  const World world = loaded(kSmall +
                             "[operators.b]\nat = \"1h\"\naction = \"stop\"\n"
                             "[operators.a]\nat = \"2h\"\naction = \"evict\"\nhost = 1\nreason = \"old\"\n"
                             "[operators.c]\nat = \"30min\"\naction = \"maintenance\"\nhost = 0\n")
                          .world;
  ASSERT_EQ(world.operators.size(), 3U);
  EXPECT_EQ(world.operators[0].what, OperatorAction::maintenance);
  EXPECT_EQ(world.operators[1].at, kStart + 1h);
  EXPECT_EQ(world.operators[2].host, HostId{1});
  EXPECT_EQ(world.operators[2].reason, "old");
}

TEST(Scenario, PriorsAreWhatTheScenarioImplies) {
  // Two hosts that crash every 10 d each and hang every 20 d each: 2/10 + 2/20 = 0.3 a day. Slow hosts do not stop a job.
  const std::string text =
      kSmall +
      "[repair]\ntime = \"1h\"\n[faults.a]\ncomponent = \"host\"\nmtbf = \"10d\"\neffect = \"crash\"\n"
      "[faults.b]\ncomponent = \"host\"\nmtbf = \"20d\"\neffect = \"hang\"\n"
      "[faults.c]\ncomponent = \"host\"\nmtbf = \"1d\"\neffect = \"slow\"\nfactor = 2\n";
  const Scenario scenario =
      loaded(with(text, "free = true", "stall = \"3s\"\npersist = \"9s\"\nload = \"9s\""));
  EXPECT_NEAR(to_seconds(scenario.policies.checkpoint.prior_mtbf), 86'400 / 0.3, 1e-6);
  EXPECT_EQ(scenario.policies.checkpoint.prior_cost, 3s);
  EXPECT_EQ(loaded(kSmall).policies.checkpoint.prior_mtbf, kForever);
}

TEST(Scenario, TheStacksConstantsHoldUnlessTheScenarioHasOthers) {
  const auto stack = loaded(kSmall + "[job.calibration]\nstack = \"megascale\"\ndata_exposed = 0.25\n")
                         .world.job.calibration;
  EXPECT_EQ(stack.gemm_efficiency, find_calibration("megascale")->gemm_efficiency);
  EXPECT_EQ(stack.data_exposed, 0.25);
  EXPECT_EQ(stack.source, find_calibration("megascale")->source);
}

// --- --set

TEST(Sets, LieOverTheFile) {
  const Scenario scenario =
      loaded(kSmall, {"checkpoint.interval=5min", "policies.detect=[\"hang\"]", "name=a b", "spares.count=3",
                      "repair.time={name=\"exponential\", mean=\"1h\"}", "spares.count=4"});
  EXPECT_EQ(scenario.policies.checkpoint.interval, 5min);
  EXPECT_THAT(scenario.policies.names.detect, ElementsAre("hang"));
  EXPECT_EQ(scenario.world.name, "a b");
  EXPECT_EQ(scenario.world.inventory.spares, 4U);
  EXPECT_EQ(scenario.world.repair.time, Law::exponential(3'600));
}

TEST(Sets, ChooseFromTheCatalogueAndChangeItsEntries) {
  EXPECT_EQ(loaded(kSmall, {"cluster.hardware=h800"}).world.hardware.nvlink, Bandwidth{400e9});
  const World changed = loaded(kSmall, {"cluster.hardware.nvlink=100GB/s"}).world;
  EXPECT_EQ(changed.hardware.nvlink, Bandwidth{100e9});
  EXPECT_EQ(changed.hardware.name, "H100");
}

TEST(Sets, SayARateInAnotherWay) {
  const std::string text =
      kSmall + "[faults.f]\n" + kCrash + "rate = { count = 1, over = \"1d x 1 hosts\" }\n";
  EXPECT_DOUBLE_EQ(loaded(text, {"faults.f.mtbf=2h"}).world.faults[0].life.mean(), 7'200);
  EXPECT_DOUBLE_EQ(loaded(text, {"faults.f.rate.count=2"}).world.faults[0].life.mean(), 43'200);
}

TEST(Sets, ATextThatLooksLikeTwoValuesIsOne) {
  EXPECT_EQ(loaded(kSmall, {"name=1\nseed=3"}).world.name, "1\nseed=3");
}

TEST(Sets, AnotherLawReplacesALawWhole) {
  const std::string text =
      kSmall + "[repair]\ntime = { name = \"lognormal\", median = \"8h\", sigma = 1.25 }\n[faults.f]\n" +
      kCrash + "mtbf = \"9d\"\nlaw = { name = \"weibull\", shape = 0.7 }\n";
  const auto repair = [&](const std::vector<std::string>& sets) {
    return loaded(text, sets).world.repair.time;
  };
  EXPECT_EQ(repair({"repair.time={name=\"exponential\", mean=\"6h\"}"}), Law::exponential(6 * 3'600));
  EXPECT_EQ(repair({"repair.time.name=exponential", "repair.time.mean=6h"}), Law::exponential(6 * 3'600));
  EXPECT_EQ(loaded(text, {"faults.f.law={name=\"gamma\", shape=2}"}).world.faults[0].life,
            Law::gamma(9 * 86'400, 2));
  EXPECT_EQ(loaded(text, {"faults.f.law=exponential"}).world.faults[0].life, Law::exponential(9 * 86'400));
}

TEST(Sets, AParameterAloneChangesTheLawThatIsThere) {
  const std::string text =
      kSmall + "[repair]\ntime = { name = \"lognormal\", median = \"8h\", sigma = 1.25 }\n";
  const auto repair = [&](const std::vector<std::string>& sets) {
    return loaded(text, sets).world.repair.time;
  };
  EXPECT_EQ(repair({"repair.time.median=2h"}), Law::lognormal(7'200, 1.25));
  EXPECT_EQ(repair({"repair.time.mean=2h"}),
            Law::lognormal_with_mean(7'200, 1.25));  // the other way to say it
  EXPECT_EQ(repair({"repair.time.mean=2h", "repair.time.median=3h"}), Law::lognormal(10'800, 1.25));
}

TEST(Sets, AFaultMayNeverStrike) {
  const std::string text =
      kSmall + "[faults.f]\n" + kCrash +
      "rate = { count = 1, over = \"1d x 1 hosts\" }\nlaw = { name = \"weibull\", shape = 0.7 }\n"
      "[faults.g]\n" +
      kCrash + "trace = [{ at = \"1h\", component = 0 }]\n";
  const Scenario scenario = loaded(text, {"faults.f.mtbf=never", "faults.g.mtbf=never"});
  EXPECT_EQ(scenario.policies.checkpoint.prior_mtbf, kForever);
  for (const FaultKind& kind : scenario.world.faults) {
    EXPECT_TRUE(kind.trace.empty()) << kind.name;
    EXPECT_EQ(kind.life.survival(1e200), 1) << kind.name;
  }
}

// --- extends

TEST(Extends, AnotherLawReplacesALawWhole) {
  const Folder folder;
  folder.write("base.toml", kSmall +
                                "[people]\nresponse = { name = \"gamma\", mean = \"1h\", shape = 2 }\n"
                                "[repair]\ntime = { name = \"gamma\", mean = \"1h\", shape = 2 }\n");
  const std::string child =
      folder.write("child.toml",
                   "extends = \"base.toml\"\n[people.response]\nname = \"constant\"\nvalue = \"5h\"\n"
                   "[repair]\ntime.mean = \"2h\"\n");
  const LoadedScenario result = load_scenario(child, {});
  ASSERT_EQ(problems_of(result), "");
  EXPECT_EQ(result.scenario->world.people.response, Law::constant(18'000));
  EXPECT_EQ(result.scenario->world.repair.time, Law::gamma(7'200, 2));
}

TEST(Extends, TheFileLiesOverWhatItExtendsAndLaterFilesOverEarlierOnes) {
  const Folder folder;
  folder.write("base.toml",
               kSmall + "[spares]\ncount = 1\n[repair]\ntime = \"1h\"\n[people]\nresponse = \"1h\"\n");
  folder.write("deeper/second.toml", "[repair]\ntime = \"2h\"\n[people]\nresponse = \"2h\"\n");
  const std::string child =
      folder.write("child.toml",
                   "extends = [\"base.toml\", \"deeper/second.toml\"]\n[people]\nresponse = "
                   "\"3h\"\n[job]\nwindow = \"20d\"\n");
  const LoadedScenario result = load_scenario(child, {});
  ASSERT_EQ(problems_of(result), "");
  const World& world = result.scenario->world;
  EXPECT_EQ(world.name, "child");
  EXPECT_EQ(world.inventory.spares, 1U);
  EXPECT_EQ(world.repair.time, Law::constant(7'200));
  EXPECT_EQ(world.people.response, Law::constant(10'800));
  EXPECT_EQ(world.job.window, 480h);
  EXPECT_EQ(world.job.global_batch, 16U);
}

TEST(Extends, ListsReplaceAndTheSameFileTwiceIsNoCircle) {
  const Folder folder;
  folder.write("base.toml", kSmall + "[policies]\ndetect = [\"log\", \"hang\"]\n");
  folder.write("a.toml", "extends = \"base.toml\"\n");
  folder.write("b.toml", "extends = \"base.toml\"\n");
  const std::string child = folder.write(
      "child.toml", "extends = [\"a.toml\", \"b.toml\"]\n[policies]\ndetect = [\"heartbeat\"]\n");
  const LoadedScenario result = load_scenario(child, {});
  ASSERT_EQ(problems_of(result), "");
  EXPECT_THAT(result.scenario->policies.names.detect, ElementsAre("heartbeat"));
}

TEST(Extends, ShippedScenariosByName) {
  const Scenario scenario = loaded("extends = \"tiny-8\"\n[spares]\ncount = 2\n");
  EXPECT_EQ(scenario.world.inventory.job_hosts, 8U);
  EXPECT_EQ(scenario.world.inventory.spares, 2U);
}

TEST(Extends, AMeanAndARateOfDifferentFiles) {
  const Folder folder;
  folder.write("base.toml", kSmall + "[faults.f]\n" + kCrash + "mtbf = \"1h\"\n");
  const std::string child = folder.write(
      "child.toml", "extends = \"base.toml\"\n[faults.f]\nrate = { count = 2, over = \"1d x 1 hosts\" }\n");
  const LoadedScenario result = load_scenario(child, {});
  ASSERT_EQ(problems_of(result), "");
  EXPECT_DOUBLE_EQ(result.scenario->world.faults[0].life.mean(), 43'200);
}

// --- the catalogue

TEST(Catalogue, AFolderBesideTheScenarioComesFirst) {
  const Folder folder;
  folder.write(
      "catalog/hardware/mine.toml",
      "name = \"Mine\"\npeak = \"1TFLOP/s\"\nmemory = \"16GB\"\nmemory_bandwidth = \"1GB/s\"\nnvlink "
      "= \"1GB/s\"\n"
      "nic = \"1GB/s\"\npcie = \"1GB/s\"\n");
  const std::string path = folder.write("deep/down/own.toml", with(kSmall, "h100", "mine"));
  const LoadedScenario result = load_scenario(path, {});
  ASSERT_EQ(problems_of(result), "");
  EXPECT_EQ(result.scenario->world.hardware.name, "Mine");
  EXPECT_EQ(result.scenario->world.job.model.name, "tiny-1b");  // still from the shipped one
}

TEST(Catalogue, AnEntryReplacesAnotherWhole) {
  const Folder folder;
  folder.write("base.toml", kSmall);
  const std::string child =
      folder.write("child.toml", "extends = \"base.toml\"\n[cluster]\nhardware = \"h200\"\n");
  const LoadedScenario result = load_scenario(child, {});
  ASSERT_EQ(problems_of(result), "");
  EXPECT_EQ(result.scenario->world.hardware.memory, Bytes{141e9});
}

}  // namespace
}  // namespace gauntlet
