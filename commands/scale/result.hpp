// What a job's size does to it: the figures at every size, and the checkpoint interval that is best there.
#pragma once

#include "core/time.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// The interval between checkpoints that loses the least time, in closed form (exact_interval in
/// policies/checkpoint/interval.hpp): exact for exponential failures.
struct BestInterval {
  double seconds = 0;            // no less than a step
  std::optional<Interval> ci95;  // as the mean time to failure is known: Monte Carlo only
  bool every_step = false;       // the formula asks for more checkpoints than there are steps
};

struct ScaledSize {
  std::vector<std::pair<std::string, std::string>> settings;  // over the scenario: what makes this size
  bool own = false;                                           // the scenario as it is
  Summary summary;                                            // its facts have the GPUs
  Duration step{};                                            // healthy
  Duration checkpoint_stall{};                                // training is blocked so long by a checkpoint
  Duration checkpoint_persist{};                              // from there until it is durable
  std::optional<BestInterval> best_interval;                  // nothing where no failure was seen
};

/// A size that no job can have, and the nearest one that it can.
struct RoundedSize {
  std::uint64_t asked = 0, taken = 0;  // GPUs
};

struct ScaleResult {
  std::string scenario;  // name of the base scenario
  std::string question;
  std::string version;
  std::uint64_t seed = 0;
  bool keep_batch = false;        // strong scaling: the global batch stays; else it grows with the job
  std::uint64_t unit = 1;         // GPUs by which the job can grow
  std::vector<ScaledSize> sizes;  // that have a replica, from small to large
  std::uint32_t asked_sizes = 0;  // after rounding
  std::vector<RoundedSize> rounded;
  bool interrupted = false;        // not all that was asked for was run
  std::string checkpoint_policy;   // the scenario's, by name
  Duration checkpoint_interval{};  // the scenario's; of `fixed` what it does, else where it begins
  std::optional<Duration>
      step_time;  // measured at the scenario's own size; other sizes' follow from the step model
};

/// {"command": "scale", "scenario", "version", "seed", "interval", "batch": "scaled" or "kept",
///  "rounded": [{"asked", "taken"}], "best_interval_formula", "sizes": [{"gpus", "own", "settings": {}, "facts": {},
///  "replicas", "fingerprint", "step_s", "checkpoint_stall_s", "best_interval_s": {"value", "ci95", "every_step"},
///  "metrics": {}}]}; "interrupted": true after "interval" where not all was run. What is unknown is null.
std::string to_json(const ScaleResult& result);

}  // namespace gauntlet
