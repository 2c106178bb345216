#include "sim/replica.hpp"

#include "core/quantity.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gauntlet {
namespace {

std::runtime_error too_many(const Record& record, Seed seed) {
  const Duration took = record.observations.back().at - kStart;
  return std::runtime_error(
      fmt::format("replica {} (seed {}) has {} million observations after {}, one every {}; a run may have "
                  "no more, because all are "
                  "kept until it is scored; set a shorter job.window or fewer job.steps, and look at the "
                  "causes in its report",
                  seed.replica, seed.study, kMostObservations / 1'000'000, to_text(took),
                  to_text(took / static_cast<std::int64_t>(kMostObservations))));
}

}  // namespace

bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record) {
  record.clear();
  cluster.reset(seed, full_telemetry, stop);
  Recorder recorder(cluster, record, kMostObservations);
  run(recorder, policy, kNever);
  // A job that waits forever has no more events, so it ends without `Finished`. It is not an abandoned replica.
  if (cluster.finished()) return true;
  if (stop != nullptr && stop->load()) return false;
  if (record.observations.size() == kMostObservations) throw too_many(record, seed);
  return true;
}

}  // namespace gauntlet
