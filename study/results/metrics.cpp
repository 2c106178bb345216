#include "study/results/metrics.hpp"

#include "core/contract.hpp"

namespace gauntlet {
namespace {

using Value = std::optional<double>;

constexpr double kSecondsPerHour = 3600;

Value ratio(double part, double whole) {
  if (!(whole > 0)) return std::nullopt;
  return part / whole;
}

double gpu_hours(const ScenarioFacts& facts, const Figures& of) {
  return facts.gpus_held * to_seconds(of.wall) / kSecondsPerHour;
}

void add_rates(const ScenarioFacts& facts, std::vector<Metric>& all) {
  all.push_back({"ettr", [](const Figures& of) {
                   return ratio(to_seconds(at(of.phases, Phase::effective)), to_seconds(of.wall));
                 }});
  all.push_back({"training_rate", [](const Figures& of) {
                   return ratio(to_seconds(of.iteration_time), to_seconds(of.wall));
                 }});
  all.push_back(
      {"mfu", [work = facts.flops_per_step, gpus = facts.gpus, peak = facts.peak](const Figures& of) {
         return ratio(static_cast<double>(of.steps) * work.value, gpus * peak.value * to_seconds(of.wall));
       }});
  all.push_back({"goodput_tokens_per_s", [tokens = facts.tokens_per_step](const Figures& of) {
                   return ratio(static_cast<double>(of.steps) * tokens, to_seconds(of.wall));
                 }});
  all.push_back({"wall_time_s", [](const Figures& of) { return Value{to_seconds(of.wall)}; }});
}

void add_failures(std::vector<Metric>& all) {
  all.push_back({"interruptions", [](const Figures& of) { return Value{of.interruptions}; }});
  all.push_back({"planned_stops", [](const Figures& of) { return Value{of.planned_stops}; }});
  all.push_back({"false_alarms", [](const Figures& of) { return Value{of.false_alarms}; }});
  all.push_back({"mttf_s", [](const Figures& of) { return ratio(1, of.unplanned_rate); }});
  all.push_back({"detection_latency_s",
                 [](const Figures& of) { return ratio(to_seconds(of.detection_latency_sum), of.detected); }});
}

void add_decisions_and_bill(const ScenarioFacts& facts, std::vector<Metric>& all) {
  all.push_back({"evictions.right", [](const Figures& of) { return Value{of.evictions_right}; }});
  all.push_back({"evictions.wrong", [](const Figures& of) { return Value{of.evictions_wrong}; }});
  all.push_back({"asked", [](const Figures& of) { return Value{of.asked}; }});
  all.push_back({"spares.max_in_use", [](const Figures& of) { return Value{of.spares_max_in_use}; }});
  all.push_back({"gpu_hours", [facts](const Figures& of) { return Value{gpu_hours(facts, of)}; }});
  all.push_back({"cost", [facts](const Figures& of) {
                   return facts.gpu_hour.value > 0 ? Value{gpu_hours(facts, of) * facts.gpu_hour.value}
                                                   : Value{};
                 }});
  all.push_back(
      {"effective_corrupt_s", [](const Figures& of) { return Value{to_seconds(of.effective_corrupt)}; }});
}

void add_losses(const ScenarioFacts& facts, std::vector<Metric>& all) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    if (static_cast<Phase>(phase) == Phase::effective) continue;
    all.push_back({"lost_s." + std::string(kPhaseNames[phase]),
                   [phase](const Figures& of) { return Value{to_seconds(of.phases[phase])}; }});
  }
  const std::vector<std::string> causes = cause_names(facts);
  for (std::size_t cause = 0; cause < causes.size(); ++cause)
    all.push_back({"lost_s.by_cause." + causes[cause], [cause](const Figures& of) {
                     expect(cause < of.lost_by_cause.size(), "every cause has its lost time");
                     return Value{to_seconds(of.lost_by_cause[cause])};
                   }});
  for (std::size_t kind = 0; kind < facts.faults.size(); ++kind)
    all.push_back({"faults." + facts.faults[kind], [kind](const Figures& of) {
                     expect(kind < of.faults.size(), "every fault kind has its count");
                     return Value{of.faults[kind]};
                   }});
}

}  // namespace

std::vector<Metric> metrics_of(const ScenarioFacts& facts) {
  std::vector<Metric> all;
  add_rates(facts, all);
  add_failures(all);
  add_decisions_and_bill(facts, all);
  add_losses(facts, all);
  return all;
}

std::vector<std::string> cause_names(const ScenarioFacts& facts) {
  std::vector<std::string> names(kCauseNames.begin(), kCauseNames.end());
  names.insert(names.end(), facts.faults.begin(), facts.faults.end());
  return names;
}

}  // namespace gauntlet
