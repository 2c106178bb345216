// result.json: the summary of a study as scripts read it. Nothing in it depends on threads, paths or the time of day.
#pragma once

#include "study/summary/fingerprint_text.hpp"
#include "study/summary/summary.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// One object, ending in a newline:
/// {"scenario", "version", "seed", "currency", "replicas", "fingerprint", "interval",
///  "metrics": {"ettr": {"mean", "sd", "se", "ci95": [low, high], "p1", "p5", "p50", "p95", "p99", "worst_5_mean",
///  "n"}, ...},
///  "detection": {"handled_share", "recall", ..., "by_kind": {FAULT: {"met", "detected", "missed", ...}, ...}}}
/// and after "replicas" "interrupted": true where more replicas were asked for than were done, and "replica" where it is
/// one replica asked for by number. `detection` repeats means of `metrics` (metrics.hpp says what they are). What is unknown
/// is null. Numbers have the digits that read back as the same double.
std::string to_json(const Summary& summary);

struct ParsedSummary {
  std::optional<Summary>
      summary;      // with only those facts that result.json holds: name, version, seed, fault names
  std::string why;  // where there is none
};
ParsedSummary summary_from_json(std::string_view text);

}  // namespace gauntlet
