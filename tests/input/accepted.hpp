// Every number, duration and rate of a scenario at its extremes: what is accepted, and what then becomes of a short run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gauntlet {

/// One field of a scenario and what it is set to.
struct Case {
  std::string scenario;  // a shipped one, cut short
  std::string set;       // "path=value"
  /// What repeats it by hand.
  std::string command() const;
};

/// Every field of the scenario that takes a number, with the smallest and largest that its description allows and awkward ones.
std::vector<Case> extreme_cases(const std::string& scenario);

/// Of `cases`, every `apart`th, from the first on: the same in each run of a test.
std::vector<Case> every(std::size_t apart, std::vector<Case> cases);

struct Tried {
  bool accepted = false;
  std::string failure;  // empty: refused with its place, or run for a while without a broken contract
};

/// Reads the scenario, and runs it over a bounded number of events, in a process of its own, which has a bounded CPU time.
Tried outcome_of(const Case& each);

}  // namespace gauntlet
