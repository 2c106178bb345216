#include "commands/sweep/result.hpp"

namespace gauntlet {

std::string SweepResult::settings_text(const SweptPoint& point) const {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += (text.empty() ? "" : ", ") + fields[i].path + " = " + fields[i].values[point.at[i]];
  return text;
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
