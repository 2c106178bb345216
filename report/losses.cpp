#include "report/losses.hpp"

#include "study/summary/metrics.hpp"

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

void sort_and_trim(std::vector<Loss>& losses) {
  std::erase_if(losses, [](const Loss& loss) { return !(loss.seconds > 0); });
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.seconds > b.seconds; });
}

std::optional<double> times_of(const Summary& summary, const std::string& cause) {
  if (cause == kCauseNames[kCausePlanned.value]) return summary.mean("planned_stops");
  if (cause == kCauseNames[kCausePreempted.value]) return summary.mean("preemptions");
  if (cause == kCauseNames[kCauseFewer.value]) return summary.mean("replicas.shrunk");
  if (cause == kCauseNames[kCauseFalseAlarm.value]) return summary.mean("false_alarms");
  return summary.mean("faults." + cause);
}

}  // namespace

std::vector<Loss> losses_by_phase(const Summary& summary) {
  std::vector<Loss> losses;
  for (const std::string_view phase : kPhaseNames)
    if (const auto mean = summary.mean("lost_s." + std::string(phase)))
      losses.push_back({.name = std::string(phase), .seconds = *mean, .times = std::nullopt});
  sort_and_trim(losses);
  return losses;
}

std::vector<Loss> losses_by_cause(const Summary& summary) {
  std::vector<Loss> losses;
  for (const std::string& cause : cause_names(summary.facts))
    if (const auto mean = summary.mean("lost_s.by_cause." + cause))
      losses.push_back({.name = cause, .seconds = *mean, .times = times_of(summary, cause)});
  sort_and_trim(losses);
  return losses;
}

double total(const std::vector<Loss>& losses) {
  double sum = 0;
  for (const Loss& loss : losses) sum += loss.seconds;
  return sum;
}

}  // namespace gauntlet
