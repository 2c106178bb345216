// A whole drill in simulation: run_drill, RealCluster, the controller and the agents' supervisors are those of the product;
// clock, processes, streams and ranks are not. A function of the seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

struct SimulatedDrillReport {
  std::string failure;  // empty: all that must hold held
  std::string ending;   // in a word or two, for the statistics
  std::vector<std::string> trace;
  std::uint64_t events = 0;
  std::uint32_t drivers = 0;      // that were started
  std::uint32_t injections = 0;   // that reached a rank
  std::uint32_t clocks = 0;       // whose bounds were compared with the truth
  std::uint64_t fingerprint = 0;  // of the record: the same for the same seed
};

enum class Tracing : std::uint8_t { off, on };
/// Drill files are made under $TMPDIR.
SimulatedDrillReport simulate_drill(std::uint64_t seed, Tracing tracing = Tracing::off);

}  // namespace gauntlet
