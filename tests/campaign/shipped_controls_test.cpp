// The controls of the means in every shipped scenario (study/controls.hpp): theory says that their mean is zero, whatever policies do.
#include "config/scenario.hpp"
#include "study/replica.hpp"
#include "study/tilted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kReplicas = 60;

LoadedScenario load(const std::string& path, const std::vector<std::string>& sets = {}) {
  LoadedScenario loaded = load_scenario(path, sets);
  if (!loaded.scenario) throw std::runtime_error(path + " cannot be loaded");
  return loaded;
}

std::vector<std::string> shipped() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("scenarios"))
    if (entry.path().extension() == ".toml" && entry.path().string().find("/catalog/") == std::string::npos)
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ShippedControls, HaveTheMeanZero) {
  constexpr double kAllowedErrors = 4.5;  // 1 in 150,000 for each of some two hundred controls
  std::size_t looked_at = 0, of_work = 0;
  for (const std::string& path : shipped()) {
    const LoadedScenario loaded = load(path);
    const std::size_t kinds = loaded.scenario->world.faults.size();
    std::vector<double> sums(kinds + 1), squares(kinds + 1);
    Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
    for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
      const Figures& figures = simulation.run({.seed = 3, .replica = replica});
      for (std::size_t i = 0; i <= kinds; ++i) {
        const double value = i < kinds ? figures.compensated[i] : figures.compensated_work;
        sums[i] += value;
        squares[i] += value * value;
      }
    }
    for (std::size_t i = 0; i <= kinds; ++i) {
      if (squares[i] < kReplicas / 10.0) continue;  // hardly any strike
      ++looked_at;
      of_work += i == kinds ? 1 : 0;
      EXPECT_LT(std::abs(sums[i]), kAllowedErrors * std::sqrt(squares[i]))
          << path << ": " << (i < kinds ? loaded.scenario->world.faults[i].name : "work");
    }
  }
  EXPECT_GT(looked_at, 50U);
  EXPECT_GT(of_work, 4U);
}

TEST(ShippedControls, HaveItInManyReplicasAndWhereStopsAreTilted) {
  constexpr double kAllowedErrors = 4;
  constexpr std::uint32_t kMany = 4000;
  for (const double tilt : {1.0, 3.0}) {
    LoadedScenario loaded = load("scenarios/one-fault.toml");
    tilt_faults(loaded.scenario->world, tilt);
    Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
    double sum = 0, squares = 0;
    for (std::uint32_t replica = 0; replica < kMany; ++replica) {
      const double work = simulation.run({.seed = 4, .replica = replica}).compensated_work;
      sum += work;
      squares += work * work;
    }
    EXPECT_GT(squares, kMany) << "strikes take work";
    EXPECT_LT(std::abs(sum), kAllowedErrors * std::sqrt(squares)) << "tilt " << tilt;
  }
}

TEST(ShippedControls, TheWorkThatStopsTookSaysHowMuchIsRecomputed) {
  const LoadedScenario loaded = load("scenarios/llama3-405b-54d.toml");
  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  std::vector<double> recomputed, strikes, work;
  for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
    const Figures& figures = simulation.run({.seed = 3, .replica = replica});
    recomputed.push_back(to_seconds(at(figures.phases, Phase::recomputing)));
    strikes.push_back(figures.interruptions);
    work.push_back(figures.compensated_work);
  }
  const auto centred = [](std::vector<double>& values) {
    double mean = 0;
    for (const double value : values) mean += value / kReplicas;
    for (double& value : values) value -= mean;
  };
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto take_out = [&](const std::vector<double>& of, std::vector<double>& from) {
    const double slope = product(of, from) / product(of, of);
    for (std::size_t i = 0; i < of.size(); ++i) from[i] -= slope * of[i];
  };
  for (std::vector<double>* each : {&recomputed, &strikes, &work}) centred(*each);
  take_out(strikes, recomputed);
  take_out(strikes, work);
  const double left_by_strikes = product(recomputed, recomputed);
  take_out(work, recomputed);
  EXPECT_LT(product(recomputed, recomputed), 0.3 * left_by_strikes);
}

}  // namespace
}  // namespace gauntlet
