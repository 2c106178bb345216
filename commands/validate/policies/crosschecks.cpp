#include "commands/validate/policies/crosschecks.hpp"

#include "study/point.hpp"
#include "study/replica.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr PolicyBound within(double share) { return {PolicyJudge::relative, share}; }
constexpr PolicyBound points(double percent) { return {PolicyJudge::absolute, percent}; }

Fraction hours(const Simulation&, const Figures& figures) {
  return {.numerator = to_seconds(figures.wall) / 3600};
}
Fraction work_share(const Simulation&, const Figures& figures) {
  return {.numerator = to_seconds(at(figures.phases, Phase::effective)),
          .denominator = to_seconds(figures.wall)};
}
Fraction work_percent(const Simulation& ran, const Figures& figures) {
  Fraction share = work_share(ran, figures);
  share.numerator *= 100;
  return share;
}
Fraction failures(const Simulation&, const Figures& figures) {
  return {.numerator = static_cast<double>(figures.interruptions)};
}
template <auto count>
Fraction repairs(const Simulation& ran, const Figures&) {
  return {.numerator = static_cast<double>(ran.cluster().repairs_done().*count)};
}
template <auto count>
Fraction spares(const Simulation& ran, const Figures&) {
  return {.numerator = static_cast<double>(ran.cluster().spares_used().*count)};
}

// Its default example over 30 seeds. One replica has as many failures as 250 of the other.
constexpr Elsewhere kAireSim = {"AIReSim, 30 seeds: https://github.com/karthikp-ubc/airesim", 8, 200};
constexpr const char* kDefault = "crosscheck/airesim-default";
// What it prints of 20 seeds, and what it converges to with more.
constexpr Elsewhere kMtbi = {"the MTBI simulator's example, converged (no public address is known to us)",
                             5'000, 40'000};

// Host selections and preemptions are others by model: the scenario says why.
constexpr PublishedFigure kPublished[] = {
    {&kAireSim, kDefault, "training", hours, "h", 9865.97, {}, within(0.01)},
    {&kAireSim, kDefault, "share that is work", work_share, "", 0.6228, {}, within(0.01)},
    {&kAireSim, kDefault, "failures", failures, "", 11'145.6, {}, within(0.01)},
    {&kAireSim, kDefault, "manual repairs", repairs<&RepairCounts::manual>, "", 8922.9, {}, within(0.03)},
    {&kAireSim, kDefault, "repairs that hold", repairs<&RepairCounts::held>, "", 8469.4, {}, within(0.03)},
    {&kAireSim,
     kDefault,
     "repairs that do not",
     repairs<&RepairCounts::silent>,
     "",
     2676.2,
     {},
     within(0.03)},
    {&kAireSim,
     kDefault,
     "host selections",
     spares<&SpareCounts::selections>,
     "",
     42.9,
     {},
     {PolicyJudge::none, 0}},
    {&kAireSim,
     kDefault,
     "preemptions",
     spares<&SpareCounts::preemptions>,
     "",
     13.9,
     {},
     {PolicyJudge::none, 0}},
    {&kMtbi, "crosscheck/mtbi-base", "goodput", work_percent, "%", 80.2, 79.6, points(0.3)},
    {&kMtbi, "crosscheck/mtbi-interval-91min", "goodput", work_percent, "%", 85.7, 85.1, points(0.3)},
    {&kMtbi, "crosscheck/mtbi-half-minute-write", "goodput", work_percent, "%", 92.3, 91.7, points(0.3)},
    {&kMtbi, "crosscheck/mtbi-no-spares", "goodput", work_percent, "%", 35.4, 36.1, points(0.3)},
    {&kMtbi, "crosscheck/mtbi-fast-detection", "goodput", work_percent, "%", 81.1, 80.6, points(0.3)},
};

/// What runs the scenario on one thread.
struct Scratch {
  explicit Scratch(std::shared_ptr<const Point> of)
      : point(std::move(of)), simulation(point->scenario.world, point->scenario.policies) {}
  std::shared_ptr<const Point> point;
  Simulation simulation;
};

}  // namespace

std::span<const PublishedFigure> published_figures() { return kPublished; }

std::vector<std::span<const PublishedFigure>> by_scenario(std::span<const PublishedFigure> figures) {
  std::vector<std::span<const PublishedFigure>> out;
  while (!figures.empty()) {
    const auto last = std::ranges::find_if(figures, [&](const PublishedFigure& figure) {
      return std::string_view(figure.scenario) != figures.front().scenario;
    });
    const auto count = static_cast<std::size_t>(last - figures.begin());
    out.push_back(figures.first(count));
    figures = figures.subspan(count);
  }
  return out;
}

CrossCheck cross_check(std::span<const PublishedFigure> figures) {
  const std::string scenario = figures.front().scenario;
  const LoadedPoint loaded = PointSource(scenario, {}, 1).point();
  if (!loaded.point) return {.oracle = {}, .problems = loaded.problems};
  Oracle oracle{.name = scenario,
                .conventions = "scenarios/" + scenario + ".toml says which",
                .figures = {},
                .few = figures.front().by->few,
                .many = figures.front().by->many,
                .sampler = {}};
  for (const PublishedFigure& figure : figures)
    oracle.figures.push_back({.what = figure.what,
                              .expected = figure.expected,
                              .source = figure.by->source,
                              .unit = figure.unit,
                              .bound = figure.bound,
                              .published = figure.printed});
  oracle.sampler = [point = loaded.point, figures] {
    const auto space = std::make_shared<Scratch>(point);
    return [=](Seed seed, std::span<Fraction> out) {
      const Figures& of = space->simulation.run({.seed = seed.study, .replica = seed.replica});
      for (std::size_t i = 0; i < figures.size(); ++i) out[i] = figures[i].of(space->simulation, of);
    };
  };
  return {.oracle = std::move(oracle), .problems = {}};
}

}  // namespace gauntlet
