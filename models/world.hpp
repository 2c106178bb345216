// What the world is made of: the data that config fills from a scenario and the simulator brings to life.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"
#include "core/quantity.hpp"
#include "core/random/law.hpp"
#include "models/calibration/calibration.hpp"
#include "models/fault.hpp"
#include "models/hardware.hpp"
#include "models/topology/fabric.hpp"
#include "models/workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// A test that looks for broken hosts. It may miss (per fault kind) and may accuse (false positives).
struct ProbeKind {
  std::string name;
  Duration time{};  // to run once, on any number of hosts in parallel
  std::uint32_t group =
      1;  // hosts that run it together (neighbours in slot order): it fails for all of them or none
  Probability false_positive;        // per healthy group and run
  std::vector<Probability> detects;  // per fault kind, by FaultKindId
  std::string source;
};

/// The phases of a restart before training, in order. Checkpoint load comes from `StorageModel`.
struct StartChain {
  Law scheduling = Law::constant(0);
  Law process_start = Law::constant(0);
  Law communicator_init = Law::constant(0);
  Law warm_up = Law::constant(0);
};

struct PlannedStop {
  Time at;
  Duration hold;  // how long the job is wanted stopped
};

struct JobModel {
  std::string name;
  Transformer model;
  Training training;
  Calibration calibration;  // the software stack, for models/step
  Layout layout;
  std::uint32_t global_batch = 1;  // sequences
  std::uint32_t micro_batch = 1;   // sequences
  Duration step_time{};            // zero: from models/step
  std::int64_t steps = 0;          // the work; zero: no end but `window`
  Duration window{};               // wall time that the scenario looks at; zero: until the work is done
  Duration give_up_after{};        // without progress
  StartChain start;
  Duration stop_time{};  // to end every rank
  std::vector<PlannedStop> planned_stops;
};

enum class CheckpointMode : std::uint8_t {
  synchronous,  // training waits until the last byte is durable
  two_stage,    // training waits for the copy to host memory; a background writer makes it durable
};

struct StorageModel {
  CheckpointMode mode = CheckpointMode::two_stage;
  double bytes_per_parameter = 14;  // weights, master weights, optimizer moments
  Bandwidth write;                  // all clients together
  Bandwidth read;
  Duration stall{};    // not zero: the time for which training is blocked, as measured
  Duration persist{};  // not zero: from there until durable, as measured
  Duration load{};     // not zero: time to load a checkpoint, as measured
  bool free = false;   // no time at all for stall, persist and load left at zero
};

struct Telemetry {
  Duration heartbeat_period{};
  Duration heartbeat_jitter{};  // a heartbeat arrives up to so much later; below the period
  Duration gap_mtbf{};  // per host: heartbeats are lost for a while though the host is well; zero: never
  Law gap_duration = Law::constant(0);
  Duration delay{};        // of log lines, timings and traffic, from the host to the driver
  Duration clock_error{};  // a host's clock is off by up to so much, either way
  double noise = 0;        // timings and traffic are off by up to this share, either way
  Duration traffic_interval = std::chrono::seconds(1);
  Duration blip_mtbf{};  // per host: its timings read wrong for a while though it is well; zero: never
  double blip_factor = 1;
  Law blip_duration = Law::constant(0);
  Duration abort_hop{};  // from the abort of a rank to that of the ranks that talk with it
  std::vector<bool> carries = std::vector<bool>(kSignals, true);  // by Signal: what the agents report at all
};

struct RepairShop {
  Law time = Law::constant(0);  // of one host in a technician's hands, until it is as good as new
  std::uint32_t crew = 0;  // technicians; the hosts that they have no hands for wait. Zero: always enough
};

struct People {
  Law response = Law::constant(0);  // until a person who was asked has found the culprit
  Law notice = Law::constant(1e9);  // until a person sees by himself that the job stands still
};

struct Cost {
  Money gpu_hour;  // every GPU held: the job's and the spares'
};

/// What a drill on real processes is allowed and given.
struct DrillModel {
  bool inject = false;  // faults are injected only where the scenario asks for it
  Duration lease{};     // ranks stop when their driver was not heard for so long
};

struct World {
  std::string name;      // of the scenario
  std::string question;  // what it asks
  Hardware hardware;
  Fabric fabric;
  Inventory inventory;
  JobModel job;
  StorageModel storage;
  Telemetry telemetry;
  RepairShop repair;
  People people;
  Cost cost;
  DrillModel drill;
  std::vector<FaultKind> faults;      // by FaultKindId, in the order of their names
  std::vector<ProbeKind> probes;      // by ProbeId, in the order of their names
  std::vector<std::string> patterns;  // by PatternId; 0 is the collective watchdog's line
};

/// The line that every rank logs when it waited longer than the collective timeout, and the line that it logs when a peer
/// is gone: victims log them, not culprits.
inline constexpr PatternId kCollectiveTimeout{0};
inline constexpr PatternId kPeerLost{1};
inline constexpr std::uint32_t kVictimsPatterns = 2;

}  // namespace gauntlet
