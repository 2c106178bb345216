// What a job's ranks report while they run: completed steps, and the time for which checkpoints blocked them.
//
// With full telemetry every step and checkpoint is an event. Otherwise only those are that a filter would report, and
// silence follows from where the gang's arithmetic stands.
#pragma once

#include "core/filter.hpp"
#include "sim/engine/event.hpp"
#include "sim/job/gang.hpp"
#include "sim/telemetry/reports.hpp"

#include <variant>
#include <vector>

namespace gauntlet {

class JobSignals {
 public:
  JobSignals(bool full, const Gang& gang, SimEngine& engine, Reports& out)
      : full_(full), gang_(&gang), engine_(&engine), out_(&out) {}

  void watch(const Watch& watch);
  void unwatch(WatchId watch);

  /// How far the loss lies above its running median from here on.
  void loss_is(double deviations) {
    loss_ = deviations;
    settled_ = false;
  }
  /// Training began: filters start afresh.
  void began();
  /// Something is about to change: what is complete by now is reported first.
  void before_change();
  /// The gang paused, goes on, changed its pace, or is stuck.
  void after_change();
  /// The ranks are gone: nothing more is reported.
  void gone();

  void on(const StepDue& event);
  void on(const StepMissing& event);
  void on(const CheckpointDue& event);

 private:
  struct Entry {
    Watch watch;
    std::variant<SilenceFilter, OutsideFilter, SampleFilter> filter;
    Timer missing;
  };

  bool wants(Signal signal, double value) const;
  void sample(Signal signal, double value);
  void report(const Entry& entry, Edge edge, double value);
  void schedule();
  void report_due();
  void forget_due();
  void arm(Entry& entry);
  Time first_silence(Duration longest, const SilenceFilter& filter) const;
  double step_seconds() const { return to_seconds(gang_->stretch().step); }
  double stall_seconds() const { return to_seconds(gang_->storage_stall()); }

  double loss_ = 0;
  bool full_;
  bool running_ = false;
  const Gang* gang_;
  SimEngine* engine_;
  Reports* out_;
  std::vector<Entry> entries_;
  bool settled_ = false;                       // no sample will report, as things stand
  Duration settled_step_{}, settled_stall_{};  // and at this pace
  Timer step_due_, checkpoint_due_;
  Time step_due_at_ = kNever, checkpoint_due_at_ = kNever;
};

}  // namespace gauntlet
