#include "sim/replica.hpp"

namespace gauntlet {

void run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry, Record& record) {
  record.clear();
  cluster.reset(seed, full_telemetry);
  Recorder recorder(cluster, record);
  run(recorder, policy, kNever);
}

}  // namespace gauntlet
