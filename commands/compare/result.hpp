// What a comparison of scenarios found: every figure's difference, what makes it, and the replica that shows it best.
#pragma once

#include "score/figures.hpp"
#include "study/summary/paired_difference.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// One of the scenarios that are compared.
struct ComparedScenario {
  std::string label;    // what people call it: its file, or what it changes
  std::string command;  // `gauntlet run` of it with its settings and the seed, without --replica
  std::vector<std::pair<std::string, std::string>> settings;  // path -> value, of a variant
  Summary summary;
};

struct MetricDifference {
  std::string name;
  /// Of a scenario that does not have the metric (a fault kind that only the other one knows): it counts as zero there.
  bool in_first = true, in_second = true;
  std::optional<double> first, second;  // means; absent where undefined
  PairedDifference of;
};

/// What lost time is counted over, so that its difference means something.
enum class Basis : std::uint8_t {
  run,   // every replica took equally long in both: what one lost more, it trained less
  work,  // both did the same work: the one that lost more took longer
  day,   // neither: the time lost of a day of wall time
};

/// Lost time by what it was charged to: seconds of a run, or of a day of wall time.
struct LossDifference {
  std::string cause;           // empty: all of them
  std::optional<Phase> phase;  // absent: all of them
  double first = 0, second = 0;
  PairedDifference of;
};

/// An incident of both (commands/compare/pair_incidents.hpp), or of one alone.
struct IncidentPair {
  std::string cause;
  std::optional<Incident> first, second;
};

/// One replica of both.
struct ShownReplica {
  std::uint32_t replica = 0;
  Figures first, second;                // their incidents are in `incidents` alone
  std::vector<IncidentPair> incidents;  // by time
};

/// One scenario against the first.
struct Comparison {
  std::uint32_t second = 1;  // its number among the scenarios
  Basis basis = Basis::run;
  std::vector<MetricDifference> metrics;
  LossDifference lost;                  // all of it
  std::vector<LossDifference> because;  // by cause and phase; the largest difference first, as in those below
  std::vector<LossDifference> by_phase, by_cause;
  /// The replica whose own differences by cause and phase are nearest to the mean ones, by the sum of their distances.
  std::optional<ShownReplica> shown;

  const MetricDifference* find(std::string_view name) const {
    for (const MetricDifference& metric : metrics)
      if (metric.name == name) return &metric;
    return nullptr;
  }
};

struct CompareResult {
  std::vector<ComparedScenario> scenarios;  // the first is what the others are held against
  std::vector<Comparison> comparisons;
  std::uint64_t seed = 0;          // of all
  std::uint32_t replicas = 0;      // of each, paired by their numbers
  bool interrupted = false;        // more were asked for
  std::vector<std::string> notes;  // what a reader would not expect: a seed that was not a scenario's own
};

/// {"command": "compare", "seed", "replicas", "interval", "scenarios": [{"label", "command", "metrics"...}, ...],
///  "differences": [{"scenario", "against", "basis", "lost", "metrics": {"ettr": {"first", "second", "difference", "se",
///  "ci95", "variance_factor"}, ...}, "because": [{"cause", "phase", "first_s", "second_s", "difference_s", ...}, ...],
///  "replica", "incidents": [...]}, ...], "notes"}. What is unknown is null, as is the difference of costs in two currencies.
std::string to_json(const CompareResult& result);

}  // namespace gauntlet
