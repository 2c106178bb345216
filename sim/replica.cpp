#include "sim/replica.hpp"

namespace gauntlet {

bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record) {
  record.clear();
  cluster.reset(seed, full_telemetry, stop);
  Recorder recorder(cluster, record);
  run(recorder, policy, kNever);
  // A job that waits forever has no more events, so it ends without `Finished`. It is not an abandoned replica.
  return cluster.finished() || stop == nullptr || !stop->load();
}

}  // namespace gauntlet
