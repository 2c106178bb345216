#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {

std::string wrapped(std::string text) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  while (text.size() > kWidth) {
    std::size_t end = text.rfind(' ', kWidth);
    if (end == std::string::npos) end = text.find(' ');
    if (end == std::string::npos) break;
    out += text.substr(0, end) + "\n";
    text.erase(0, end + 1);
  }
  return out + text + "\n";
}

std::string counted(double count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

std::string signed_number(const Unit& unit, double value) {
  const std::string number = unit.number(value);
  const bool zero = number.find_first_not_of("-0.,") == std::string::npos;
  return value > 0 && !zero ? "+" + number : number;
}

double half_width(const std::optional<Interval>& of) { return of ? (of->high - of->low) / 2 : 0; }

std::string replay_caveat(const ScenarioFacts& facts) {
  if (facts.replayed.empty()) return "";
  constexpr std::size_t kMost = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMost, facts.replayed.size()); ++i)
    names += (i == 0 ? "`" : ", `") + facts.replayed[i] + "`";
  if (facts.replayed.size() > kMost)
    names += " and " + counted(static_cast<double>(facts.replayed.size() - kMost), "other");
  const bool all = facts.replayed.size() == facts.faults.size();
  return "a trace gives the failures of " + names +
         ", the same ones in every replica. Intervals cover only what each replica draws (" +
         (all ? "repairs, starts and delays" : "the other faults, repairs, starts and delays") +
         "), not how different the failures could have been: they may be much too narrow. `gauntlet trace "
         "fit` "
         "makes faults of the same records that each replica draws";
}

std::string replay_warning(const ScenarioFacts& facts) {
  const std::string caveat = replay_caveat(facts);
  return caveat.empty() ? "" : "Warning: " + caveat + ".";
}

}  // namespace gauntlet
