// The training of the job: its ranks, the gang, its pauses, and the timers of what comes while it trains or stands still.
#pragma once

#include "core/record/progress.hpp"
#include "core/time.hpp"
#include "models/step/step.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/job/evaluations.hpp"
#include "sim/job/gang.hpp"
#include "sim/job/progress_watch.hpp"

#include <cstdint>
#include <utility>

namespace gauntlet {

class TrainingJob {
 public:
  enum class Ranks : std::uint8_t {
    none,  // no process
    starting,
    up,     // training or paused, as the gang says
    stuck,  // some are dead or hung, the others wait
  };
  /// What determines a stretch of training.
  struct Conditions {
    ClusterState present;
    Pace pace;  // in that state
    Gang::Checkpointing checkpointing;
  };

  /// `world` and `engine` must outlive the job.
  TrainingJob(const World& world, SimEngine& engine);
  void reset(Seed seed);

  const ProgressLog& progress() const { return progress_; }
  const Gang& gang() const { return gang_; }
  Ranks ranks() const { return ranks_; }
  bool runs() const { return gang_.state() == Gang::State::training; }
  bool paused() const { return gang_.state() == Gang::State::paused; }
  bool down() const { return gang_.state() == Gang::State::down; }
  /// Ranks are up, and nothing moves.
  bool stands_still() const { return ranks_ == Ranks::stuck || paused(); }
  const Evaluations& evaluations() const { return evaluations_; }
  /// The state of the cluster that the present pace holds for.
  const ClusterState& present() const { return present_; }

  // Ranks.

  /// The ranks start. In a collective they wait no longer than the timeout.
  void start(Duration collective_timeout);
  /// Some ranks are dead or hung.
  void stick() { ranks_ = Ranks::stuck; }
  /// Stops the ranks. Returns whether there were any.
  bool stop();
  /// When ranks abort that wait from now on.
  Time collective_timeout() const;

  // The gang.

  /// A checkpoint was loaded from a tier, and training begins.
  void begin(std::int64_t step, Tier from, Conditions&& conditions);
  /// The gang trains: sets the timers of what comes during training.
  void run();
  /// Holds the timers that `run` set.
  void halt();
  /// Ends the training of a gang that was halted.
  void cut();
  /// Pauses a gang that was halted.
  void pause(FaultKindId by, Time until);
  /// A pause began or was prolonged: sets the timers of what comes before its end, and no others.
  void await_end_of_pause();
  /// The pause lasts until `until`.
  void pause_lasts(Time until) { gang_.pause_lasts(until); }
  /// The pause lasts until `until`, from now on because of fault `by`.
  void pause_goes_on(FaultKindId by, Time until);
  /// The gang trains again. Returns how long it paused.
  Duration resume();
  Time paused_at() const { return paused_at_; }

  void storage_fails() { gang_.storage_fails(engine_->now()); }
  /// Returns how long storage did not answer.
  void damage_stored() { gang_.damage_stored(engine_->now()); }
  Duration storage_answers() { return gang_.storage_answers(engine_->now()); }

  /// When the next evaluation ends, if it begins now. It runs in a pause.
  Time evaluation_ends() const { return evaluations_.ends(); }
  void evaluate() { evaluations_.begin(); }
  void end_evaluation() { evaluations_.end(); }

  /// At the next step boundary, pace and cadence change to the conditions of that time.
  void change_at_boundary();
  /// The same, and the job takes a checkpoint to storage.
  void checkpoint_at_boundary();
  /// The boundary is reached. Returns whether a checkpoint was ordered for it.
  bool change(Conditions&& conditions);
  /// Sets the timers again, after `change`.
  void reschedule();

  /// The run ends.
  void end();
  /// Begins to watch for progress, before the first start.
  void watch_for_no_progress() { progress_watch_.watch(gang_); }

 private:
  void schedule_job_end();

  const World* world_;
  SimEngine* engine_;
  ProgressLog progress_;
  Gang gang_;
  ProgressWatch progress_watch_;
  Evaluations evaluations_;
  Ranks ranks_ = Ranks::none;
  ClusterState present_;
  Time paused_at_;
  Duration collective_timeout_ = kForever;
  bool change_wanted_ = false;      // at the next boundary: pace or cadence
  bool checkpoint_wanted_ = false;  // a Checkpoint order waits for a boundary
  Timer boundary_, job_end_, collective_timer_;
};

}  // namespace gauntlet
