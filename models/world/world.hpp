// What the world is made of: the data that config fills from a scenario and the simulator brings to life.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"
#include "core/observation.hpp"
#include "core/quantity.hpp"
#include "core/random/law.hpp"
#include "core/tier.hpp"
#include "models/calibration/calibration.hpp"
#include "models/fault/fault.hpp"
#include "models/hardware.hpp"
#include "models/topology/fabric.hpp"
#include "models/workload.hpp"
#include "models/world/job_command.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// A test that looks for broken hosts. It may miss (per fault kind) and may accuse (false positives).
struct ProbeKind {
  std::string name;
  Duration time{};            // of one turn
  std::uint32_t at_once = 0;  // groups in one turn; 0: all of them
  std::uint32_t group =
      1;  // hosts that run it together (neighbours in slot order): it fails for all of them or none
  Probability false_positive;        // per healthy group and run
  std::vector<Probability> detects;  // per fault kind, by FaultKindId
  std::string source;
};

/// The phases of a restart before training, in order. Checkpoint load comes from `StorageModel`, before the data loader. The
/// time of a phase is a draw of its law, times (GPUs / at_gpus) to the power of its growth.
struct StartChain {
  Law provisioning = Law::constant(
      0);  // of a cluster for this job alone: before the first start, and after its hosts were given back
  Law scheduling = Law::constant(0);         // not of a start on hosts that are held: Start.schedule
  Law process_start = Law::constant(0);      // image and process
  Law communicator_init = Law::constant(0);  // the collective groups
  Law data_loader = Law::constant(0);        // its state is restored
  Law warm_up = Law::constant(0);            // the first steps
  struct Growth {
    double scheduling = 0, process_start = 0, communicator_init = 0, data_loader = 0, warm_up = 0;
  } growth;
  std::uint32_t at_gpus = 0;  // the scale at which they were measured; 0: this job's
};

struct PlannedStop {
  Time at;
  Duration hold;  // how long the job is wanted stopped
};

/// Training rests, ranks and all, for `time` after every so many steps.
struct Evaluation {
  std::int64_t every = 0;  // steps; 0: never
  Duration time{};
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
  double step_time_factor = 1;     // multiplier of step times from models/step
  double tokens = 0;               // the work as it was given; zero: in steps
  std::int64_t steps = 0;          // the work; zero: no end but `window`
  Duration window{};               // wall time that the scenario looks at; zero: until the work is done
  Duration give_up_after{};        // without progress
  StartChain start;
  Duration stop_time{};  // to end every rank
  std::vector<PlannedStop> planned_stops;
  Evaluation evaluation;
};

enum class CheckpointMode : std::uint8_t {
  synchronous,  // training waits until the last byte is durable
  two_stage,    // training waits for the copy to host memory; a background writer makes it durable
};

/// A tier in memory. Times are as measured; zero: from sizes and bandwidths.
struct MemoryTier {
  Duration stall{};    // training is blocked
  Duration persist{};  // from the end of the stall until the tier holds all of it
  Duration load{};     // until every rank has its state again, from a whole checkpoint
  double increment =
      1;  // share of the state that a checkpoint carries which goes no further, in (0, 1]; 1: all of it
  Duration apply{};  // of one such increment, when the state is loaded
};

struct StorageModel {
  CheckpointMode mode = CheckpointMode::two_stage;
  double bytes_per_parameter = 14;  // weights, master weights, optimizer moments ...
  double weight_bytes = 2;          // ... of which these are what every data-parallel replica holds whole
  Bandwidth write, read;            // all clients together, other tenants included
  Bandwidth write_per_host, read_per_host;  // of one host; zero: no bound of its own
  Bandwidth write_per_rank, read_per_rank;  // of one client; zero: no bound of its own
  double tenants = 0;                       // share of `write` and `read` that other tenants take; in [0, 1)
  Duration stall{};                         // not zero: the time for which training is blocked, as measured
  Duration persist{};                       // not zero: from there until durable, as measured
  Duration load{};                          // not zero: time to load a checkpoint, as measured
  MemoryTier memory, peers;
  bool free = false;         // no time at all for what is left at zero
  std::uint32_t copies = 2;  // peers: hosts that hold the same state (models/storage/peer_memory.hpp)
  Probability corrupt{0.0};  // of a checkpoint in storage: it is torn or wrong, which shows when it is loaded
  Probability slow_write{0.0};   // of a checkpoint to storage ...
  double slow_factor = 1;        // ... to take so many times as long to persist; >= 1
  Bytes capacity;                // zero: enough
  std::uint32_t keep_last = 2;   // checkpoints in storage; at least 1
  std::uint32_t keep_every = 0;  // and every N-th forever; 0: none
};

struct Telemetry {
  Duration heartbeat_period{};
  Duration heartbeat_jitter{};  // a heartbeat arrives up to so much later; below the period
  Duration exit_delay =
      kForever;         // the exit of a rank is told so long after it, where no heartbeat is there before
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

/// A person repairs what the automatic repair could not.
struct ManualRepair {
  Probability needed{0.0};          // of a host, after the automatic repair
  Law time = Law::constant(0);      // seconds, in a technician's hands
  std::uint32_t crew = 0;           // technicians; 0: always enough
  Probability silent_failure{0.0};  // of a host that is back from here to be no better than before
};

/// Where evicted hosts go.
struct RepairShop {
  Law time = Law::constant(0);  // of one host in a technician's hands, until it is as good as new; seconds
  std::uint32_t crew = 0;  // technicians; the hosts that they have no hands for wait. Zero: always enough
  Probability silent_failure{0.0};  // of a host that is back from here to be no better than before
  std::vector<std::pair<FaultKindId, Law>> by_cause{};  // in place of `time`
  ManualRepair manual{};
  Duration burn_in{};              // a host that was repaired is tested so long before it is back
  Probability burn_in_finds{1.0};  // of the silent failures; those hosts are repaired again
};

/// Hosts that stand by, in the order in which a job gets them: those of `Inventory::spares` that are warm, then `cold` ones, then
/// `pool` ones, which are the last of them by number.
struct SparesModel {
  std::uint32_t cold = 0;             // idle and powered, but not set up
  Law cold_time = Law::constant(0);   // to set one up, seconds
  std::uint32_t pool = 0;             // serve jobs of lower priority
  Law preemption = Law::constant(0);  // until such a job has given one up, seconds
  Law selection = Law::constant(0);   // to choose a host where none is warm, seconds
};

/// Jobs of one kind beside this one.
struct OtherJob {
  std::string name;
  std::uint32_t hosts = 1;            // of each, all at once or none
  std::int64_t priority = 0;          // the higher goes first
  Law arrives = Law::constant(1e12);  // from one to the next, seconds
  Law runs = Law::constant(0);        // seconds
};

/// The cluster that this job shares with others (sim/hosts/other_jobs.hpp).
struct SharedCluster {
  std::uint32_t hosts = 0;    // those of this job among them; 0: it is alone
  std::int64_t priority = 0;  // of this job
  Duration preempt_after{};   // nobody who has run for less is preempted
  std::vector<OtherJob> jobs;
};

struct People {
  Law response = Law::constant(0);  // until a person who was asked has found the culprit
  Law notice =
      Law::constant(1e9);  // until a person sees by himself that the job stands still, or does not start
};

/// What an operator does at a given time, as with `gauntlet ctl` during a drill.
struct ScriptedAction {
  std::string name;  // of its entry
  Time at = kStart;
  OperatorAction what = OperatorAction::evict;
  HostId host;  // of evict, readmit and maintenance
  std::string reason;
};

struct Cost {
  Money gpu_hour;                      // every GPU of the job
  std::optional<Money> idle_gpu_hour;  // of every GPU that stands by; left out: `gpu_hour`
  Money tb_month;                      // of checkpoints kept in storage, 10^12 bytes for 30 days
  std::string currency;                // of all these, an ISO 4217 code
};

/// What a drill on real processes is allowed and given.
struct DrillModel {
  bool inject = false;        // faults are injected only where the scenario asks for it
  Duration lease{};           // ranks stop when their driver was not heard for so long
  std::uint32_t at_once = 0;  // so many faults act together at most; 0: no bound
  JobCommand command;         // the user's own job
  Duration clock_spread{};    // how far ahead the clock of a lab's last host is
  std::vector<std::pair<std::string, std::string>>
      lines;  // by the name of a kind of log line, the regular expression (RE2) that finds it
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
  SparesModel spares;
  SharedCluster shared;
  RepairShop repair;
  People people;
  std::vector<ScriptedAction> operators;  // by time
  Cost cost;
  DrillModel drill;
  std::vector<FaultKind> faults;      // by FaultKindId, in the order of their names
  std::vector<ProbeKind> probes;      // by ProbeId, in the order of their names
  std::vector<std::string> patterns;  // by PatternId; 0 is the collective watchdog's line
};

/// Hosts that are this job's alone: its own and its spares, but for those of the pool.
inline std::uint32_t hosts_held(const World& world) { return world.inventory.hosts() - world.spares.pool; }

/// The line that every rank logs when it waited longer than the collective timeout, and the line that it logs when a peer
/// is gone: victims log them, not culprits.
inline constexpr PatternId kCollectiveTimeout{0};
inline constexpr PatternId kPeerLost{1};
inline constexpr std::uint32_t kVictimsPatterns = 2;

}  // namespace gauntlet
