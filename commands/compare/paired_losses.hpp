// Lost time of two points in parts, pair by pair.
#pragma once

#include "commands/compare/result.hpp"
#include "study/paired.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// A cause by its name, and the phase: what a second is lost to.
using LossCell = std::pair<std::string, Phase>;
/// A cause, a phase, both or neither, as LossDifference has it.
using LossPart = std::pair<std::string, std::optional<Phase>>;

LossPart cause_and_phase(const LossCell& cell);
LossPart cause_alone(const LossCell& cell);
LossPart phase_alone(const LossCell& cell);
LossPart everything(const LossCell& cell);

/// What one replica lost: seconds by cell, and what they are counted over.
struct LostTime {
  std::vector<double> by_cell;
  double over = 1;
};

/// The cells put together to parts. Every pair is shown twice in one order, as to PairedStatistics.
class LossDivision {
 public:
  LossDivision(const std::set<LossCell>& cells, LossPart (*part_of)(const LossCell&),
               const PairedControls& controls);
  void add_mean(const LostTime& first, const LostTime& second);
  void add_scatter(const LostTime& first, const LostTime& second);
  /// How far the differences of one pair are from the mean ones, added up. After the last add_mean.
  double distance(const LostTime& first, const LostTime& second);
  /// The largest difference first.
  std::vector<LossDifference> differences() const;

 private:
  struct Part {
    LossPart is;
    PairedStatistics of;
    double first() const { return of.first_mean().value_or(0); }
    double second() const { return of.second_mean().value_or(0); }
  };
  /// Fills `first_` and `second_` with the seconds of every part.
  void add_up(const LostTime& first, const LostTime& second);

  std::vector<std::size_t> part_of_;    // by cell, in the order of the cells
  std::vector<Part> parts_;             // in the order of what they are
  std::vector<double> first_, second_;  // of one pair, by part
};

}  // namespace gauntlet
