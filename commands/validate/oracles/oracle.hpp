// A figure that the simulator is held to: the small world that it is of, what it must be, and the conventions under which
// that is so.
#pragma once

#include "commands/validate/oracles/result.hpp"
#include "core/random/stream.hpp"
#include "study/summary/metrics.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Runs one replica and says what it adds to each figure of its oracle. A deterministic function of the seed; it may keep a
/// workspace from replica to replica, and is not thread-safe.
using OracleSampler = std::function<void(Seed seed, std::span<Fraction> out)>;

struct OracleFigure {
  std::string what;       // "share of the time that waits for a spare"
  double expected = 0;    // in `unit`
  std::string source;     // the formula and its address
  std::string unit = {};  // empty: a plain number
  PolicyBound bound = {PolicyJudge::z, 4};
  std::optional<double> published =
      {};  // where `expected` is a better value of the same figure than what was printed
};

struct Oracle {
  std::string name;         // "spares, S = 16, lognormal repair"
  std::string conventions;  // the clock of the faults, and what costs nothing
  std::vector<OracleFigure> figures;
  std::uint32_t few = 1;                   // replicas of a test ...
  std::uint32_t many = 1;                  // ... and of the whole answer
  std::function<OracleSampler()> sampler;  // a new one for each thread
};

/// Every oracle of the policies, by what it is about.
std::vector<Oracle> policy_oracles();

// By file.
std::vector<Oracle> interval_oracles();
std::vector<Oracle> two_level_oracles();
std::vector<Oracle> spares_oracles();
std::vector<Oracle> birth_death_oracles();
std::vector<Oracle> peer_memory_oracles();
std::vector<Oracle> renewal_oracles();

}  // namespace gauntlet
