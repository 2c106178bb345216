// What is seen of the cluster: the signals of the hosts and of the job, log lines, exits. All of it leaves through Reports.
//
// Faults, training and orders say here what happens to them; nothing comes back from here.
#pragma once

#include "core/action.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/outbox.hpp"
#include "sim/faults/active_faults.hpp"
#include "sim/hosts/hosts.hpp"
#include "sim/job/gang.hpp"
#include "sim/telemetry/heartbeats.hpp"
#include "sim/telemetry/host_signals.hpp"
#include "sim/telemetry/job_signals.hpp"
#include "sim/telemetry/log_lines.hpp"
#include "sim/telemetry/reports.hpp"
#include "sim/telemetry/victims.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class Monitoring {
 public:
  /// All must outlive it.
  Monitoring(const World& world, Hosts& hosts, const Gang& gang, SimEngine& engine, Outbox& out);
  /// `full`: every raw sample is generated.
  void reset(Seed seed, bool full);

  /// False where such a watch has no meaning. Of `last_collective`, which is asked for once, `tell_last_collectives`.
  bool watch(const Watch& watch);
  void unwatch(WatchId watch);

  // What shows of faults.

  /// A fault is there: its agents are silent while it is.
  void fault_began(const ActiveFault& fault);
  void fault_ended(const ActiveFault& fault);
  /// Somebody writes a line about it, later. A restart or a repair that ends the fault before then ends the writer too, as
  /// a start of the job does of a fault that strikes again and logs anew; what heals by itself is written of all the same.
  void log_fault(ActiveFault& fault);
  /// A probe found this host.
  void found(HostId host, WatchId report);

  // What shows of the job.

  /// Its steps, checkpoints or ranks are about to change: what is due by now is reported first.
  void before_change();
  void after_change();
  /// How far the loss lies above its running median from here on.
  void loss_is(double deviations);
  void training_began(double loss, const std::vector<SlowSeat>& slow);
  void slow_are(const std::vector<SlowSeat>& slow) { host_signals_->slow_are(slow); }
  /// The job starts with other slots.
  void job_resized() { host_signals_->resized(); }
  void ranks_stopped();
  /// Those of a host that carries the job exit by themselves.
  void ranks_exit(const HostRange& hosts, int code);
  /// When the driver hears of that first, as far as is known now; kNever while they are silent.
  Time exit_heard(const HostRange& hosts) const;
  /// The ranks in these slots are gone or hang: the first of the others abort then, and log that line.
  void victims_begin(const std::vector<std::uint32_t>& culprits, PatternId line, Time first);
  /// Who is asked while the job stands still answers in which collective it waits; who holds the others up does not.
  void tell_last_collectives(const Watch& watch, const std::vector<std::uint32_t>& culprits);

  // What shows of hosts.

  void leave_service(HostId host) { heartbeats_->leave_service(host); }
  void enter_service(HostId host) { heartbeats_->enter_service(host); }

  void on(const AbortWave& event);
  void on(const LogLine& event) { lines_->write(event.host, event.pattern, event.severity); }
  void on(const ReportArrives& event) { reports_->on(event); }
  void on(const ExitReported& event) { heartbeats_->on(event); }
  void on(const HeartbeatDue& event) { heartbeats_->on(event); }
  void on(const HeartbeatMissing& event) { heartbeats_->on(event); }
  void on(const HeartbeatBack& event) { heartbeats_->on(event); }
  void on(const GapBegins& event) { heartbeats_->on(event); }
  void on(const GapEnds& event) { heartbeats_->on(event); }
  void on(const ExitBurstEnds& event) { heartbeats_->on(event); }
  void on(const StepMissing& event) { signals_->on(event); }
  void on(const StepDue&) { report_due(); }
  void on(const CheckpointDue&) { report_due(); }
  void on(const HostTick&) { report_due(); }
  void on(const TrafficMissing& event) { host_signals_->on(event); }
  void on(const BlipBegins& event) { host_signals_->on(event); }
  void on(const BlipEnds& event) { host_signals_->on(event); }

 private:
  const Symptoms& symptoms_of(const ActiveFault& fault) const {
    return world_->faults[fault.kind.value].symptoms;
  }
  bool holds_heartbeats(const ActiveFault& fault) const {
    const Tampering tampers = world_->faults[fault.kind.value].tampers;
    return tampers == Tampering::late_heartbeats || tampers == Tampering::partition;
  }
  // What the job's and the hosts' agents sample at one instant comes in one order, whichever event brings it.
  void report_due() {
    signals_->on(StepDue{});
    host_signals_->report_due();
    host_signals_->schedule();
  }

  const World* world_;
  Hosts* hosts_;
  const Gang* gang_;
  SimEngine* engine_;
  Outbox* out_;
  Seed seed_;
  std::vector<StreamName> line_names_;  // by FaultKindId
  std::optional<Reports> reports_;
  std::optional<Victims> victims_;
  std::optional<LogLines> lines_;
  std::optional<Heartbeats> heartbeats_;
  std::optional<JobSignals> signals_;
  std::optional<HostSignals> host_signals_;
};

}  // namespace gauntlet
