#include "sim/replica.hpp"

#include "core/quantity.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gauntlet {
namespace {

std::runtime_error too_much(Time now, Seed seed) {
  const Duration took = now - kStart;
  return std::runtime_error(fmt::format(
      "replica {} (seed {}) has {} million observations and faults on record after {}, one every {}; "
      "no more are kept of one run; set a shorter job.window or fewer job.steps: the report then says what "
      "happens so often",
      seed.replica, seed.study, kMostOnRecord / 1'000'000, to_text(took),
      to_text(took / static_cast<std::int64_t>(kMostOnRecord))));
}

}  // namespace

bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record) {
  record.clear();
  cluster.reset(seed, full_telemetry, stop);
  Recorder recorder(cluster, record);
  run(recorder, policy, kNever);
  if (cluster.finished()) return true;
  if (cluster.has_too_much_on_record()) throw too_much(cluster.now(), seed);
  // A job that waits forever has no more events, so it ends without `Finished`. It is not an abandoned replica.
  return stop == nullptr || !stop->load();
}

}  // namespace gauntlet
