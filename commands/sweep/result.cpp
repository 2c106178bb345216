#include "commands/sweep/result.hpp"

#include <algorithm>

namespace gauntlet {

std::string SweepResult::settings_text(const SweptPoint& point) const {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += (text.empty() ? "" : ", ") + fields[i].path + " = " + fields[i].values[point.at[i]];
  return text;
}

// The same events are not enough: a slow host that nobody notices changes the time of a step and no event.
bool SweepResult::nothing_changes() const {
  const auto same = [](const NamedStatistics& one, const NamedStatistics& other) {
    return one.statistics == other.statistics;
  };
  return points.size() > 1 && std::ranges::all_of(points, [&](const SweptPoint& point) {
           const Summary& first = points.front().summary;
           return point.summary.fingerprint == first.fingerprint &&
                  std::ranges::equal(point.summary.metrics, first.metrics, same);
         });
}

std::uint64_t SweepResult::replicas() const {
  std::uint64_t all = 0;
  for (const SweptPoint& point : points) all += point.summary.replicas;
  return all;
}

std::string currency_of(const SweepResult& result) {
  return result.points.empty() ? ScenarioFacts{}.currency : result.points.front().summary.facts.currency;
}

}  // namespace gauntlet
