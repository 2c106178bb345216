#include "sim/replica.hpp"

namespace gauntlet {

bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record) {
  record.clear();
  cluster.reset(seed, full_telemetry, stop);
  Recorder recorder(cluster, record);
  run(recorder, policy, kNever);
  // A job that waits for ever ends without a word, as nothing happens any more: that is no replica that was abandoned.
  return cluster.finished() || stop == nullptr || !stop->load();
}

}  // namespace gauntlet
