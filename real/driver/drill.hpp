// A drill: the controller of a scenario over real processes, recorded as it goes, resumed where it was cut short.
#pragma once

#include "core/cluster.hpp"
#include "core/files/files.hpp"
#include "core/record/recording.hpp"
#include "core/record/replay_cluster.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/clocks/driver_times.hpp"
#include "real/control/drill_status.hpp"
#include "real/control/operator_desk.hpp"
#include "real/driver/failed_ranks.hpp"
#include "real/driver/platform.hpp"
#include "real/driver/raw_progress.hpp"
#include "real/injectors/injector.hpp"
#include "real/probes/suite/judge_hosts.hpp"
#include "real/stream/messages.hpp"
#include "real/system/rank_user.hpp"
#include "real/telemetry/segment_sink.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct DrillOptions {
  std::string record;            // the recording; its state stands beside it while the drill is unfinished
  bool keep_unfinished = true;   // else an interrupted drill leaves neither state nor files of its ranks
  Platform* platform = nullptr;  // where agents run; must be given
  RecordingHeader header;
  FaultPlan plan;
  std::vector<std::string> left_out = {};  // faults that are not in the plan, and why: a sentence each
  ProbeMeasures probes = {};
  std::optional<RankUser> rank_user{};  // as whom ranks run, where that is not this process's user
  const std::atomic<bool>* stop = nullptr;
  Files* files = &system_files();  // which write the recording and its state
  /// Called once agents attend, with the drill's directory. Requests of operators reach the desk for as long as what is returned
  /// lives. Empty: there are none.
  std::function<std::shared_ptr<void>(const std::string& directory, OperatorDesk& desk)> open_to_operators =
      {};
  bool keeps_log = false;           // in the drill's directory (real/driver/event_log.hpp)
  std::string log = {};             // and here; empty: there alone
  SegmentSink* segments = nullptr;  // DrillSetup::segments
  std::function<void(const DrillStatus&)> on_status =
      {};  // on this thread, about twice a second and at the end
};

struct DrillResult {
  Record record;
  RunLogs logs;
  std::vector<Measurement> measurements;         // also in the recording, once the drill is over
  std::uint64_t final_hash = 0;                  // over the final parameters of all ranks; 0: not known
  bool began = true;                             // else it was interrupted before its agents were there
  bool finished = false;                         // else it was interrupted and can be resumed
  std::uint32_t injected = 0;                    // faults that reached a rank
  std::vector<std::string> checkpoint_warnings;  // a sentence each: those that were damaged, or failed
  std::vector<std::string> last_values;          // of the loss and the MFU, where the job says them
  std::vector<HostIdentity> hosts;               // by HostId
  std::vector<std::string> host_remarks;         // HostSupply::remarks()
  std::vector<std::string> operator_actions;     // RealCluster::operator_actions()
  std::vector<std::string> missed_faults;        // DrillOptions::left_out, RealCluster::missed_faults()
  bool job_never_trained = false;                // RealCluster::job_never_trained()
  ClockAccuracy clock_accuracy;
  std::vector<std::optional<HostClock>> host_clocks;  // by HostId, at the end; empty where one_clock
  std::vector<JournalEntry> journal;
  std::vector<HostReport> reports;                      // by HostId: the last that was heard
  std::vector<FailedRank> failed_ranks;                 // in the order of their ends
  std::optional<ReplayCluster::Difference> difference;  // the policies no longer decide as the record says
};

/// What keeps this world from being drilled at all, before anything is started.
std::vector<Problem> check_drillable(const World& world);
/// What keeps its probes from being carried out.
std::vector<Problem> check_probes(const World& world, const ProbeMeasures& probes);
/// What keeps its faults from being injected, where hosts allow these kinds.
std::vector<Problem> check_injections(const World& world, const InjectionKinds& allowed);

/// An unfinished recording at `record` goes on; the header and the plan must agree with it. One that is complete, but
/// whose driver died before it returned, is returned. Throws std::runtime_error, with nothing left running, where the
/// environment does not allow it or another driver runs this drill.
DrillResult run_drill(const World& world, Policy& controller, const DrillOptions& options);

}  // namespace gauntlet
