#include "study/results/metrics.hpp"

#include "core/contract.hpp"

namespace gauntlet {
namespace {

constexpr double kSecondsPerHour = 3600;
Fraction plain(double value) { return {.numerator = value, .denominator = 1}; }
constexpr Fraction kUndefined = {.numerator = 0, .denominator = 0};

double effective_seconds(const Figures& of) { return to_seconds(at(of.phases, Phase::effective)); }

double gpu_hours(const ScenarioFacts& facts, const Figures& of) {
  return facts.gpus_held * to_seconds(of.wall) / kSecondsPerHour;
}

double cost(const ScenarioFacts& facts, const Figures& of) {
  return gpu_hours(facts, of) * facts.gpu_hour.value;
}

void add_rates(const ScenarioFacts& facts, std::vector<Metric>& all) {
  all.push_back({"ettr", [](const Figures& of) {
                   return Fraction{effective_seconds(of), to_seconds(of.wall)};
                 }});
  all.push_back({"training_rate", [](const Figures& of) {
                   return Fraction{to_seconds(of.iteration_time), to_seconds(of.wall)};
                 }});
  all.push_back(
      {"mfu", [work = facts.flops_per_step, gpus = facts.gpus, peak = facts.peak](const Figures& of) {
         return Fraction{static_cast<double>(of.steps) * work.value, gpus * peak.value * to_seconds(of.wall)};
       }});
  all.push_back({"goodput_tokens_per_s", [tokens = facts.tokens_per_step](const Figures& of) {
                   return Fraction{static_cast<double>(of.steps) * tokens, to_seconds(of.wall)};
                 }});
  all.push_back({"wall_time_s", [](const Figures& of) { return plain(to_seconds(of.wall)); }});
  all.push_back({"steps", [](const Figures& of) { return plain(static_cast<double>(of.steps)); }});
  all.push_back(
      {"gave_up", [](const Figures& of) { return plain(of.ending == Ending::gave_up ? 1.0 : 0.0); }});
}

void add_failures(std::vector<Metric>& all) {
  all.push_back({"interruptions", [](const Figures& of) { return plain(of.interruptions); }});
  all.push_back({"planned_stops", [](const Figures& of) { return plain(of.planned_stops); }});
  all.push_back({"false_alarms", [](const Figures& of) { return plain(of.false_alarms); }});
  all.push_back({"mttf_s", [](const Figures& of) {
                   return Fraction{to_seconds(of.wall), of.unplanned_rate * to_seconds(of.wall)};
                 }});
  all.push_back({"detection_latency_s", [](const Figures& of) {
                   return Fraction{to_seconds(of.detection_latency_sum), static_cast<double>(of.detected)};
                 }});
}

void add_decisions_and_bill(const ScenarioFacts& facts, std::vector<Metric>& all) {
  all.push_back({"evictions.right", [](const Figures& of) { return plain(of.evictions_right); }});
  all.push_back({"evictions.wrong", [](const Figures& of) { return plain(of.evictions_wrong); }});
  all.push_back({"asked", [](const Figures& of) { return plain(of.asked); }});
  all.push_back({"spares.max_in_use", [](const Figures& of) { return plain(of.spares_max_in_use); }});
  all.push_back({"spares.waited", [](const Figures& of) {
                   return plain(at(of.phases, Phase::waiting_for_spare) > Duration::zero() ? 1.0 : 0.0);
                 }});
  all.push_back({"gpu_hours", [facts](const Figures& of) { return plain(gpu_hours(facts, of)); }});
  all.push_back({"cost", [facts](const Figures& of) {
                   return facts.gpu_hour.value > 0 ? plain(cost(facts, of)) : kUndefined;
                 }});
  all.push_back({"cost.lost", [facts](const Figures& of) {
                   const double wall = to_seconds(of.wall);
                   if (!(facts.gpu_hour.value > 0 && wall > 0)) return kUndefined;
                   return plain(cost(facts, of) * ((wall - effective_seconds(of)) / wall));
                 }});
  all.push_back({"cost.per_effective_gpu_hour", [facts](const Figures& of) {
                   if (!(facts.gpu_hour.value > 0)) return kUndefined;
                   return Fraction{cost(facts, of), facts.gpus * effective_seconds(of) / kSecondsPerHour};
                 }});
  all.push_back(
      {"effective_corrupt_s", [](const Figures& of) { return plain(to_seconds(of.effective_corrupt)); }});
}

void add_losses(const ScenarioFacts& facts, std::vector<Metric>& all) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    if (static_cast<Phase>(phase) == Phase::effective) continue;
    all.push_back({"lost_s." + std::string(kPhaseNames[phase]),
                   [phase](const Figures& of) { return plain(to_seconds(of.phases[phase])); }});
  }
  const std::vector<std::string> causes = cause_names(facts);
  for (std::size_t cause = 0; cause < causes.size(); ++cause)
    all.push_back({"lost_s.by_cause." + causes[cause], [cause](const Figures& of) {
                     expect(cause < of.lost.size(), "every cause has its lost time");
                     return plain(to_seconds(lost_to(of, {static_cast<std::uint32_t>(cause)})));
                   }});
  for (std::size_t kind = 0; kind < facts.faults.size(); ++kind)
    all.push_back({"faults." + facts.faults[kind], [kind](const Figures& of) {
                     expect(kind < of.faults.size(), "every fault kind has its count");
                     return plain(of.faults[kind]);
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
