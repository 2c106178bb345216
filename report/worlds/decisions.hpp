// The decisions of two runs that met the same faults, and where they first differ.
#pragma once

#include "core/time.hpp"
#include "report/side_by_side.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace gauntlet {

/// The first decision that one run took and the other did not take in that place.
struct FirstDifference {
  std::string side;         // Side::name of the run that took it
  std::string decision;     // the order, without its id and times
  Time at;                  // when it was given
  std::string observation;  // that it answers, with its time
  friend bool operator==(const FirstDifference&, const FirstDifference&) = default;
};

/// Decisions are the orders that act on the job or its hosts, or that tell a person. Timers and watches are not: how many there are depends on
/// what was measured.
struct Decisions {
  std::size_t same = 0;                         // in both runs, in the same order
  std::size_t left_alone = 0, right_alone = 0;  // in one run, or in another place than in the other
  std::optional<FirstDifference> first = {};    // absent where both runs took the same decisions
};

Decisions compare_decisions(const Side& left, const Side& right);

/// "The decisions are the same: 7.", or how many differ, and the first of them with the observation that it answers.
std::string decisions_text(const Decisions& decisions, const std::string& left, const std::string& right);

}  // namespace gauntlet
