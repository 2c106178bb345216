#include "commands/compare/paired_values.hpp"

#include "commands/compare/paired_losses.hpp"
#include "core/contract.hpp"
#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

namespace gauntlet {
namespace {

constexpr double kSecondsPerDay = 86400;
// Tokens of the work may differ by this share before it is other work: whole steps of another batch.
constexpr double kSameWork = 1e-3;
// Pairs that are read at once: a replica takes about a KiB.
constexpr std::uint32_t kPairsAtOnce = 64;

using SeePair = std::function<void(std::uint32_t replica, const Figures& first, const Figures& second)>;

void for_each_pair(const Experiment& experiment, PointNumber first, PointNumber second, std::uint32_t count,
                   const SeePair& see) {
  std::vector<Figures> of_first(std::min(count, kPairsAtOnce));
  for (std::uint32_t from = 0; from < count; from += kPairsAtOnce) {
    const std::uint32_t pairs = std::min(count - from, kPairsAtOnce);
    experiment.visit(first, from, pairs, [&](std::uint32_t replica, const Figures& figures) {
      of_first[replica - from] = figures;
    });
    experiment.visit(second, from, pairs, [&](std::uint32_t replica, const Figures& figures) {
      see(replica, of_first[replica - from], figures);
    });
  }
}

bool same_work(const ScenarioFacts& a, const ScenarioFacts& b) {
  const double first = static_cast<double>(a.steps) * a.tokens_per_step;
  const double second = static_cast<double>(b.steps) * b.tokens_per_step;
  return first > 0 && second > 0 && std::abs(first - second) <= kSameWork * first;
}

/// A metric of either; null where one does not have it.
struct MetricPair {
  std::string name;
  const Metric* first = nullptr;
  const Metric* second = nullptr;
  PairedStatistics of = {};

  // Of a fault that a scenario does not know there was none.
  static Fraction value(const Metric* metric, const Figures& figures) {
    return metric ? metric->of(figures) : Fraction{0, 1};
  }
};

std::vector<MetricPair> pairs_of(const std::vector<Metric>& first, const std::vector<Metric>& second,
                                 const PairedControls& controls) {
  std::vector<MetricPair> out;
  for (const Metric& metric : first) out.push_back({.name = metric.name, .first = &metric});
  for (const Metric& metric : second) {
    const auto known = std::ranges::find(out, metric.name, &MetricPair::name);
    if (known == out.end()) {
      out.push_back({.name = metric.name, .second = &metric});
    } else {
      known->second = &metric;
    }
  }
  for (MetricPair& each : out) each.of = PairedStatistics(run_value_of(each.name), controls);
  return out;
}

/// One point's losses, by the cells of both.
class LossReader {
 public:
  explicit LossReader(const ScenarioFacts& facts) : causes_(cause_names(facts)) {}

  /// Adds what this replica lost time to.
  void find_cells(const Figures& figures, std::set<LossCell>& cells) {
    expect(figures.lost.size() == causes_.size(), "every cause has its times");
    found_.resize(causes_.size() * kPhases);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] || figures.lost[i / kPhases][i % kPhases] == Duration::zero()) continue;
      found_[i] = true;
      cells.emplace(causes_[i / kPhases], static_cast<Phase>(i % kPhases));
    }
  }
  /// After the last find_cells of either point.
  void fix_cells(const std::set<LossCell>& cells) {
    cells_.clear();
    for (const auto& [cause, phase] : cells)
      cells_.emplace_back(std::ranges::find(causes_, cause) - causes_.begin(),
                          static_cast<std::size_t>(phase));
  }
  const LostTime& read(const Figures& figures, Basis basis) {
    lost_.by_cell.clear();
    for (const auto& [cause, phase] : cells_)
      lost_.by_cell.push_back(cause < figures.lost.size() ? to_seconds(figures.lost[cause][phase]) : 0);
    lost_.over = basis == Basis::day ? to_seconds(figures.wall) / kSecondsPerDay : 1;
    return lost_;
  }

 private:
  std::vector<std::string> causes_;
  std::vector<char> found_;  // by cause and phase
  std::vector<std::pair<std::size_t, std::size_t>>
      cells_;  // cause, phase; another point's cause is past the end
  LostTime lost_;
};

/// Two points through the three passes.
class Holding {
 public:
  Holding(const Experiment& experiment, PointNumber first, PointNumber second, std::uint32_t count)
      : first_facts_(experiment.point(first).facts),
        second_facts_(experiment.point(second).facts),
        of_first_(metrics_of(first_facts_)),
        of_second_(metrics_of(second_facts_)),
        controls_(experiment.paired_controls(first, second, count)),
        metrics_(pairs_of(of_first_, of_second_, controls_)),
        first_(first_facts_),
        second_(second_facts_),
        pass_(
            [=, &experiment](const SeePair& see) { for_each_pair(experiment, first, second, count, see); }) {}

  HeldTogether held() {
    look();
    const std::set<LossCell>& cells = cells_;
    std::vector<LossDivision> divisions = {{cells, everything, controls_},
                                           {cells, cause_and_phase, controls_},
                                           {cells, cause_alone, controls_},
                                           {cells, phase_alone, controls_}};
    add_means(divisions);
    add_scatter(divisions);
    if (const auto all = divisions[0].differences(); !all.empty()) out_.lost = all.front();
    out_.by_cause_and_phase = divisions[1].differences();
    out_.by_cause = divisions[2].differences();
    out_.by_phase = divisions[3].differences();
    for (const MetricPair& metric : metrics_) {
      MetricDifference& each = out_.metrics.emplace_back();
      each.name = metric.name;
      each.in_first = metric.first != nullptr;
      each.in_second = metric.second != nullptr;
      // A quantile of what all replicas have together has no difference by pairs.
      const bool pooled = (each.in_first && metric.first->pool) || (each.in_second && metric.second->pool);
      if (!pooled) each.of = metric.of.difference();
    }
    return std::move(out_);
  }

 private:
  // What the losses are counted over, and what they are lost to; the metrics' means on the way.
  void look() {
    bool equally_long = true, all_completed = true;
    pass_([&](std::uint32_t, const Figures& a, const Figures& b) {
      for (MetricPair& metric : metrics_)
        metric.of.add_mean(MetricPair::value(metric.first, a), MetricPair::value(metric.second, b));
      equally_long = equally_long && a.wall == b.wall;
      all_completed = all_completed && a.ending == Ending::completed && b.ending == Ending::completed;
      first_.find_cells(a, cells_);
      second_.find_cells(b, cells_);
    });
    first_.fix_cells(cells_);
    second_.fix_cells(cells_);
    const bool work = all_completed && same_work(first_facts_, second_facts_);
    out_.basis = equally_long ? Basis::run : work ? Basis::work : Basis::day;
  }

  void add_means(std::vector<LossDivision>& divisions) {
    pass_([&](std::uint32_t, const Figures& a, const Figures& b) {
      for (MetricPair& metric : metrics_)
        if (metric.of.mean_difference())
          metric.of.add_scatter(MetricPair::value(metric.first, a), MetricPair::value(metric.second, b));
      const LostTime &lost_a = first_.read(a, out_.basis), &lost_b = second_.read(b, out_.basis);
      for (LossDivision& division : divisions) division.add_mean(lost_a, lost_b);
    });
  }

  void add_scatter(std::vector<LossDivision>& divisions) {
    double least = kInfinity;
    pass_([&](std::uint32_t replica, const Figures& a, const Figures& b) {
      const LostTime &lost_a = first_.read(a, out_.basis), &lost_b = second_.read(b, out_.basis);
      for (LossDivision& division : divisions) division.add_scatter(lost_a, lost_b);
      const double distance = divisions[1].distance(lost_a, lost_b);
      if (distance >= least) return;
      least = distance;
      out_.nearest = replica;
    });
  }

  const ScenarioFacts &first_facts_, &second_facts_;
  std::vector<Metric> of_first_, of_second_;
  PairedControls controls_;
  std::vector<MetricPair> metrics_;
  LossReader first_, second_;
  std::set<LossCell> cells_;
  std::function<void(const SeePair&)> pass_;
  HeldTogether out_;
};

}  // namespace

HeldTogether hold_together(const Experiment& experiment, PointNumber first, PointNumber second,
                           std::uint32_t count) {
  return Holding(experiment, first, second, count).held();
}

}  // namespace gauntlet
