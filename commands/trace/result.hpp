// What a failure trace holds: which laws fit the times between failures and the repairs, and how unevenly nodes fail.
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// The file that was read, and how many of its records were used or rejected.
struct TraceSource {
  std::string version;
  std::string file, format;
  std::uint64_t read = 0, used = 0;                             // read = used + rejected
  std::vector<std::pair<std::string, std::uint64_t>> rejected;  // by reason, those that are not zero
  std::vector<Problem> problems;                                // one for each, the first ones of very many
  std::vector<std::string> warnings;                            // what that does to the figures, for people
  std::uint64_t out_of_order = 0, without_end = 0, without_node = 0, other_duration = 0, duplicates = 0;
  std::uint32_t first_out_of_order = 0;  // its line
  std::vector<std::string> unread_columns;
  std::uint64_t selected = 0;          // by what the next two say
  std::vector<std::string> selection;  // "system 20"; empty: everything
  std::string first, last;             // onsets of those, ISO 8601
  std::uint64_t rejected_count() const { return read - used; }
};

struct LawFit {
  std::string law;
  std::vector<std::pair<std::string, double>>
      parameters;                     // in seconds where they end in _s; mu: of their logarithm
  std::optional<double> shape_error;  // standard error of shape or sigma
  double log_likelihood = 0, aic = 0, kolmogorov_smirnov = 0;
  std::optional<double> anderson_darling;  // none: infinite
};

/// Durations with the laws that fit them. Those of zero are counted before the convention, all else after it.
struct FittedDurations {
  std::string of;             // "20", "hardware"; empty: all
  std::uint64_t records = 0;  // that they come from
  std::uint64_t count = 0, zeros = 0;
  std::optional<double> mean_with_zeros_s;
  std::uint64_t used = 0;
  std::optional<double> mean_s, median_s, variation;  // variation: standard deviation over mean
  std::vector<LawFit> fits;
  std::optional<std::size_t> best;  // by AIC
  const LawFit* find(std::string_view law) const {
    for (const LawFit& fit : fits)
      if (fit.law == law) return &fit;
    return nullptr;
  }
};

struct NodeShare {
  std::string system;
  std::uint64_t failures = 0, nodes = 0, top_nodes_1 = 0, top_nodes_5 = 0;
  double on_top_1 = 0, on_top_5 = 0;  // shares of the failures
  bool stated = false;            // how many nodes there are; else those that failed are all that is known
  double dispersion = 0;          // variance over mean of a node's failures
  std::optional<double> p_value;  // of it, where all nodes failed alike
};

struct CauseShare {
  std::string cause;
  std::uint64_t failures = 0;
};

struct TraceFit {
  TraceSource source;
  std::string zeros;     // "drop", "minute", "keep"
  bool by_node = false;  // gaps are a node's own, not the system's
  std::vector<CauseShare> causes;
  std::vector<FittedDurations> systems;   // gaps by system; the last is all of them where there are several
  std::vector<FittedDurations> by_cause;  // gaps between failures of one cause
  std::vector<FittedDurations> repairs;   // all, then by cause
  std::vector<NodeShare> nodes;           // by system, where nodes are named
  std::vector<std::string> warnings;      // what the figures cannot bear, for people
};
std::string to_json(const TraceFit& result);

/// What `gauntlet trace import` wrote.
struct TraceImport {
  TraceSource source;
  std::string out;
  std::uint64_t written = 0;       // onsets
  std::uint64_t hosts = 0;         // that a scenario needs
  std::uint64_t zero_repairs = 0;  // repair times of zero, which no law of a scenario has
  std::uint64_t without_node = 0;  // records that no host stands for
  std::string origin;              // of its times
  std::vector<CauseShare> causes;
};
std::string to_json(const TraceImport& result);

}  // namespace gauntlet
