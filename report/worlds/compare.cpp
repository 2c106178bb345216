#include "report/worlds/compare.hpp"

#include "study/paired.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace gauntlet {
namespace {

using FractionOf = std::function<Fraction(const Figures&)>;

Fraction per_run(double value) { return {.numerator = value, .denominator = 1}; }

double seconds_of(const Latencies& latencies) {
  double sum = 0;
  for (const Latencies::Bin& bin : latencies.bins())
    sum += static_cast<double>(bin.count) * to_seconds(Latencies::middle_of(bin.number));
  return sum;
}

/// Totals over the incidents of a run: those that `cause` opened, or all.
struct IncidentTotals {
  double count = 0, seconds = 0, starts = 0, evictions = 0;
  PhaseTimes lost{};
  explicit IncidentTotals(const Figures& figures, std::optional<Cause> cause = std::nullopt) {
    for (const Incident& each : figures.incidents) {
      if (cause && each.cause != *cause) continue;
      ++count;
      seconds += to_seconds(each.closed - each.opened);
      starts += each.restarts;
      evictions += each.evictions_right + each.evictions_wrong;
      for (std::size_t phase = 0; phase < kPhases; ++phase) lost[phase] += each.lost[phase];
    }
  }
};

/// Adds figures of one fault kind, or of the whole run, which are not zero in every run.
class FigureList {
 public:
  FigureList(std::span<const DrillPair> pairs, std::vector<WorldFigure>& into) : pairs_(pairs), into_(into) {}

  void add(const std::string& fault, const std::string& name, WorldUnit unit, WorldPer per,
           const FractionOf& of) {
    std::vector<Fraction> simulated, measured;
    for (const DrillPair& pair : pairs_) {
      simulated.push_back(of(pair.simulated));
      measured.push_back(of(pair.measured));
    }
    const auto zero = [](const Fraction& each) { return each.numerator == 0; };
    if (std::ranges::all_of(simulated, zero) && std::ranges::all_of(measured, zero)) return;
    into_.push_back({.fault = fault,
                     .name = name,
                     .unit = unit,
                     .per = per,
                     .measured = ratio_of_totals(measured),
                     .simulated = ratio_of_totals(simulated),
                     .of = paired_difference(simulated, measured)});
  }

 private:
  static std::optional<double> ratio_of_totals(const std::vector<Fraction>& of) {
    double numerator = 0, denominator = 0;
    for (const Fraction& each : of) {
      numerator += each.numerator;
      denominator += each.denominator;
    }
    return denominator > 0 ? std::optional(numerator / denominator) : std::nullopt;
  }

  std::span<const DrillPair> pairs_;
  std::vector<WorldFigure>& into_;
};

void add_whole_run(FigureList& list) {
  list.add("", "ETTR", WorldUnit::share, WorldPer::time, [](const Figures& of) {
    return Fraction{to_seconds(at(of.phases, Phase::effective)), to_seconds(of.wall)};
  });
  list.add("", "wall time", WorldUnit::seconds, WorldPer::run,
           [](const Figures& of) { return per_run(to_seconds(of.wall)); });
  list.add("", "incidents", WorldUnit::count, WorldPer::run,
           [](const Figures& of) { return per_run(IncidentTotals(of).count); });
  list.add("", "until progress is regained", WorldUnit::seconds, WorldPer::incident, [](const Figures& of) {
    const IncidentTotals totals(of);
    return Fraction{totals.seconds, totals.count};
  });
  list.add("", "detection latency", WorldUnit::seconds, WorldPer::fault, [](const Figures& of) {
    Fraction latency{0, 0};
    for (const FaultScore& kind : of.fault_scores) {
      latency.numerator += seconds_of(kind.latencies);
      latency.denominator += static_cast<double>(kind.latencies.count());
    }
    return latency;
  });
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    list.add("", std::string(kPhaseNames[phase]), WorldUnit::seconds, WorldPer::run,
             [phase](const Figures& of) { return per_run(to_seconds(of.phases[phase])); });
}

void add_fault_kind(FigureList& list, const std::string& name, FaultKindId kind) {
  const auto of_score = [&](const char* figure, WorldUnit unit, WorldPer per,
                            Fraction (*of)(const FaultScore&)) {
    list.add(name, figure, unit, per,
             [kind, of](const Figures& figures) { return of(figures.fault_scores[kind.value]); });
  };
  of_score("faults", WorldUnit::count, WorldPer::run, [](const FaultScore& of) { return per_run(of.met); });
  of_score("detected", WorldUnit::count, WorldPer::run,
           [](const FaultScore& of) { return per_run(of.detected); });
  of_score("missed", WorldUnit::count, WorldPer::run,
           [](const FaultScore& of) { return per_run(of.missed); });
  of_score("detection latency", WorldUnit::seconds, WorldPer::fault, [](const FaultScore& of) {
    return Fraction{seconds_of(of.latencies), static_cast<double>(of.latencies.count())};
  });
  const Cause cause = cause_of(kind);
  const auto per_incident = [&](const char* figure, WorldUnit unit, double IncidentTotals::*total) {
    list.add(name, figure, unit, WorldPer::incident, [cause, total](const Figures& of) {
      const IncidentTotals totals(of, cause);
      return Fraction{totals.*total, totals.count};
    });
  };
  per_incident("until progress is regained", WorldUnit::seconds, &IncidentTotals::seconds);
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    list.add(name, std::string(kPhaseNames[phase]), WorldUnit::seconds, WorldPer::incident,
             [cause, phase](const Figures& of) {
               const IncidentTotals totals(of, cause);
               return Fraction{to_seconds(totals.lost[phase]), totals.count};
             });
  per_incident("starts", WorldUnit::count, &IncidentTotals::starts);
  per_incident("evictions", WorldUnit::count, &IncidentTotals::evictions);
  list.add(name, "share of wall time", WorldUnit::share, WorldPer::time, [cause](const Figures& of) {
    return Fraction{to_seconds(lost_to(of, cause)), to_seconds(of.wall)};
  });
}

}  // namespace

std::vector<WorldFigure> compare_worlds(std::span<const DrillPair> pairs,
                                        const std::vector<std::string>& faults) {
  std::vector<WorldFigure> figures;
  FigureList list(pairs, figures);
  add_whole_run(list);
  for (std::uint32_t kind = 0; kind < faults.size(); ++kind)
    add_fault_kind(list, faults[kind], FaultKindId{kind});
  return figures;
}

}  // namespace gauntlet
