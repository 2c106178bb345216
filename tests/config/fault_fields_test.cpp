// What a scenario may say of a fault: all of its fields, the fault models' defaults, and every way to get it wrong.
#include "tests/config/every_model.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// kSmall with a repair shop and these lines; they start on line 21.
std::string with_faults(const std::string& lines) { return kSmall + "[repair]\ntime = \"1h\"\n" + lines; }

World world_with(const std::string& lines) {
  const LoadedScenario loaded = load_text(with_faults(lines));
  EXPECT_EQ(problems_of(loaded), "");
  return loaded.scenario ? loaded.scenario->world : World{};
}

std::string problems_in(const std::string& lines) { return problems_of(load_text(with_faults(lines))); }

/// The problems of one fault `f` with these lines, its table on line 21: without what every message begins with.
std::string wrong_in(const std::string& lines) {
  std::string problems = problems_in("[faults.f]\n" + lines);
  for (std::size_t at = 0; (at = problems.find("faults.f.", at)) != std::string::npos;) problems.erase(at, 9);
  return problems;
}

const std::string kHost = "component = \"host\"\neffect = \"crash\"\n";
const std::string kDays = "mtbf = \"9d\"\n";

// --- all fields

TEST(FaultFields, FillTheFaultKind) {
  const World world = world_with(R"(
[faults.a]
component = "gpu"
rate = { count = 2, over = "10d x 16 gpus" }
rate_factor = 4.0
lemons = { share = 0.15, factor = 5.0 }
batches = [{ first = 0, last = 3, factor = 2.0 }, { first = 8, last = 99, factor = 0.5 }]
daily = { amplitude = 0.5, peak = "15h" }
curve = [{ at = "0d", factor = 4.0 }, { at = "7d", factor = 1.0 }]
prevalence = 0.005
effect = "slow"
factor = 1.5
grows_every = "1d"
segment = "backward"
log = "line"
severity = "warning"
loss = 12.0
followed_by = { fault = "b", probability = 0.3, after = { name = "exponential", mean = "2h" } }
[faults.b]
component = "gpu"
effect = "crash"
exit_code = 3
[faults.c]
component = "job"
effect = "crash"
mtbf = "9d"
same_step = true
remedy = "person"
[faults.d]
component = "job"
effect = "planned"
mtbf = "9d"
heals_after = "10min"
remedy = "restart"
[faults.e]
component = "host"
clock = "start"
chance = 1e-5
effect = "hang"
[faults.f]
component = "job"
effect = "corrupt"
mtbf = "9d"
remedy = "restart"
loss = "nan"
)");
  ASSERT_EQ(world.faults.size(), 6U);
  const FaultKind& a = world.faults[0];
  EXPECT_EQ(a.life, Law::exponential(10 * 86400.0 * 16 / 2 / 4));
  EXPECT_EQ(a.profile.lemons.share, 0.15);
  EXPECT_EQ(a.profile.lemons.factor, 5);
  ASSERT_EQ(a.profile.batches.size(), 2U);
  EXPECT_EQ(a.profile.batches[1].first, 8U);
  EXPECT_EQ(a.profile.batches[1].last, 99U);
  EXPECT_EQ(a.profile.batches[1].factor, 0.5);
  EXPECT_EQ(a.profile.daily.amplitude, 0.5);
  EXPECT_EQ(a.profile.daily.peak, 15h);
  EXPECT_THAT(a.profile.curve, ElementsAre(std::pair(kStart, 4.0), std::pair(kStart + 168h, 1.0)));
  EXPECT_EQ(a.prevalence, Probability{0.005});
  EXPECT_EQ(a.grows_every, 24h);
  EXPECT_EQ(a.symptoms.severity, Severity::warning);
  EXPECT_EQ(a.symptoms.loss, 12);
  ASSERT_TRUE(a.followed_by);
  EXPECT_EQ(a.followed_by->kind, FaultKindId{1});  // which is described after it
  EXPECT_EQ(a.followed_by->probability, Probability{0.3});
  EXPECT_EQ(a.followed_by->after, Law::exponential(7200));
  EXPECT_GT(world.faults[1].life.mean(), 1e200);  // comes as a follower alone
  EXPECT_EQ(world.faults[1].symptoms.exit_code, 3);
  EXPECT_TRUE(world.faults[2].same_step);
  EXPECT_EQ(world.faults[2].remedy, Remedy::person);
  EXPECT_EQ(world.faults[2].component, ComponentKind::job);
  EXPECT_EQ(world.faults[3].effect, Effect::planned);
  EXPECT_EQ(world.faults[4].clock, FaultClock::start);
  EXPECT_EQ(world.faults[4].chance, Probability{1e-5});
  EXPECT_TRUE(std::isnan(world.faults[5].symptoms.loss));
}

TEST(FaultFields, NeedNoRateWhereSomethingElseBringsTheFault) {
  const World world = world_with("[faults.f]\nprevalence = 0.5\n" + kHost);
  EXPECT_GT(world.faults.at(0).life.mean(), 1e200);
  EXPECT_EQ(wrong_in(kHost),
            "test.toml:21:1: rate is missing; write rate = { count = 3, over = \"30d x 128 hosts\" }, "
            "mtbf = \"300h\" or \"never\"\n");
}

TEST(FaultFields, ADomainThatNoRepairMendsHasToHeal) {
  const std::string rack =
      "[cluster.network]\nkind = \"clos\"\n[faults.f]\ncomponent = \"rack\"\neffect = \"crash\"\nmtbf = "
      "\"300d\"\n";
  EXPECT_THAT(problems_in(rack),
              testing::HasSubstr("faults.f.heals_after is missing, and the repair of a host does not "
                                 "mend a failure domain; heals_after = \"70min\""));
  EXPECT_EQ(problems_in(rack + "heals_after = \"70min\"\n"), "");
  EXPECT_EQ(problems_in(rack + "remedy = \"person\"\n"), "");
}

TEST(FaultFields, AnExposureCountsWhatFailsOrItsHosts) {
  const auto life = [](const std::string& component, const std::string& over) {
    const std::string effect = component == "host" ? "\n" : "\nremedy = \"restart\"\n";
    return world_with(
               "[cluster.network]\nkind = \"clos\"\nhosts_per_rack = 1\n[faults.f]\neffect = "
               "\"crash\"\ncomponent = \"" +
               component + "\"" + effect + "rate = { count = 1, over = \"1d x " + over + "\" }\n")
               .faults.at(0)
               .life.mean() /
           86400;
  };
  EXPECT_EQ(life("tor", "40 tors"), 40);
  EXPECT_EQ(life("tor", "40 hosts"), 40);  // 1 host under each
  EXPECT_EQ(life("rack", "7 racks"), 7);
  EXPECT_EQ(life("job", "3 jobs"), 3);
  EXPECT_EQ(life("job", "200 hosts"), 100);  // this job has 2 hosts: as many of them as 100 jobs have
  EXPECT_EQ(life("host", "10 jobs"), 20);
}

// --- models

TEST(FaultModelFields, TheModelGivesAllButHowOften) {
  const World world = world_with(R"(
[faults.mine]
model = "gpu_lost"
mtbf = "9d"
[faults.starts]
model = "init_container_failure"
chance = 0.1
)");
  ASSERT_EQ(world.faults.size(), 2U);
  const FaultKind& fault = world.faults[0];
  EXPECT_EQ(fault.name, "mine");
  EXPECT_EQ(fault.model, "gpu_lost");
  EXPECT_EQ(fault.component, ComponentKind::gpu);
  EXPECT_EQ(fault.effect, Effect::crash);
  EXPECT_EQ(fault.remedy, Remedy::repair);
  EXPECT_EQ(fault.symptoms.severity, Severity::fatal);
  EXPECT_EQ(world.patterns.at(fault.symptoms.log->value), "xid_79");
  EXPECT_EQ(fault.life, Law::exponential(9 * 86400));
  EXPECT_TRUE(fault.source.starts_with("https://docs.nvidia.com/deploy/xid-errors")) << fault.source;
  EXPECT_EQ(world.faults[1].clock, FaultClock::start);
}

// What is shown names no model: it loads to the same world where the catalogue is another one.
TEST(FaultModelFields, ComeBackFromWhatIsShown) {
  std::string lines = faults_of_all_models();
  lines += "[faults.z_once]\nmodel = \"slow_host\"\nprevalence = 0.1\n";
  lines += "[faults.z_slower]\nmodel = \"slow_host\"\neffect = \"crash\"\nmtbf = \"9d\"\nrate_factor = 0.5\n";
  lines += "[faults.z_quiet]\nmodel = \"gpu_lost\"\nmtbf = \"9d\"\nlog = \"\"\n";
  lines += "[probes.p]\ntime = \"1min\"\ndetects = { slow_host = 0.5, z_once = 0.25 }\n";
  const LoadedScenario loaded = load_text(with_faults(lines));
  ASSERT_EQ(problems_of(loaded), "");
  for (const Comments comments : {Comments::none, Comments::full}) {
    const std::string text = show(loaded, comments);
    EXPECT_EQ(text.find("model = \"slow_host\""), std::string::npos);
    const LoadedScenario again = load_scenario_text(text, "shown.toml");
    ASSERT_EQ(problems_of(again), "");
    EXPECT_EQ(show(again, Comments::none), show(loaded, Comments::none));
    const World &a = loaded.scenario->world, &b = again.scenario->world;
    EXPECT_EQ(a.patterns, b.patterns);
    EXPECT_EQ(a.probes.at(0).detects, b.probes.at(0).detects);
    for (std::size_t k = 0; k < a.faults.size(); ++k) {
      SCOPED_TRACE(a.faults[k].name);
      EXPECT_EQ(a.faults[k].life, b.faults[k].life);
      EXPECT_EQ(a.faults[k].heals_after, b.faults[k].heals_after);
      EXPECT_EQ(a.faults[k].factor, b.faults[k].factor);
      EXPECT_EQ(a.faults[k].profile.daily.amplitude, b.faults[k].profile.daily.amplitude);
      EXPECT_EQ(a.faults[k].profile.curve, b.faults[k].profile.curve);
      EXPECT_EQ(a.faults[k].symptoms.log, b.faults[k].symptoms.log);
      EXPECT_EQ(a.faults[k].followed_by.has_value(), b.faults[k].followed_by.has_value());
      if (a.faults[k].followed_by) {
        EXPECT_EQ(a.faults[k].followed_by->after, b.faults[k].followed_by->after);
      }
    }
  }
}

// A value of a model names its file; the scenario's own file names the others.
TEST(FaultModelFields, AreShownWithTheFileOfTheModel) {
  const std::string text = show(load_text(with_faults("[faults.f]\nmodel = \"nic_flap\"\nmtbf = \"9d\"\n")));
  EXPECT_THAT(text, testing::ContainsRegex(
                        "effect = \"stall\" .*\\[[^ ]*catalog/fault-models/nic_flap.toml:[0-9]+\\]"));
  EXPECT_THAT(text, testing::ContainsRegex("mtbf = \"9d\" .*\\[test.toml:[0-9]+\\]"));
}

// --- a user's own models

TEST(OwnFaultModels, LieInACatalogueBesideOrAboveTheFileThatNamesThem) {
  const Folder folder;
  folder.write(
      "catalog/fault-models/mine.toml",
      "component = \"gpu\"\neffect = \"slow\"\nfactor = 3.0\nheals_after = { name = \"lognormal\", median = "
      "\"1h\", sigma = 0.5 }\n");
  const std::string base = folder.write(
      "deep/base.toml", kSmall + "[repair]\ntime = \"1h\"\n[faults.f]\nmodel = \"mine\"\nmtbf = \"9d\"\n");
  const LoadedScenario loaded = load_scenario(base, {});
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_EQ(loaded.scenario->world.faults.at(0).factor, 3);
  // The file of a scenario elsewhere that extends it has another catalogue.
  const Folder other;
  const std::string top =
      other.write("top.toml", "extends = \"" + base + "\"\n[faults.f]\nheals_after = { sigma = 0.25 }\n");
  const LoadedScenario extended = load_scenario(top, {});
  ASSERT_EQ(problems_of(extended), "");
  EXPECT_EQ(extended.scenario->world.faults.at(0).heals_after, Law::lognormal(3600, 0.25));
  const std::vector<std::string> sets = {"faults.f.model=gpu_lost"};
  ASSERT_EQ(problems_of(load_scenario(base, sets)), "");
  EXPECT_EQ(load_scenario(base, sets).scenario->world.faults.at(0).effect, Effect::crash);
}

TEST(OwnFaultModels, AreWrongInTheirOwnFileAndLine) {
  const Folder folder;
  const std::string model = folder.write(
      "catalog/fault-models/mine.toml",
      "component = \"gpu\"\neffect = \"stall\"\nfactr = 3.0\nremedy = \"reboot\"\nmtbf = \"3d\"\n");
  const std::string scenario = folder.write(
      "s.toml",
      kSmall +
          "[repair]\ntime = \"1h\"\n[faults.f]\nmodel = \"mine\"\nmtbf = \"9d\"\n[faults.g]\nmodel = "
          "\"mine\"\nmtbf = \"9d\"\n");
  const std::string problems = problems_of(load_scenario(scenario, {}));
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 4) << problems;
  EXPECT_THAT(problems,
              testing::HasSubstr(model + ":1:1: heals_after is missing; a stall is a pause that heals"));
  EXPECT_THAT(problems, testing::HasSubstr(model + ":3:1: factr is not known; did you mean \"factor\"?"));
  EXPECT_THAT(problems, testing::HasSubstr(model + ":4:10: remedy = \"reboot\" is not a remedy"));
  EXPECT_THAT(problems, testing::HasSubstr(model + ":5:1: mtbf is not known"));
  folder.write("catalog/fault-models/mine.toml", "component = \"gpu\neffect = \"stall\"\n");
  EXPECT_THAT(problems_of(load_scenario(scenario, {})), testing::StartsWith(model + ":1:"));
}

TEST(FaultModelFields, WhatTheScenarioSaysHolds) {
  const World world = world_with(R"(
[faults.f]
model = "thermal_throttling"
component = "host"
mtbf = "9d"
factor = 3.0
heals_after = "1min"
daily = { amplitude = 0.25 }
remedy = "restart"
[faults.g]
model = "gpu_lost"
mtbf = "9d"
log = ""
[faults.h]
model = "thermal_throttling"
mtbf = "9d"
law = { name = "weibull", shape = 0.7 }
daily = { amplitude = 0.0 }
)");
  const FaultKind& fault = world.faults.at(0);
  EXPECT_EQ(fault.component, ComponentKind::host);
  EXPECT_EQ(fault.factor, 3);
  EXPECT_EQ(fault.heals_after, Law::constant(to_seconds(1min)));
  EXPECT_EQ(fault.profile.daily.amplitude, 0.25);
  EXPECT_EQ(fault.profile.daily.peak, 15h);  // still the model's
  EXPECT_FALSE(world.faults[1].symptoms.log);
  EXPECT_TRUE(world.faults[2].profile.flat());
}

TEST(FaultModelFields, LeadToTheFirstFaultOfTheModelThatFollows) {
  const std::string warning = "[faults.warning]\nmodel = \"gpu_ecc_correctable\"\nmtbf = \"9d\"\n";
  const auto failure = [](const std::string& name, const std::string& more) {
    return "[faults." + name + "]\nmodel = \"gpu_row_remap_failure\"\n" + more;
  };
  EXPECT_FALSE(world_with(warning).faults.at(0).followed_by);
  const LoadedScenario alone = load_text(kSmall + warning);
  ASSERT_EQ(alone.warnings.size(), 1U);
  EXPECT_THAT(alone.warnings.front().text(),
              testing::HasSubstr(
                  "faults.warning.model = \"gpu_ecc_correctable\" leads to \"gpu_row_remap_failure\" with "
                  "probability 0.27, and no fault of this scenario is of that model and component; nothing "
                  "follows here"));
  EXPECT_TRUE(load_text(kSmall + warning + failure("b", "")).warnings.empty());
  const World world =
      world_with(warning + failure("b", "") + failure("a", "component = \"host\"\nmtbf = \"9d\"\n") +
                 failure("c", "mtbf = \"9d\"\n"));
  ASSERT_TRUE(world.faults.at(3).followed_by);
  EXPECT_EQ(world.faults[3].followed_by->kind,
            FaultKindId{1});  // b: a is a host's; it needs no rate of its own
  EXPECT_EQ(world.faults[3].followed_by->probability, Probability{0.27});
  const World changed =
      world_with(warning + "followed_by = { probability = 1.0, fault = \"c\" }\n" + failure("c", ""));
  EXPECT_EQ(changed.faults.at(1).followed_by->probability, Probability{1});
  EXPECT_EQ(changed.faults[1].followed_by->after, Law::exponential(86400));
  EXPECT_EQ(
      problems_in(warning + "followed_by = { probability = 0.5 }\n"),
      "test.toml:24:15: faults.warning.followed_by.fault is missing, and no fault of this scenario is of the "
      "model \"gpu_row_remap_failure\"; name one of its faults\n");
}

// Two flapping NICs: each is followed by itself.
TEST(FaultModelFields, ABurstIsOfOneKind) {
  const World world = world_with(
      "[faults.a]\nmodel = \"nic_flap\"\nmtbf = \"9d\"\n[faults.b]\nmodel = \"nic_flap\"\nmtbf = \"1d\"\n");
  EXPECT_EQ(world.faults.at(0).followed_by->kind, FaultKindId{0});
  EXPECT_EQ(world.faults.at(1).followed_by->kind, FaultKindId{1});
}

TEST(FaultModelFields, AnUnknownModelIsAllThatIsWrong) {
  const std::string problems = wrong_in("model = \"nic_flop\"\nmtbf = \"9d\"\n");
  EXPECT_TRUE(problems.starts_with(
      "test.toml:22:9: model = \"nic_flop\" is not in the catalogue's fault-models; did you mean "
      "\"nic_flap\"? known are \"agent_partition\""))
      << problems;
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 1) << problems;
}

TEST(FaultModelFields, AProbeMayNameModels) {
  const World world = world_with(R"(
[faults.a]
model = "gpu_lost"
mtbf = "9d"
[faults.b]
model = "gpu_lost"
mtbf = "9d"
[faults.nic_lost]
model = "nic_lost"
mtbf = "9d"
[probes.p]
time = "1min"
group = 2
detects = { gpu_lost = 0.9, b = 0.1, nic_lost = 0.5, tor_lost = 0.7 }
)");
  EXPECT_EQ(world.probes.at(0).group, 2U);
  EXPECT_THAT(world.probes[0].detects, ElementsAre(Probability{0.9}, Probability{0.1}, Probability{0.5}));
  EXPECT_EQ(problems_in("[probes.p]\ntime = \"1min\"\ndetects = { gpu_last = 0.9 }\n"),
            "test.toml:23:13: probes.p.detects.gpu_last is not a fault of this scenario; did you mean the "
            "fault model "
            "\"gpu_lost\"?\n");
}

// --- mistakes

TEST(BadFaults, RatesThatCannotDiffer) {
  EXPECT_EQ(wrong_in(kHost + kDays +
                     "law = { name = \"weibull\", shape = 0.7 }\nlemons = { share = 0.1, factor = 5.0 }\n"),
            "test.toml:26:10: lemons needs the distribution \"exponential\", and the fault has \"weibull\"; "
            "leave law "
            "out: only a "
            "constant rate can be higher for some or at times\n");
  EXPECT_EQ(
      wrong_in("model = \"thermal_throttling\"\n" + kDays + "law = { name = \"weibull\", shape = 0.7 }\n"),
      "test.toml:21:1: daily = { amplitude = 0.8, peak = \"15h\" }, by its model, needs the distribution "
      "\"exponential\", and the fault has "
      "\"weibull\"; leave law "
      "out: only a constant rate can be higher for some or at times\n");
  EXPECT_EQ(
      wrong_in(kHost + kDays + "clock = \"training\"\ndaily = { amplitude = 0.5, peak = \"15h\" }\n"),
      "test.toml:26:9: daily is given, and the clock of training knows no time of the day; write clock = "
      "\"always\"\n");
  EXPECT_EQ(
      wrong_in(kHost + "trace = [{ at = \"1h\", component = 0 }]\ncurve = [{ at = \"0s\", factor = 2.0 }]\n"),
      "test.toml:25:9: curve = [{ at = \"0s\", factor = 2.0 }] is given together with a trace, which already "
      "says what strikes when; leave one of them out\n");
}

TEST(BadFaults, ProfilesThatAreNone) {
  EXPECT_EQ(wrong_in(kHost + kDays + "lemons = { share = 1.5 }\n"),
            "test.toml:25:10: lemons.factor is missing; write factor = 5.0\n"
            "test.toml:25:20: lemons.share = 1.5 is above 1\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "daily = { amplitude = 2.0, peak = \"15h\" }\n"),
            "test.toml:25:23: daily.amplitude = 2.0 is above 1\n");
  EXPECT_EQ(
      wrong_in(kHost + kDays +
               "curve = [{ at = \"7d\", factor = 1.0 }, { at = \"1d\", factor = 2.0 }, { at = \"9d\" }]\n"),
      "test.toml:25:46: curve[1].at = \"1d\" is not after the time before it, 7d; put the times in order\n"
      "test.toml:25:68: curve[2] needs the members at, factor; write { at = \"7d\", factor = 2.0 }\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "batches = [{ first = 3, last = 1, factor = 2.0 }]\n"),
            "test.toml:25:32: batches[0].last = 1 is below first = 3\n");
  EXPECT_EQ(
      wrong_in(kHost + kDays +
               "batches = [{ first = 0, last = 0, factor = 2.0 }, { first = 0, last = 1, factor = 2.0 }]\n"),
      "test.toml:25:51: batches[1] has components of the batch from 0 to 0; a component comes from one "
      "batch\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "batches = [{ first = 2, last = 9, factor = 2.0 }]\n"),
            "test.toml:25:11: batches = [{ factor = 2.0, first = 2, last = 9 }] names component 2; the last "
            "one is 1\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "curve = 3\n"),
            "test.toml:25:9: curve = 3 is a whole number; this takes a list such as [{ at = \"7d\", factor = "
            "2.0 }]\n");
}

TEST(BadFaults, ClocksAndChances) {
  EXPECT_EQ(wrong_in(kHost + "clock = \"start\"\n"),
            "test.toml:21:1: chance is missing, and the clock is start; write chance = 1e-5, the probability "
            "for one "
            "component at one start of the job\n");
  EXPECT_EQ(wrong_in(kHost + "clock = \"start\"\nchance = 0.1\n" + kDays),
            "test.toml:26:8: mtbf = \"9d\" is given, and the clock is start; chance = 1e-5 says how often\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "chance = 0.1\n"),
            "test.toml:25:10: chance = 0.1 is given, and the clock is not start; write clock = \"start\", or "
            "a rate or "
            "mtbf in its place\n");
  EXPECT_EQ(wrong_in("component = \"host\"\neffect = \"none\"\nclock = \"start\"\nchance = 0.1\n"),
            "test.toml:23:10: effect = \"none\" is neither crash nor hang, and the clock is start; what "
            "strikes at a start "
            "makes it fail: effect = \"crash\" or \"hang\"\n");
}

TEST(BadFaults, EffectsThatTheComponentCannotHave) {
  const auto with_effect = [](const std::string& component, const std::string& effect) {
    return wrong_in("component = \"" + component + "\"\neffect = \"" + effect +
                    "\"\nremedy = \"restart\"\nfactor = 2.0\n" + kDays);
  };
  EXPECT_EQ(with_effect("tor", "slow"),
            "test.toml:22:13: component = \"tor\" is a ToR switch, which computes nothing that could be "
            "slow; component "
            "= \"host\" or \"gpu\"\n");
  EXPECT_EQ(
      with_effect("job", "slow"),
      "test.toml:22:13: component = \"job\" is the job, all of whose ranks would be slow alike; component = "
      "\"host\" or \"gpu\"\n");
  EXPECT_EQ(
      with_effect("rack", "degrade"),
      "test.toml:22:13: component = \"rack\" is a rack, which has no bandwidth to lose; component = \"nic\", "
      "\"host\" for all its NICs, or a switch: \"tor\", \"aggregation\", \"spine\"\n");
  EXPECT_EQ(
      with_effect("power", "corrupt"),
      "test.toml:22:13: component = \"power\" is a power domain, which computes nothing that could be wrong; "
      "component = \"gpu\", \"host\" or \"job\"\n");
  EXPECT_EQ(wrong_in("component = \"host\"\neffect = \"planned\"\nheals_after = \"1h\"\n" + kDays),
            "test.toml:22:13: component = \"host\" is a host, and it is the job that is to stop; "
            "component = "
            "\"job\"\n");
  EXPECT_EQ(
      wrong_in("component = \"job\"\neffect = \"planned\"\nremedy = \"restart\"\n" + kDays),
      "test.toml:21:1: heals_after is missing; a planned stop lasts as long as people want: heals_after = "
      "\"10min\"\n");
  EXPECT_EQ(wrong_in("component = \"job\"\neffect = \"crash\"\n" + kDays),
            "test.toml:21:1: remedy = \"repair\", by default, is the repair of a host, and the component is "
            "the job; "
            "remedy = \"restart\" or \"person\"\n");
  EXPECT_EQ(
      wrong_in("component = \"job\"\neffect = \"crash\"\nremedy = \"person\"\nheartbeat_lost = true\n" +
               kDays),
      "test.toml:25:18: heartbeat_lost = true is given, and the job has no agent of its own; leave it out\n");
}

TEST(BadFaults, TamperingIsOfAHostWithoutAnEffect) {
  const std::string none = "effect = \"none\"\n" + kDays;
  EXPECT_THAT(
      wrong_in(kHost + kDays + "tampers = \"clock\"\n"),
      testing::HasSubstr("tampers = \"clock\" is given, and the effect is not none; effect = \"none\""));
  EXPECT_THAT(wrong_in("component = \"gpu\"\n" + none + "tampers = \"clock\"\n"),
              testing::HasSubstr("is of the agent of a host; component = \"host\""));
  EXPECT_THAT(wrong_in("component = \"host\"\n" + none + "tampers = \"partition\"\n"),
              testing::HasSubstr("heals_after is missing; write how long it lasts"));
  EXPECT_THAT(wrong_in("component = \"host\"\n" + none + "tampers = \"clock\"\nheals_after = \"3s\"\n"),
              testing::HasSubstr("is given, and what it did stays; leave it out"));
  const World world = world_with("[faults.f]\ncomponent = \"host\"\n" + none +
                                 "tampers = \"late_heartbeats\"\nheals_after = \"3s\"\n");
  EXPECT_EQ(world.faults[0].tampers, Tampering::late_heartbeats);
}

TEST(BadFaults, TamperingOfACheckpoint) {
  const std::string job = "component = \"job\"\nremedy = \"restart\"\n";
  const std::string tampers = "tampers = \"checkpoint\"\n", none = "effect = \"none\"\n";
  EXPECT_EQ(wrong_in(job + none + tampers + kDays), "");
  EXPECT_EQ(
      wrong_in(kHost + kDays + tampers),
      "test.toml:25:11: tampers = \"checkpoint\" is given, and the effect is not none; effect = \"none\"\n");
  EXPECT_EQ(
      wrong_in("component = \"host\"\n" + none + kDays + tampers),
      "test.toml:25:11: tampers = \"checkpoint\" is of the checkpoints of the job; component = \"job\"\n");
  EXPECT_EQ(wrong_in(job + none + tampers + "heals_after = \"1h\"\n" + kDays),
            "test.toml:26:15: heals_after = \"1h\" is given, and what it did stays; leave it out\n");
}

TEST(BadFaults, FieldsOfOtherEffects) {
  EXPECT_EQ(wrong_in(kHost + kDays + "halts_storage = true\n"),
            "test.toml:25:17: halts_storage = true is given, and the effect is not stall; leave it out\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "same_step = true\n"),
            "test.toml:25:13: same_step = true is given, and the component is a host; component = \"job\"\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "grows_every = \"1d\"\n"),
            "test.toml:25:15: grows_every = \"1d\" is given, and the effect is not slow; leave it out\n");
  EXPECT_EQ(wrong_in("component = \"host\"\neffect = \"none\"\nexit_code = 2\n" + kDays),
            "test.toml:24:13: exit_code = 2 is given, and the effect is not crash; leave it out\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "exit_code = 134\n"),
            "test.toml:25:13: exit_code = 134 is that of ranks which waited for the culprit; choose another, "
            "such as 1\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "loss = \"nan\"\n"),
            "test.toml:25:8: loss = \"nan\" is given, and no step completes while it lasts; effect = "
            "\"corrupt\" or "
            "\"none\"\n");
  EXPECT_EQ(wrong_in("component = \"host\"\neffect = \"none\"\nloss = \"high\"\n" + kDays),
            "test.toml:24:8: loss = \"high\" is not a number; write 12.0 or \"nan\"\n");
  EXPECT_EQ(wrong_in(kHost + kDays + "log = \"peer_lost\"\n"),
            "test.toml:25:7: log = \"peer_lost\" is a line of those who wait for the culprit; choose another "
            "name\n");
}

TEST(BadFaults, WhatCannotFollow) {
  const std::string host = kHost + "remedy = \"restart\"\n" + kDays;
  EXPECT_EQ(
      problems_in("[faults.broken]\n" + host + "followed_by = { fault = \"brokn\", probability = 0.5 }\n"),
      "test.toml:26:25: faults.broken.followed_by.fault = \"brokn\" is not a fault of this scenario; did you "
      "mean \"broken\"? known are \"broken\"\n");
  EXPECT_EQ(wrong_in(host + "followed_by = { probability = 0.5 }\n"),
            "test.toml:26:15: followed_by.fault is missing; write fault = \"gpu_lost\"\n");
  EXPECT_EQ(
      wrong_in(host +
               "followed_by = { fault = \"g\", probability = 0.5 }\n[faults.g]\nmodel = \"gpu_lost\"\n" +
               kDays),
      "test.toml:26:25: followed_by.fault = \"g\" is a fault of a GPU, and what follows strikes a host "
      "again; name "
      "a fault with component = that of faults.f\n");
  const auto leading_to = [&](const std::string& name, const std::string& next, const std::string& p) {
    return "[faults." + name + "]\n" + kHost + "remedy = \"restart\"\n" + kDays +
           "followed_by = { fault = \"" + next + "\", probability = " + p + " }\n";
  };
  EXPECT_EQ(
      problems_in(leading_to("a", "b", "1.0") + leading_to("b", "c", "1.0") + leading_to("c", "b", "1.0")),
      "test.toml:32:44: faults.b.followed_by.probability = 1.0 is circular and never ends: b, c, "
      "b; "
      "write a probability below 1 in it\n");
  EXPECT_EQ(problems_in(leading_to("a", "b", "1.0") + leading_to("b", "a", "0.99")), "");
}

}  // namespace
}  // namespace gauntlet
