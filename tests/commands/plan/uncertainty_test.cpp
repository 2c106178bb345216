#include "study/uncertainty/uncertainty.hpp"

#include "commands/plan/sensitivity.hpp"
#include "core/math/special.hpp"
#include "models/step/possible.hpp"
#include "models/step/step.hpp"
#include "study/finish/finish.hpp"
#include "study/uncertainty/check_draws.hpp"
#include "tests/study/seeded_study.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

namespace gauntlet {
namespace {

/// Without the fields that the file itself names as uncertain, and with a step time that is exact.
LoadedScenario load(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"study.uncertain=[]", "study.step_time_error=false"});
  return load_scenario("scenarios/llama3-405b-54d.toml", sets);
}

std::vector<Unknown> unknowns(std::vector<std::string> sets) {
  const LoadedScenario loaded = load(std::move(sets));
  EXPECT_TRUE(loaded.scenario.has_value()) << (loaded.problems.empty() ? "" : loaded.problems[0].text());
  return loaded.scenario ? unknowns_of(*loaded.scenario, loaded.resolved) : std::vector<Unknown>{};
}

const Unknown* find(const std::vector<Unknown>& all, const std::string& path) {
  for (const Unknown& each : all)
    if (each.path == path) return &each;
  return nullptr;
}

TEST(Unknowns, ARateHasThePosteriorOfItsCount) {
  const std::vector<Unknown> all = unknowns({"faults.cpu.mtbf=never"});
  EXPECT_EQ(all.size(), 17U);  // 18 causes, of which one has no count any more
  EXPECT_EQ(find(all, "faults.cpu.rate.count"), nullptr);
  const Unknown* nic = find(all, "faults.nic.rate.count");
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->shown.given, "7");
  for (const double p : {0.01, 0.05, 0.5, 0.95, 0.999})  // Gamma(7 + 1/2, 1)
    EXPECT_NEAR(incomplete_gamma_p(7.5, nic->value_at(p)), p, 1e-9);
}

TEST(Unknowns, LowAndHighAreTheFiveAndNinetyFivePercentValues) {
  const std::vector<Unknown> all = unknowns(
      {R"(study.uncertain=[{path="repair.time.median",low="4h",high="16h"},{path="job.start.warm_up",low="1min",high="3min",shape="normal"},)"
       R"({path="storage.load",low="100s",high="190s",shape="uniform"},{path="spares.count",low=10,high=60},)"
       R"({path="faults.nic.rate.count",low=2,high=20}])"});
  ASSERT_EQ(all.size(), 18U + 4);
  const auto near = [&](const char* path, double low, double middle, double high) {
    const Unknown* unknown = find(all, path);
    ASSERT_NE(unknown, nullptr) << path;
    EXPECT_NEAR(unknown->value_at(0.05), low, 0.012 * low)
        << path;  // what is cut off below zero moves them a little
    EXPECT_NEAR(unknown->value_at(0.5), middle, 0.012 * middle) << path;
    EXPECT_NEAR(unknown->value_at(0.95), high, 0.012 * high) << path;
    EXPECT_GT(unknown->value_at(1e-12), 0) << path;
  };
  near("repair.time.median", 4 * 3600, 8 * 3600, 16 * 3600);
  near("job.start.warm_up", 60, 120, 180);
  near("storage.load", 100, 145, 190);
  near("spares.count", 10, std::sqrt(600.0), 60);
  near("faults.nic.rate.count", 2, std::sqrt(40.0), 20);  // the mark comes before the posterior
  EXPECT_EQ(find(all, "spares.count")->text_at(0.5), "24");
  EXPECT_EQ(find(all, "repair.time.median")->text_at(0.5), "8h");
  EXPECT_EQ(find(all, "repair.time.median")->shown.high, "16h");
}

TEST(Unknowns, ADrawIsAScenarioAndDisturbsNoOther) {
  const std::vector<Unknown> all =
      unknowns({R"(study.uncertain=[{path="repair.time.median",low="4h",high="16h"}])"});
  std::vector<Unknown> fewer = all;
  fewer.erase(fewer.begin() + 3);
  const Settings draw = draw_of(all, 9, 5), other = draw_of(fewer, 9, 5);
  for (const Setting& each : other)
    EXPECT_NE(std::find(draw.begin(), draw.end(), each), draw.end()) << each.path;
  EXPECT_NE(draw_of(all, 9, 6)[0].value, draw[0].value);
  EXPECT_NE(draw_of(all, 10, 5)[0].value, draw[0].value);
  std::vector<std::string> sets;
  for (const Setting& each : draw) sets.push_back(each.path + "=" + each.value);
  EXPECT_TRUE(load(sets).scenario.has_value());
}

/// DESIGN: for Llama 3 the interruptions' mean is known to 3 where only chance is counted, and to 40 where the rates are
/// what 419 observed interruptions say of them: 1.96 x sqrt(419 + 18/2) = 40.5.
TEST(Uncertainty, OfLlama3sInterruptionsIsThatOfTheirCount) {
  constexpr std::uint64_t kSeed = 1;
  const PointSource source("llama3-405b-54d", {"study.uncertain=[]", "study.step_time_error=false"}, kSeed);
  SeededStudy study(source, kSeed, 2);
  const PointNumber point = study.experiment.add(source.point().point);
  ASSERT_TRUE(study.experiment.ensure(std::vector<PointNumber>{point}, 200));
  const CarriedUncertainty carried =
      carry_uncertainty(study.experiment, source, {}, point, 200, {.seed = kSeed, .replicas_each = 4});
  ASSERT_TRUE(carried.result.has_value());
  const UncertainMetric* found = carried.result->find("interruptions");
  ASSERT_NE(found, nullptr);
  const double chance = (found->known.ci95->high - found->known.ci95->low) / 2;
  const double all = (found->ci95->high - found->ci95->low) / 2;
  std::printf("seed %d: %.1f +- %.1f, with parameter uncertainty %.1f +- %.1f; one run %.0f to %.0f\n",
              static_cast<int>(kSeed), *found->known.mean, chance, *found->mean, all, *found->p5,
              *found->p95);
  EXPECT_LT(chance, 3.2);
  // The deviation of 200 draws is known to 5%, their mean to 20.5 / sqrt(200) = 1.5.
  EXPECT_NEAR(all, 40.5, 0.15 * 40.5);
  // Gamma(n + 1/2) has the mean n + 1/2, 18 times; the mean as given is known to 1.5, too.
  EXPECT_NEAR(*found->mean, *found->known.mean + 9, 3 * 2.2);
  EXPECT_NEAR(found->parameter_variance, 428, 0.3 * 428);
  EXPECT_NEAR(found->run_variance, 419, 0.35 * 419);
  // One run scatters by both: 1.645 x sqrt(428 + 419) = 48 to each side.
  EXPECT_NEAR((*found->p95 - *found->p5) / 2, 48, 0.15 * 48);
}

/// The price of a GPU-hour changes no run: what is not known about it leaves every finishing time where it was, of runs that
/// give up too.
TEST(Uncertainty, AParameterThatDoesNotMatterChangesNoFinish) {
  constexpr std::uint64_t kSeed = 1;
  constexpr std::uint32_t kReplicas = 60;
  const PointSource source(
      "scenarios/tiny-8.toml",
      {"study.step_time_error=false", "spares.count=0", "repair.crew=1", "job.give_up_after=4h",
       "job.steps=200000", "job.window=70d", "faults.gpu_lost.mtbf=75d", "faults.link_flap.mtbf=100d",
       R"(study.uncertain=[{path="cost.gpu_hour",low="2USD",high="3USD"}])"},
      kSeed);
  SeededStudy study(source, kSeed, 2);
  const PointNumber point = study.experiment.add(source.point().point);
  ASSERT_TRUE(study.experiment.ensure(std::vector<PointNumber>{point}, kReplicas));
  const std::vector<double> finish = finish_times(study.experiment, point, kReplicas);
  const ShareOfRuns share = share_by(finish, 8 * 86'400);
  ASSERT_GT(share.hits, 0U);
  ASSERT_LT(share.hits, kReplicas);  // some do give up
  // Twenty draws of three runs meet the same faults as the 60 runs as given.
  const CarriedUncertainty carried =
      carry_uncertainty(study.experiment, source, {}, point, kReplicas,
                        {.seed = kSeed, .draws = 20, .replicas_each = 3, .finish_by = 8 * 86'400});
  ASSERT_TRUE(carried.result.has_value());
  EXPECT_EQ(carried.result->draws, 20U);
  EXPECT_DOUBLE_EQ(*carried.result->share_by_date, *share.value());
  EXPECT_EQ(carried.result->finish.at(5), percentiles_of(finish).at(5));
  const UncertainMetric* hours = carried.result->find("gpu_hours");
  EXPECT_EQ(hours->parameter_variance, 0);
  // What chance leaves is left: both intervals are of the mean of the same 60 runs. The scatter of 20 draws of three tells
  // their variance to a third, so the width to a sixth.
  const double chance = hours->known.ci95->high - hours->known.ci95->low;
  EXPECT_GT(chance, 0);
  EXPECT_NEAR(hours->ci95->high - hours->ci95->low, chance, 0.5 * chance);
  // Runs that gave up are later than all others: the finish has percentiles, and neither a mean nor a variance.
  const UncertainMetric* wall = carried.result->find("wall_time_s");
  EXPECT_EQ(carried.result->finish.never, carried.result->known_never);
  EXPECT_GT(carried.result->known_never, 0U);
  EXPECT_EQ(wall->mean, std::nullopt);
  EXPECT_EQ(wall->ci95, std::nullopt);
  EXPECT_EQ(wall->p5, percentiles_of(finish).at(5));
  EXPECT_FALSE(carried.result->finish_variance);
  EXPECT_EQ(carried.finish.moved_by, std::vector<double>(20, 0.0));
}

/// The headline of a plan and its table are of the same runs: the share by the date is that of all runs of all draws, and
/// lies where their percentiles say.
TEST(Uncertainty, TheShareByTheDateIsThatOfTheRunsWhoseQuantilesAreShown) {
  constexpr std::uint64_t kSeed = 2;
  constexpr double kDate = 20.95 * 86'400;
  const PointSource source("one-fault",
                           {"job.steps=864000",
                            "faults.crash={ component=\"host\", effect=\"crash\", "
                            "remedy=\"restart\", log=\"crashed\", rate={ count=7, over=\"7d x 8 hosts\" } }"},
                           kSeed);
  SeededStudy study(source, kSeed);
  const PointNumber point = study.experiment.add(source.point().point);
  const CarriedUncertainty carried = carry_uncertainty(study.experiment, source, {}, point, 40,
                                                       {.seed = kSeed, .draws = 30, .finish_by = kDate});
  ASSERT_TRUE(carried.result.has_value());
  const Uncertainty& found = *carried.result;
  EXPECT_EQ(found.runs(), 240U);
  const std::vector<double>& percentiles = found.finish.percentiles;
  ASSERT_EQ(percentiles.size(), 99U);
  const auto done =
      std::count_if(percentiles.begin(), percentiles.end(), [](double at) { return at <= kDate; });
  EXPECT_GT(done, 5);
  EXPECT_LT(done, 95) << "a date that tells something";
  EXPECT_NEAR(*found.share_by_date, static_cast<double>(done) / 100, 0.015);
  EXPECT_TRUE(found.share_ci95->low < *found.share_by_date && *found.share_by_date < found.share_ci95->high);
}

TEST(Unknowns, ALogTHasTheDegreesThatItIsGiven) {
  const std::vector<Unknown> all = unknowns(
      {R"(study.uncertain=[{path="repair.time.median",low="4h",high="16h",shape="log-t",degrees=4}])"});
  const Unknown* time = find(all, "repair.time.median");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->shown.distribution, "log-t, 4 degrees of freedom");
  EXPECT_NEAR(time->value_at(0.05), 4 * 3600, 1e-6);
  EXPECT_NEAR(time->value_at(0.95), 16 * 3600, 1e-6);
  // t of 4 degrees at 95% and 99%: 2.131846786, 3.746947388 (tables); the median is 8 h.
  EXPECT_NEAR(time->value_at(0.99), 8 * 3600 * std::exp2(3.746947388 / 2.131846786), 1e-3);
  EXPECT_EQ(time->value_at(0.9999), time->value_at(0.999));
}

TEST(Unknowns, NoDrawMakesAStepFasterThanThePeakRate) {
  const std::vector<Unknown> all = unknowns(
      {R"(study.uncertain=[{path="job.step_time_factor",low=0.4,high=3.2,shape="log-t",degrees=1}])"});
  const Unknown* factor = find(all, "job.step_time_factor");
  ASSERT_NE(factor, nullptr);
  EXPECT_GT(factor->least, 0.2) << "the MFU of the step model";
  EXPECT_LT(factor->least, 0.7);
  EXPECT_LT(factor->value_at(0.001), 0.1);
  EXPECT_EQ(factor->used_at(0.001), factor->least);
  // The scenario takes it.
  EXPECT_FALSE(unknowns({"job.step_time_factor=" + factor->text_at(0.001)}).empty());
  EXPECT_EQ(factor->used_at(0.9), factor->value_at(0.9));
}

/// The ends of a factor are shown as they are drawn, and both of them are moved in the sensitivity.
TEST(Unknowns, AFactorThatIsCutShowsWhereDrawsEnd) {
  const std::string on = "study.step_time_error=true";
  const std::vector<Unknown> whole = unknowns({on, "job.step_time_factor=0.9"});
  EXPECT_EQ(find(whole, "job.step_time_factor")->shown.cut, "");
  const std::vector<Unknown> all = unknowns({on, "job.step_time_factor=0.5"});
  const Unknown* factor = find(all, "job.step_time_factor");
  ASSERT_NE(factor, nullptr);
  ASSERT_LT(factor->low, factor->least) << "more than 5% of the draws are cut";
  EXPECT_EQ(factor->shown.low, fmt::format("{:.4g}", factor->least));
  EXPECT_EQ(factor->shown.high, fmt::format("{:.4g}", factor->high));
  EXPECT_NE(factor->shown.cut.find("where the MFU is 100%"), std::string::npos);
  for (std::uint32_t draw = 0; draw < 500; ++draw)
    for (const Setting& each : draw_of({factor, 1}, 1, draw)) EXPECT_GE(std::stod(each.value), factor->least);
}

TEST(Sensitivity, KeepsAFactorThatIsCut) {
  constexpr std::uint64_t kSeed = 1;
  // tiny-8 takes 0.4 and more of what the model says.
  const double least =
      least_step_time_factor(load_scenario("scenarios/tiny-8.toml", {}).scenario->world,
                             StepModel(load_scenario("scenarios/tiny-8.toml", {}).scenario->world));
  const PointSource source(
      "scenarios/tiny-8.toml",
      {fmt::format("job.step_time_factor={}", 1.1 * least), "job.steps=1000", "job.window=10d"}, kSeed);
  SeededStudy study(source, kSeed);
  const PointNumber point = study.experiment.add(source.point().point);
  const Sensitivities found =
      sensitivity(study.experiment, source, {}, point, {.seed = kSeed, .replicas = 5});
  ASSERT_TRUE(found.tornado);
  const auto bar = std::find_if(found.tornado->bars.begin(), found.tornado->bars.end(),
                                [](const Sensitivity& each) { return each.path == kStepTimeFactor; });
  ASSERT_NE(bar, found.tornado->bars.end());
  EXPECT_LT(bar->at_low.by.value(), 0);
  EXPECT_GT(bar->at_high.by.value(), 0);
  EXPECT_FALSE(bar->cut.empty());
}

/// A step time that the user draws takes the place of the modelled one.
TEST(Unknowns, ADrawnStepTimeTakesThePlaceOfTheModel) {
  const std::vector<Unknown> all =
      unknowns({"study.step_time_error=true",
                R"(study.uncertain=[{path="job.step_time",low="4s",high="5s",shape="uniform"},)"
                R"({path="job.step_time_factor",low=0.9,high=1.2}])"});
  EXPECT_EQ(find(all, "job.step_time_factor"), nullptr);
  const Unknown* step = find(all, "job.step_time");
  ASSERT_NE(step, nullptr);
  EXPECT_TRUE(step->shown.given.ends_with("s (modelled)")) << step->shown.given;
  EXPECT_NEAR(std::stod(step->shown.given), to_seconds(StepModel(load({}).scenario->world).healthy()), 0.05);
  // Of a measured one, what was measured.
  EXPECT_EQ(find(unknowns({"job.step_time=4500ms",
                           R"(study.uncertain=[{path="job.step_time",low="4s",high="5s"}])"}),
                 "job.step_time")
                ->shown.given,
            "4500ms");
}

std::string what_check_says(std::vector<std::string> sets) {
  sets.emplace_back("study.step_time_error=false");
  std::string text;
  for (const Problem& problem : check_draws(PointSource("scenarios/tiny-8.toml", std::move(sets), 1), 1))
    text += problem.text() + "\n";
  return text;
}

TEST(CheckDraws, RefusesWhatAPlanRefuses) {
  EXPECT_EQ(what_check_says({}), "");
  EXPECT_EQ(what_check_says({R"(study.uncertain=[{path="repair.time.mean",low="4h",high="16h"}])"}), "");
  // An end that is not possible.
  const std::string fast =
      what_check_says({R"(study.uncertain=[{path="job.step_time_factor",low=0.01,high=1.2}])"});
  EXPECT_NE(fast.find("study.uncertain"), std::string::npos) << fast;
  EXPECT_NE(fast.find("faster than the GPUs' peak rate"), std::string::npos) << fast;
  // In a file, the place is that of the range.
  const std::string file = testing::TempDir() + "check_draws.toml";
  std::ofstream(file) << "extends = \"" + std::filesystem::absolute("scenarios/tiny-8.toml").string() +
                             "\"\n[study]\n"
                             "uncertain = [{path = \"job.step_time_factor\", low = 0.01, high = 1.2}]\n";
  const std::vector<Problem> placed = check_draws(PointSource(file, {}, 1), 1);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed.front().file, file) << placed.front().text();
  EXPECT_EQ(placed.front().line, 3U);
  // Ends that are, and a tail beyond all time.
  const std::string late = what_check_says(
      {R"(study.uncertain=[{path="repair.time.mean",low="1h",high="100h",shape="log-t",degrees=1}])"});
  EXPECT_NE(late, "");
  EXPECT_EQ(
      what_check_says(
          {R"(study.uncertain=[{path="repair.time.mean",low="1h",high="2h",shape="log-t",degrees=30}])"}),
      "");
}

TEST(Unknowns, AModelledStepTimeHasTheErrorOfItsStack) {
  const std::string on = "study.step_time_error=true", path = "job.step_time_factor";
  const std::vector<Unknown> all = unknowns({on});
  const Unknown* factor = find(all, path);
  ASSERT_NE(factor, nullptr);
  const StepTimeError error = *step_time_error(held_out_steps(), "llama3");
  EXPECT_DOUBLE_EQ(factor->low, error.low);
  EXPECT_NEAR(factor->value_at(0.05), error.low, 1e-9);
  EXPECT_NEAR(factor->value_at(0.5), error.median(), 1e-9);
  EXPECT_NEAR(factor->value_at(0.95), error.high, 1e-9);
  EXPECT_EQ(factor->shown.distribution,
            "log-t, 5 degrees of freedom: errors of the step model (llama3) on published steps");
  // None of a measured one, none where it is switched off, and a user's own in place of it.
  EXPECT_EQ(find(unknowns({on, "job.step_time=6s"}), path), nullptr);
  EXPECT_EQ(find(unknowns({}), path), nullptr);
  const std::vector<Unknown> own =
      unknowns({on, R"(study.uncertain=[{path="job.step_time_factor",low=0.9,high=1.2}])"});
  EXPECT_EQ(find(own, path)->high, 1.2);
  EXPECT_EQ(own.size(), all.size());
  EXPECT_EQ(
      find(unknowns({on, R"(study.uncertain=[{path="job.calibration.gemm_efficiency",low=0.5,high=0.7}])"}),
           path),
      nullptr);
  // A scenario that knows its own factor is off by as much around that. The bias of the model is in the factor already.
  const std::vector<Unknown> known = unknowns({on, "job.step_time_factor=1.5"});
  EXPECT_NEAR(find(known, path)->value_at(0.5), 1.5, 1e-9);
  EXPECT_NEAR(find(known, path)->high, 1.5 * error.high / error.median(), 1e-9);
}

/// A job that meets no fault takes a start and its steps, so the distribution of its finish is that of the factor.
TEST(Uncertainty, WithoutFaultsTheFinishIsInProportionToTheStepTime) {
  constexpr std::uint64_t kSeed = 3;
  const PointSource source(
      "scenarios/tiny-8.toml",
      {"faults.gpu_lost.mtbf=never", "faults.slow_host.mtbf=never", "faults.process_stuck.mtbf=never",
       "faults.host_down.mtbf=never", "faults.link_flap.rate={count=1, over=\"100000d x 64 nics\"}",
       "job.planned.times=[]", "telemetry.gap_mtbf=0s", "job.start.scheduling=20s", "job.steps=100000",
       "job.window=100d", "storage.free=true", "storage.stall=0s", "storage.persist=0s",
       R"(study.uncertain=[{path="cost.gpu_hour",low="2USD",high="3USD"}])"},
      kSeed);
  SeededStudy study(source, kSeed, 2);
  const PointNumber point = study.experiment.add(source.point().point);
  ASSERT_TRUE(study.experiment.ensure(std::vector<PointNumber>{point}, 10));
  const Scenario& scenario = study.experiment.point(point).scenario;
  const double work = 100'000 * to_seconds(StepModel(scenario.world).healthy());
  const double start = finish_times(study.experiment, point, 1).at(0) - work;
  ASSERT_GT(start, 0);
  ASSERT_LT(start, 600);
  const CarriedUncertainty carried = carry_uncertainty(study.experiment, source, {}, point, 10,
                                                       {.seed = kSeed, .draws = 200, .replicas_each = 2});
  ASSERT_TRUE(carried.result);
  const Uncertainty& found = *carried.result;
  ASSERT_TRUE(found.step_error);
  // Quantiles of a log-t, exactly.
  const double middle = std::log(found.step_error->low * found.step_error->high) / 2;
  const double degrees = found.step_error->degrees;
  EXPECT_EQ(degrees, 6) << "four, and two publications of the stack";
  const double scale =
      std::log(found.step_error->high / found.step_error->low) / (2 * student_t_quantile(0.95, degrees));
  const auto truth = [&](double p) {
    return start + work * std::exp(middle + scale * student_t_quantile(p, degrees));
  };
  for (const std::size_t percent : {5U, 25U, 50U, 75U, 90U, 95U}) {
    const double p = static_cast<double>(percent) / 100;
    const Interval ci95 = found.finish.ci95_at(percent).value();
    EXPECT_LE(ci95.low, truth(p)) << percent;
    EXPECT_GE(ci95.high, truth(p)) << percent;
    // Its ends are order statistics of 200 draws: two standard errors of the share away, and as much by chance.
    const double far = 4 * std::sqrt(p * (1 - p) / 200);
    EXPECT_GT(ci95.low, truth(std::max(p - far, 0.001))) << percent;
    EXPECT_LT(ci95.high, truth(std::min(p + far, 0.999))) << percent;
  }
  // The step time causes all of it; a rate that strikes nobody and a price cause nothing.
  ASSERT_TRUE(found.finish_variance);
  ASSERT_EQ(found.parameters.size(), 3U);
  double total = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool step = found.parameters[i].path == kStepTimeFactor;
    const VarianceShare& share = found.finish_variance->unknowns[i];
    EXPECT_NEAR(share.value, step ? 1 : 0, 1e-6) << found.parameters[i].path;
    EXPECT_LE(share.ci95.low, step ? 1 : 0);
    EXPECT_GE(share.ci95.high, step ? 1 - 1e-6 : 0);
    total += share.value;
  }
  EXPECT_NEAR(total + found.finish_variance->runs.value + found.finish_variance->joint, 1, 1e-9);
  // The variance of a log-t that ends at its 0.1% and 99.9% values: by quadrature over the density of Student's T.
  const double end = student_t_quantile(0.999, degrees);
  const double front =
      std::tgamma((degrees + 1) / 2) / (std::sqrt(degrees * std::numbers::pi) * std::tgamma(degrees / 2));
  double mean = 0.001 * (std::exp(scale * end) + std::exp(-scale * end));
  double squares = 0.001 * (std::exp(2 * scale * end) + std::exp(-2 * scale * end));
  constexpr int kParts = 100'000;
  for (int i = 0; i < kParts; ++i) {
    const double t = end * (2 * (i + 0.5) / kParts - 1);
    const double weight = front * std::pow(1 + t * t / degrees, -(degrees + 1) / 2) * 2 * end / kParts;
    mean += weight * std::exp(scale * t);
    squares += weight * std::exp(2 * scale * t);
  }
  const double variance = work * work * std::exp(2 * middle) * (squares - mean * mean);
  EXPECT_NEAR(found.finish_variance->variance, variance, 0.005 * variance);
  // What the draws do to the time without faults is all that they do.
  for (const double moved : carried.finish.moved_by) EXPECT_NEAR(moved, 0, 1e-3);
  EXPECT_EQ(carried.finish.longer.size(), 200U);
}

}  // namespace
}  // namespace gauntlet
