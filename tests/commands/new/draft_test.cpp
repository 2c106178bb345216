// What a draft says: that it loads, that it has the numbers that were given, and that its rates are those of the count.
#include "commands/new/layout.hpp"
#include "config/checks/expectations.hpp"
#include "models/step/step.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"
#include "tests/commands/new/knowns.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kDayOfDraft = 86400;

/// Loaded without a mistake or a warning.
Scenario sound(const Known& known) {
  const Draft draft = draft_of(known);
  EXPECT_EQ(lines_of(draft.problems), "");
  LoadedScenario loaded = load_draft(draft);
  EXPECT_EQ(lines_of(loaded.problems) + lines_of(loaded.warnings), "") << draft.text.value_or("no text");
  EXPECT_TRUE(loaded.scenario.has_value());
  return loaded.scenario ? std::move(*loaded.scenario) : Scenario{};
}

/// Failures of the job in a second, of all kinds together.
double rate_of(const World& world) {
  double rate = 0;
  for (const FaultKind& fault : world.faults) rate += expected_rate(world, fault);
  return rate;
}

TEST(Draft, HasTheNumbersThatWereGiven) {
  const World world = sound(known_of(kMine)).world;
  EXPECT_EQ(world.inventory.job_hosts, 512U);
  EXPECT_EQ(world.hardware.name, "H100");
  EXPECT_EQ(world.job.model.name, "llama3-70b");
  EXPECT_EQ(world.job.layout.ranks(), 4096U);
  EXPECT_EQ(world.job.steps, static_cast<std::int64_t>(std::ceil(2e12 / (world.job.global_batch * 8192.0))));
  EXPECT_DOUBLE_EQ(world.job.start.process_start.mean(), 480);
  EXPECT_EQ(world.storage.stall, std::chrono::seconds(90));
  EXPECT_DOUBLE_EQ(world.repair.time.mean(), 12 * 3600);
  EXPECT_DOUBLE_EQ(world.cost.gpu_hour.value, 2.1);
  ASSERT_EQ(world.faults.size(), 1U);
  EXPECT_EQ(world.faults[0].effect, Effect::crash);
  EXPECT_EQ(world.faults[0].remedy, Remedy::repair);
  EXPECT_DOUBLE_EQ(world.faults[0].life.mean(), 365 * kDayOfDraft * 1024 / 3285);
}

TEST(Draft, IsTheSameForTheSameWords) {
  EXPECT_EQ(draft_of(known_of(kMine)).text, draft_of(known_of(kMine)).text);
}

TEST(Draft, HasTheLayoutThatTheStepModelFoundFastest) {
  const FactsRead read = read_facts(known_of(kMine));
  ASSERT_TRUE(read.facts.has_value());
  const LayoutChoice choice = choose_layout(*read.facts);
  ASSERT_TRUE(choice.chosen.has_value());
  const World world = sound(known_of(kMine)).world;
  EXPECT_EQ(StepModel(world).healthy(), choice.chosen->step)
      << "the step model sees the job as the scenario has it";
  // No layout that is written by hand beats it.
  for (const auto& [tp, pp] :
       std::initializer_list<std::pair<int, int>>{{8, 1}, {8, 2}, {8, 4}, {4, 4}, {4, 8}, {8, 8}}) {
    const FactsRead other =
        read_facts(mine_with({{"--tp", std::to_string(tp)}, {"--pp", std::to_string(pp)}}));
    const LayoutChoice by_hand = choose_layout(*other.facts);
    if (!by_hand.chosen) continue;  // too large for the memory
    EXPECT_EQ(by_hand.chosen->layout.tp, static_cast<std::uint32_t>(tp));
    EXPECT_EQ(by_hand.chosen->layout.pp, static_cast<std::uint32_t>(pp));
    EXPECT_GE(to_seconds(by_hand.chosen->step) / by_hand.chosen->global_batch,
              to_seconds(choice.chosen->step) / choice.chosen->global_batch)
        << tp << " " << pp;
  }
}

// Table 4 of https://arxiv.org/abs/2407.21783 has tp 8, pp 16, dp 128 for 16,384 GPUs and 16M tokens in a step.
TEST(Draft, HasThePublishedLayoutOfLlama3) {
  const World world = sound(mine_with({{"--model", "llama3-405b"}, {"--gpus", "16384"}})).world;
  EXPECT_EQ(world.job.layout.tp, 8U);
  EXPECT_EQ(world.job.layout.pp, 16U);
  EXPECT_EQ(world.job.layout.dp, 128U);
  EXPECT_EQ(world.job.global_batch, 2048U);
}

TEST(Draft, OfAKnownStepTimeNamesWhatStandsIn) {
  const KnownWords words = {{"--model", ""}, {"--step-time", "5.5s"}, {"--batch", "16M"}};
  const Scenario scenario = sound(mine_with(words));
  EXPECT_EQ(scenario.world.job.step_time, std::chrono::milliseconds(5500));
  EXPECT_NEAR(static_cast<double>(scenario.world.job.steps), 2e12 / 16e6, 1);
  EXPECT_THAT(*draft_of(mine_with(words)).text, HasSubstr("stand in for the model, which is not known"));
  // Without tokens nobody needs the batch.
  EXPECT_EQ(
      sound(mine_with({{"--model", ""}, {"--step-time", "5.5s"}, {"--tokens", ""}, {"--steps", "1000"}}))
          .world.job.steps,
      1000);
}

TEST(Draft, OfAMixSplitsTheCount) {
  const Scenario scenario = sound(mine_with({{"--mix", "llama3"}}));
  const World& world = scenario.world;
  EXPECT_EQ(world.faults.size(), 18U);
  EXPECT_NEAR(rate_of(world) * 365 * kDayOfDraft, 3285.0 / 1024 * 512, 1e-6);
  // By cause as Llama 3: 148 of 419 are faulty GPUs.
  const auto gpus =
      std::ranges::find_if(world.faults, [](const FaultKind& fault) { return fault.name == "faulty_gpu"; });
  ASSERT_NE(gpus, world.faults.end());
  EXPECT_NEAR(expected_rate(world, *gpus) / rate_of(world), 148.0 / 419, 1e-9);
}

TEST(Draft, SparesCoverTheRepairs) {
  // 512 hosts, 3285 / (365 x 1024) failures a day, half a day each: 2.24 hosts are in repair on average. Of a Poisson
  // distribution with that mean, P(<= 6) = 0.992 and P(<= 5) = 0.973.
  EXPECT_EQ(sound(known_of(kMine)).world.inventory.spares, 6U);
  EXPECT_EQ(sound(mine_with({{"--spares", "0"}})).world.inventory.spares, 0U);
  EXPECT_EQ(sound(mine_with({{"--spares", "40"}})).world.inventory.spares, 40U);
}

TEST(Draft, CountsOverGpusAsOverTheirHosts) {
  EXPECT_DOUBLE_EQ(rate_of(sound(mine_with({{"--failures", "3285 over 365d x 8192 gpus"}})).world),
                   rate_of(sound(known_of(kMine)).world));
  // So do the spares, and what the comments say of the count.
  std::string text = draft_of(mine_with({{"--failures", "3285 over 365d x 8192 gpus"}})).text.value_or("");
  for (std::size_t at = 0; (at = text.find("8192 gpus", at)) != std::string::npos;)
    text.replace(at, 9, "1024 hosts");
  EXPECT_EQ(text, draft_of(known_of(kMine)).text);
}

// A count over a few days is a rate that somebody knows: as a count, `check` would warn of what `plan` makes of it.
TEST(Draft, OfAFewDaysHasAMeanTime) {
  const Known short_time = mine_with({{"--failures", "9 over 1d x 1024 hosts"}});
  EXPECT_THAT(*draft_of(short_time).text, HasSubstr("mtbf = \"113."));
  EXPECT_NEAR(rate_of(sound(short_time).world), 9.0 / 1024 * 512 / kDayOfDraft, 1e-15);
}

TEST(Draft, OfALongCheckpointIsNotTakenForAHang) {
  EXPECT_EQ(sound(mine_with({{"--checkpoint", "20min"}})).policies.detection.hang_timeout,
            std::chrono::minutes(41));
  EXPECT_EQ(sound(mine_with({{"--checkpoint", "20min"}})).policies.detection.traffic_stopped.lasting,
            std::chrono::minutes(41));
  EXPECT_THAT(*draft_of(known_of(kMine)).text, Not(HasSubstr("hang_timeout")));
}

TEST(Draft, KeepsTheAmountOfAnotherCurrency) {
  const Known euros = mine_with({{"--gpu-hour", "1.95 EUR"}});
  EXPECT_DOUBLE_EQ(sound(euros).world.cost.gpu_hour.value, 1.95);
  EXPECT_EQ(sound(euros).world.cost.currency, "EUR");
  EXPECT_THAT(*draft_of(euros).text, HasSubstr("gpu_hour = \"1.95EUR\""));
  EXPECT_THAT(*draft_of(mine_with({{"--gpu-hour", ""}})).text, Not(HasSubstr("[cost]")));
}

TEST(Draft, WarnsOfAJobThatHardlyTrains) {
  const Draft draft = draft_of(mine_with({{"--failures", "300000 over 365d x 1024 hosts"}}));
  EXPECT_THAT(testing::PrintToString(draft.summary), HasSubstr("the job hardly trains"));
  EXPECT_THAT(testing::PrintToString(draft_of(known_of(kMine)).summary), Not(HasSubstr("hardly trains")));
}

// --- any words that can be ----------------------------------------------------------------------------------------------

std::string minutes(int least, int most) { return std::to_string(*rc::gen::inRange(least, most)) + "min"; }

/// Hosts and a count over them: 0.01% to 5% of the hosts fail in a day.
struct Counted {
  std::uint64_t hosts, days;
  double count;
};

Counted any_count() {
  Counted counted{*rc::gen::inRange<std::uint64_t>(1, 5000), *rc::gen::inRange<std::uint64_t>(1, 800), 0};
  const double daily = std::pow(10, -4 + 0.0001 * *rc::gen::inRange(0, 27000));
  counted.count = std::max(1.0, std::round(daily * static_cast<double>(counted.hosts * counted.days)));
  return counted;
}

KnownWords any_work() {
  const bool model = *rc::gen::arbitrary<bool>();
  KnownWords words;
  if (model)
    words.emplace_back("--model",
                       *rc::gen::element<std::string>("llama3-8b", "llama3-70b", "gpt3-175b", "tiny-1b"));
  else
    words.emplace_back("--step-time", std::to_string(*rc::gen::inRange(100, 60000)) + "ms");
  const bool batch = *rc::gen::arbitrary<bool>();
  const int kind = *rc::gen::inRange(0, 3);
  if (kind == 0) words.emplace_back("--tokens", std::to_string(*rc::gen::inRange(1, 20000)) + "G");
  if (kind == 1) words.emplace_back("--steps", std::to_string(*rc::gen::inRange(1, 1000000)));
  if (kind == 2) words.emplace_back("--window", std::to_string(*rc::gen::inRange(1, 2000)) + "h");
  if (batch || (!model && kind == 0))
    words.emplace_back("--batch", std::to_string(*rc::gen::inRange(1, 64)) + "M");
  return words;
}

RC_GTEST_PROP(Draft, OfAnyWordsIsAcceptedAndHasTheirRate, ()) {
  const Counted counted = any_count();
  const std::uint64_t hosts = *rc::gen::inRange<std::uint64_t>(16, 3000);
  KnownWords words = any_work();
  words.emplace_back("--gpus", std::to_string(8 * hosts));
  words.emplace_back("--hardware", *rc::gen::element<std::string>("h100", "a100-80g", "h200"));
  words.emplace_back("--failures", std::to_string(static_cast<std::uint64_t>(counted.count)) + " over " +
                                       std::to_string(counted.days) + "d x " + std::to_string(counted.hosts) +
                                       " hosts");
  words.emplace_back("--checkpoint", minutes(0, 60));
  words.emplace_back("--restart", minutes(0, 120));
  words.emplace_back("--repair", minutes(1, 1000));
  if (*rc::gen::arbitrary<bool>()) words.emplace_back("--spares", std::to_string(*rc::gen::inRange(0, 100)));
  if (*rc::gen::arbitrary<bool>()) words.emplace_back("--mix", "llama3");
  if (*rc::gen::arbitrary<bool>()) words.emplace_back("--gpu-hour", "2.10USD");
  const Draft draft = draft_of(known_of(words));
  for (const auto& [option, word] : words) RC_LOG() << option << " '" << word << "' ";
  // Two things may be wrong with such words: hosts that would have been in repair all the time, and a model too large.
  const std::string problems = lines_of(draft.problems);
  const bool refused = problems.find("cannot be: repairs") != std::string::npos ||
                       problems.find("are too few for") != std::string::npos;
  RC_CLASSIFY(refused, "refused");
  if (refused) return;
  RC_ASSERT(problems == "");
  const LoadedScenario loaded = load_draft(draft);
  RC_ASSERT(lines_of(loaded.problems) + lines_of(loaded.warnings) == "");
  const World& world = loaded.scenario->world;
  const double expected = counted.count / static_cast<double>(counted.days * counted.hosts) *
                          static_cast<double>(hosts) / kDayOfDraft;
  RC_ASSERT(std::abs(rate_of(world) / expected - 1) < 1e-9);
  RC_ASSERT(world.job.layout.ranks() == 8 * hosts);
}

// --- simulated ----------------------------------------------------------------------------------------------------------

/// Failures that struck the job's hosts in 365 days, over replicas.
Statistics failures_in_a_year(const Known& known) {
  const Scenario scenario = sound(known);
  Simulation simulation(scenario.world, scenario.policies);
  MetricStatistics statistics;
  for (std::uint32_t replica = 0; replica < 40; ++replica) {
    double times = 0;
    for (const std::uint32_t each : simulation.run({.seed = 1, .replica = replica}).faults) times += each;
    statistics.add({times});
  }
  return statistics.statistics();
}

// 365 days on as many hosts as were counted: what was counted comes again. The spares are enough, so that all hosts are there.
TEST(Draft, SimulatedForAsLongReproducesTheCount) {
  const KnownWords as_counted = {{"--gpus", "1024"},
                                 {"--model", "llama3-8b"},
                                 {"--tokens", ""},
                                 {"--window", "365d"},
                                 {"--failures", "400 over 365d x 128 hosts"},
                                 {"--spares", "20"}};
  for (const std::string mix : {"", "llama3"}) {
    KnownWords words = as_counted;
    words.emplace_back("--mix", mix);
    const Statistics found = failures_in_a_year(mine_with(words));
    ASSERT_TRUE(found.mean && found.se);
    EXPECT_NEAR(*found.mean, 400, 3 * *found.se) << mix;
    EXPECT_NEAR(*found.se, std::sqrt(400 / 40.0), 0.5 * std::sqrt(400 / 40.0)) << "a Poisson count";
  }
}

}  // namespace
}  // namespace gauntlet
