// How a probe is carried out on a real host, and what its metric is compared with. A simulation uses neither.
#pragma once

#include "core/infinity.hpp"
#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What is wrong with a host whose metric is beyond an absolute line.
enum class Breach : std::uint8_t { degraded, fail };

/// Numbers are in the unit of the probe's metric.
struct ProbeThreshold {
  double at_least = -kInfinity;
  double at_most = kInfinity;
  /// For parts whose kind has the word in its name, such as H100, in place of at_least.
  std::map<std::string, double> at_least_by_kind = {};
  Breach breach = Breach::fail;
  double of_peers = 0;      // the share of the peers' median that is still good, in (0, 1]; 0: not compared
  std::string source = {};  // where these numbers come from

  /// For parts of that kind. Of two words in its name the longer one counts.
  double least_of(std::string_view kind) const {
    std::string_view longest;
    double least = at_least;
    for (const auto& [word, value] : at_least_by_kind)
      if (word.size() > longest.size() && kind.find(word) != std::string_view::npos) {
        longest = word;
        least = value;
      }
    return least;
  }
};

enum class Better : std::uint8_t { higher, lower };

/// A program that examines the host. It passes with exit code 0.
struct ProbeCommand {
  std::vector<std::string> arguments;  // the first one is the program; empty: a probe of Gauntlet's own
  std::string metric;                  // RE2; the first group is a number; empty: the exit code says all
  std::string unit;                    // of the metric
  Better better = Better::higher;

  bool given() const { return !arguments.empty(); }
};

struct ProbeMeasure {
  // As long as DLRover's check of a node may take (https://github.com/intelligent-machine-learning/dlrover).
  Duration deadline = std::chrono::minutes(3);
  ProbeThreshold threshold;
  ProbeCommand command;
};

}  // namespace gauntlet
