#include "study/summary/metrics.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kSecondsPerHour = 3600;
Fraction plain(double value) { return {.numerator = value, .denominator = 1}; }
constexpr Fraction kUndefined = {.numerator = 0, .denominator = 0};

void add(std::vector<Metric>& all, std::string name, Worse worse,
         std::function<Fraction(const Figures&)> of) {
  const RunValue value = run_value_of(name);
  all.push_back({.name = std::move(name),
                 .worse = worse,
                 .value = value,
                 .of = std::move(of),
                 .pool = {},
                 .quantile = 0});
}

/// The sum of a part over the fault kinds.
template <class Part>
double sum(const Figures& of, Part part) {
  double all = 0;
  for (const FaultScore& kind : of.fault_scores) all += static_cast<double>(kind.*part);
  return all;
}
template <>
double sum(const Figures& of, Duration FaultScore::*part) {
  Duration all{};
  for (const FaultScore& kind : of.fault_scores) all += kind.*part;
  return to_seconds(all);
}

double effective_seconds(const Figures& of) { return to_seconds(at(of.phases, Phase::effective)); }

/// For which the job had given its hosts back.
double released_hours(const ScenarioFacts& facts, const Figures& of) {
  return facts.gpus * to_seconds(of.released) / kSecondsPerHour;
}

double gpu_hours(const ScenarioFacts& facts, const Figures& of) {
  return facts.gpus_held * to_seconds(of.wall) / kSecondsPerHour - released_hours(facts, of);
}

double cost(const ScenarioFacts& facts, const Figures& of) {
  constexpr double kHoursPerMonth = 720;
  const double hours = to_seconds(of.wall) / kSecondsPerHour;
  const double idle = (facts.gpus_held - facts.gpus) * hours;
  return (gpu_hours(facts, of) - idle) * facts.gpu_hour.value +
         idle * facts.idle_gpu_hour.value_or(facts.gpu_hour).value +
         facts.storage_month.value * hours / kHoursPerMonth;
}

void add_rates(const ScenarioFacts& facts, std::vector<Metric>& all) {
  add(all, "ettr", Worse::low, [](const Figures& of) {
    return Fraction{effective_seconds(of), to_seconds(of.wall)};
  });
  add(all, "training_rate", Worse::low, [](const Figures& of) {
    return Fraction{to_seconds(of.iteration_time), to_seconds(of.wall)};
  });
  add(all, "mfu", Worse::low,
      [work = facts.flops_per_step, gpus = facts.gpus, peak = facts.peak](const Figures& of) {
        return Fraction{static_cast<double>(of.steps) * work.value, gpus * peak.value * to_seconds(of.wall)};
      });
  add(all, "goodput_tokens_per_s", Worse::low, [tokens = facts.tokens_per_step](const Figures& of) {
    return Fraction{static_cast<double>(of.steps) * tokens, to_seconds(of.wall)};
  });
  add(all, "wall_time_s", Worse::high, [](const Figures& of) { return plain(to_seconds(of.wall)); });
  add(all, "steps", Worse::low, [](const Figures& of) { return plain(static_cast<double>(of.steps)); });
  add(all, "gave_up", Worse::high,
      [](const Figures& of) { return plain(of.ending == Ending::gave_up ? 1.0 : 0.0); });
}

void add_failures(std::vector<Metric>& all) {
  add(all, "interruptions", Worse::high, [](const Figures& of) { return plain(of.interruptions); });
  add(all, "planned_stops", Worse::neither, [](const Figures& of) { return plain(of.planned_stops); });
  add(all, "preemptions", Worse::high, [](const Figures& of) { return plain(of.preemptions); });
  add(all, "false_alarms", Worse::high, [](const Figures& of) { return plain(of.false_alarms); });
  add(all, "mttf_s", Worse::low, [](const Figures& of) {
    return Fraction{to_seconds(of.wall), of.unplanned_rate * to_seconds(of.wall)};
  });
  add(all, "detection_latency_s", Worse::high, [](const Figures& of) {
    return Fraction{to_seconds(of.detection_latency_sum), static_cast<double>(of.detected)};
  });
}

Metric latency_quantile(std::string name, double p, std::shared_ptr<const Metric::Pool> pool) {
  const auto of_one = [p, pool](const Figures& of) {
    Latencies own;
    (*pool)(of, own);
    const std::optional<Duration> latency = own.quantile(p);
    return latency ? plain(to_seconds(*latency)) : kUndefined;
  };
  return {.name = std::move(name),
          .worse = Worse::high,
          .value = RunValue::amount,
          .of = of_one,
          .pool = std::move(pool),
          .quantile = p};
}

void add_detection(std::vector<Metric>& all) {
  using Score = FaultScore;
  const auto pool = std::make_shared<const Metric::Pool>([](const Figures& of, Latencies& pooled) {
    for (const Score& kind : of.fault_scores) pooled.add(kind.latencies);
  });
  all.push_back(latency_quantile("detection_latency_p50_s", 0.5, pool));
  all.push_back(latency_quantile("detection_latency_p95_s", 0.95, pool));
  add(all, "handled_share", Worse::low, [](const Figures& of) {
    return Fraction{sum(of, &Score::handled), sum(of, &Score::incidents)};
  });
  add(all, "detection_and_diagnosis_s", Worse::high, [](const Figures& of) {
    return Fraction{sum(of, &Score::handled_time), sum(of, &Score::handled)};
  });
  add(all, "detection.recall", Worse::low, [](const Figures& of) {
    const double detected = sum(of, &Score::detected);
    return Fraction{detected, detected + sum(of, &Score::missed)};
  });
  add(all, "detection.precision", Worse::low, [](const Figures& of) {
    const double detected = sum(of, &Score::detected);
    return Fraction{detected, detected + of.false_alarms + of.false_alerts};
  });
  add(all, "false_alerts", Worse::high, [](const Figures& of) { return plain(of.false_alerts); });
  add(all, "missed_faults", Worse::high, [](const Figures& of) { return plain(sum(of, &Score::missed)); });
  add(all, "missed_cost_s", Worse::high,
      [](const Figures& of) { return plain(sum(of, &Score::missed_cost)); });
}

void add_detection_of(const std::string& fault, std::size_t kind, std::vector<Metric>& all) {
  const std::string prefix = "detection.by_kind." + fault + ".";
  const auto add_of = [&](const char* name, Worse worse, Fraction (*measure)(const FaultScore&)) {
    add(all, prefix + name, worse, [kind, measure](const Figures& of) {
      expect(kind < of.fault_scores.size(), "every fault kind has its score");
      return measure(of.fault_scores[kind]);
    });
  };
  const auto pool = std::make_shared<const Metric::Pool>(
      [kind](const Figures& of, Latencies& pooled) { pooled.add(of.fault_scores[kind].latencies); });
  add_of("met", Worse::high, [](const FaultScore& of) { return plain(of.met); });
  add_of("detected", Worse::neither, [](const FaultScore& of) { return plain(of.detected); });
  add_of("missed", Worse::high, [](const FaultScore& of) { return plain(of.missed); });
  add_of("recall", Worse::low, [](const FaultScore& of) {
    return Fraction{static_cast<double>(of.detected), static_cast<double>(of.detected) + of.missed};
  });
  all.push_back(latency_quantile(prefix + "latency_p50_s", 0.5, pool));
  all.push_back(latency_quantile(prefix + "latency_p95_s", 0.95, pool));
  add_of("missed_cost_s", Worse::high,
         [](const FaultScore& of) { return plain(to_seconds(of.missed_cost)); });
  add_of("handled_share", Worse::low, [](const FaultScore& of) {
    return Fraction{static_cast<double>(of.handled), static_cast<double>(of.incidents)};
  });
  add_of("detection_and_diagnosis_s", Worse::high, [](const FaultScore& of) {
    return Fraction{to_seconds(of.handled_time), static_cast<double>(of.handled)};
  });
  add_of("evictions_wrong", Worse::high, [](const FaultScore& of) { return plain(of.evictions_wrong); });
  add_of("wrong_evictions_cost_s", Worse::high,
         [](const FaultScore& of) { return plain(to_seconds(of.wrong_evictions)); });
}

void add_decisions_and_bill(const ScenarioFacts& facts, std::vector<Metric>& all) {
  add(all, "evictions.right", Worse::neither, [](const Figures& of) { return plain(of.evictions_right); });
  add(all, "evictions.wrong", Worse::high, [](const Figures& of) { return plain(of.evictions_wrong); });
  add(all, "evictions.precision", Worse::low, [](const Figures& of) {
    return Fraction{static_cast<double>(of.evictions_right),
                    static_cast<double>(of.evictions_right) + of.evictions_wrong};
  });
  add(all, "wrong_evictions_cost_s", Worse::high,
      [](const Figures& of) { return plain(to_seconds(of.wrong_evictions)); });
  add(all, "asked", Worse::high, [](const Figures& of) { return plain(of.asked); });
  add(all, "spares.max_in_use", Worse::high, [](const Figures& of) { return plain(of.spares_max_in_use); });
  add(all, "spares.waited", Worse::high, [](const Figures& of) {
    return plain(at(of.phases, Phase::waiting_for_spare) > Duration::zero() ? 1.0 : 0.0);
  });
  add(all, "replicas.shrunk", Worse::high, [](const Figures& of) { return plain(of.shrunk); });
  add(all, "replicas.fewest", Worse::low, [](const Figures& of) { return plain(of.fewest_replicas); });
  add(all, "gpu_hours", Worse::high, [facts](const Figures& of) { return plain(gpu_hours(facts, of)); });
  add(all, "cost", Worse::high,
      [facts](const Figures& of) { return facts.has_price() ? plain(cost(facts, of)) : kUndefined; });
  add(all, "cost.lost", Worse::high, [facts](const Figures& of) {
    const double wall = to_seconds(of.wall);
    if (!(facts.has_price() && wall > 0)) return kUndefined;
    const double lost = (wall - effective_seconds(of)) / wall;
    const double saved = released_hours(facts, of) * facts.gpu_hour.value;
    return plain((cost(facts, of) + saved) * lost - saved);
  });
  add(all, "cost.per_effective_gpu_hour", Worse::high, [facts](const Figures& of) {
    if (!facts.has_price()) return kUndefined;
    return Fraction{cost(facts, of), facts.gpus * effective_seconds(of) / kSecondsPerHour};
  });
  add(all, "effective_corrupt_s", Worse::high,
      [](const Figures& of) { return plain(to_seconds(of.effective_corrupt)); });
}

void add_losses(const ScenarioFacts& facts, std::vector<Metric>& all) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    if (static_cast<Phase>(phase) == Phase::effective) continue;
    add(all, "lost_s." + std::string(kPhaseNames[phase]), Worse::high,
        [phase](const Figures& of) { return plain(to_seconds(of.phases[phase])); });
  }
  const std::vector<std::string> causes = cause_names(facts);
  for (std::size_t cause = 0; cause < causes.size(); ++cause)
    add(all, "lost_s.by_cause." + causes[cause], Worse::high, [cause](const Figures& of) {
      expect(cause < of.lost.size(), "every cause has its lost time");
      return plain(to_seconds(lost_to(of, {static_cast<std::uint32_t>(cause)})));
    });
  for (std::size_t kind = 0; kind < facts.faults.size(); ++kind)
    add(all, "faults." + facts.faults[kind], Worse::high, [kind](const Figures& of) {
      expect(kind < of.faults.size(), "every fault kind has its count");
      return plain(of.faults[kind]);
    });
  for (std::size_t kind = 0; kind < facts.faults.size(); ++kind)
    add_detection_of(facts.faults[kind], kind, all);
}

}  // namespace

bool is_share(std::string_view metric) {
  constexpr std::array<std::string_view, 5> kShares = {"ettr", "training_rate", "mfu", "gave_up",
                                                       "spares.waited"};
  constexpr std::array<std::string_view, 3> kSharesByName = {"recall", "precision", "handled_share"};
  return std::ranges::find(kShares, metric) != kShares.end() ||
         std::ranges::any_of(kSharesByName, [&](std::string_view name) { return metric.ends_with(name); });
}

bool is_time(std::string_view metric) {
  return metric.starts_with("lost_s.") || (metric.ends_with("_s") && !metric.ends_with("_per_s"));
}

RunValue run_value_of(std::string_view metric) {
  constexpr std::pair<std::string_view, RunValue> kOthers[] = {{"gave_up", RunValue::happened},
                                                               {"spares.waited", RunValue::happened},
                                                               {"wall_time_s", RunValue::whole_run},
                                                               {"gpu_hours", RunValue::whole_run},
                                                               {"cost", RunValue::whole_run}};
  for (const auto& [name, value] : kOthers)
    if (name == metric) return value;
  return RunValue::amount;
}

std::vector<Metric> metrics_of(const ScenarioFacts& facts) {
  std::vector<Metric> all;
  add_rates(facts, all);
  add_failures(all);
  add_detection(all);
  add_decisions_and_bill(facts, all);
  add_losses(facts, all);
  return all;
}

Worse worse_of(const ScenarioFacts& facts, std::string_view metric) {
  for (const Metric& each : metrics_of(facts))
    if (each.name == metric) return each.worse;
  return Worse::neither;
}

std::vector<std::string> cause_names(const ScenarioFacts& facts) {
  std::vector<std::string> names(kCauseNames.begin(), kCauseNames.end());
  names.insert(names.end(), facts.faults.begin(), facts.faults.end());
  return names;
}

}  // namespace gauntlet
