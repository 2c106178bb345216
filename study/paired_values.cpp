#include "study/paired_values.hpp"

#include "core/contract.hpp"
#include "study/paired.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace gauntlet {
namespace {

constexpr double kSecondsPerDay = 86400;

using Column = std::vector<double>;                         // by replica
using Part = std::pair<std::string, std::optional<Phase>>;  // as LossDifference has it
using Columns = std::map<Part, Column>;

std::vector<Fraction> over(const Column& lost, const std::vector<double>& wall, Basis basis) {
  std::vector<Fraction> out(lost.size());
  for (std::size_t i = 0; i < lost.size(); ++i)
    out[i] = {lost[i], basis == Basis::day ? wall[i] / kSecondsPerDay : 1};
  return out;
}

void add(Column& to, const Column& more) {
  if (to.empty()) to.assign(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

double mean_of(const std::vector<Fraction>& of) {
  double numerator = 0, denominator = 0;
  for (const Fraction& each : of) {
    numerator += each.numerator;
    denominator += each.denominator;
  }
  return denominator > 0 ? numerator / denominator : 0;
}

LossDifference difference_of(const Part& part, const Column& first, const Column& second,
                             const PointValues& a, const PointValues& b, Basis basis) {
  const std::vector<Fraction> of_first = over(first, a.wall, basis), of_second = over(second, b.wall, basis);
  return {.cause = part.first,
          .phase = part.second,
          .first = mean_of(of_first),
          .second = mean_of(of_second),
          .of = paired_difference(of_first, of_second)};
}

// Both sides of every part, with zeros where one never lost anything.
struct TwoSides {
  Columns first, second;

  TwoSides(const PointValues& a, const PointValues& b, Part (*part_of)(const PointValues::Cell&)) {
    for (const auto& [cell, lost] : a.lost) add(first[part_of(cell)], lost);
    for (const auto& [cell, lost] : b.lost) add(second[part_of(cell)], lost);
    for (const auto& [part, lost] : first) second.try_emplace(part, a.wall.size(), 0.0);
    for (const auto& [part, lost] : second) first.try_emplace(part, a.wall.size(), 0.0);
  }
};

std::vector<LossDifference> parts(const PointValues& a, const PointValues& b, Basis basis,
                                  Part (*part_of)(const PointValues::Cell&)) {
  const TwoSides sides(a, b, part_of);
  std::vector<LossDifference> out;
  for (const auto& [part, lost] : sides.first)
    out.push_back(difference_of(part, lost, sides.second.at(part), a, b, basis));
  std::ranges::stable_sort(out, std::greater<>(), [](const LossDifference& each) {
    return std::abs(each.of.difference.value_or(0));
  });
  return out;
}

Part cause_and_phase(const PointValues::Cell& cell) { return cell; }
Part cause_alone(const PointValues::Cell& cell) { return {cell.first, std::nullopt}; }
Part phase_alone(const PointValues::Cell& cell) { return {"", cell.second}; }
Part everything(const PointValues::Cell&) { return {"", std::nullopt}; }

// Adds to each replica how far its own difference of one part is from the mean one.
void add_distances(const LossDifference& part, const Column& first, const Column& second,
                   const PointValues& a, const PointValues& b, Basis basis, Column& distances) {
  const std::vector<Fraction> of_first = over(first, a.wall, basis), of_second = over(second, b.wall, basis);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const double own = of_second[i].value().value_or(0) - of_first[i].value().value_or(0);
    distances[i] += std::abs(own - (part.second - part.first));
  }
}

std::uint32_t nearest_replica(const std::vector<LossDifference>& means, const PointValues& a,
                              const PointValues& b, Basis basis) {
  const TwoSides sides(a, b, cause_and_phase);
  Column distances(a.wall.size(), 0);
  for (const LossDifference& mean : means) {
    const Part part{mean.cause, mean.phase};
    add_distances(mean, sides.first.at(part), sides.second.at(part), a, b, basis, distances);
  }
  return static_cast<std::uint32_t>(std::ranges::min_element(distances) - distances.begin());
}

}  // namespace

const std::vector<Fraction>* PointValues::find(std::string_view metric) const {
  const auto found = std::ranges::find(names, metric);
  return found == names.end() ? nullptr : &metrics[static_cast<std::size_t>(found - names.begin())];
}

PointValues read_values(const Experiment& experiment, PointNumber point, std::uint32_t count) {
  const ScenarioFacts& facts = experiment.point(point).facts;
  const std::vector<Metric> metrics = metrics_of(facts);
  const std::vector<std::string> causes = cause_names(facts);
  PointValues out;
  for (const Metric& metric : metrics) out.names.push_back(metric.name);
  out.metrics.assign(metrics.size(), {});
  experiment.visit(point, count, [&](std::uint32_t replica, const Figures& figures) {
    expect(replica == out.wall.size() && figures.lost.size() == causes.size(),
           "replicas come whole, in order");
    for (std::size_t i = 0; i < metrics.size(); ++i) out.metrics[i].push_back(metrics[i].of(figures));
    out.wall.push_back(to_seconds(figures.wall));
    if (figures.ending != Ending::completed) out.all_completed = false;
    for (std::size_t cause = 0; cause < causes.size(); ++cause)
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        const Duration lost = figures.lost[cause][phase];
        if (lost == Duration::zero()) continue;
        out.lost.try_emplace({causes[cause], static_cast<Phase>(phase)}, count, 0.0).first->second[replica] =
            to_seconds(lost);
      }
  });
  return out;
}

std::vector<MetricDifference> differences(const PointValues& first, const PointValues& second) {
  std::vector<std::string> names = first.names;
  for (const std::string& name : second.names)
    if (first.find(name) == nullptr) names.push_back(name);
  const std::vector<Fraction> nothing(first.wall.size(), Fraction{0, 1});
  std::vector<MetricDifference> out;
  for (const std::string& name : names) {
    const std::vector<Fraction>*a = first.find(name), *b = second.find(name);
    MetricDifference each;
    each.name = name;
    each.in_first = a != nullptr;
    each.in_second = b != nullptr;
    each.of = paired_difference(a ? *a : nothing, b ? *b : nothing);
    out.push_back(std::move(each));
  }
  return out;
}

LossesApart losses_apart(const PointValues& first, const PointValues& second, Basis basis) {
  LossesApart out;
  if (const auto all = parts(first, second, basis, everything); !all.empty()) out.all = all.front();
  out.by_cause_and_phase = parts(first, second, basis, cause_and_phase);
  out.by_cause = parts(first, second, basis, cause_alone);
  out.by_phase = parts(first, second, basis, phase_alone);
  out.nearest = nearest_replica(out.by_cause_and_phase, first, second, basis);
  return out;
}

}  // namespace gauntlet
