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
  /// What a stretch of training goes by.
  struct Conditions {
    ClusterState present;
    Pace pace;  // with that present
    Gang::Checkpointing checkpointing;
  };

  /// Both must outlive it.
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
  /// What the present pace is for.
  const ClusterState& present() const { return present_; }

  // Ranks.

  /// They start, and wait so long in a collective.
  void start(Duration collective_timeout);
  /// Some are dead or hung.
  void stick() { ranks_ = Ranks::stuck; }
  /// They are stopped. Whether there were any.
  bool stop();
  /// When those that wait from now on abort.
  Time collective_timeout() const;

  // The gang.

  /// A checkpoint was loaded from a tier, and training begins.
  void begin(std::int64_t step, Tier from, Conditions&& conditions);
  /// It runs from now on: the timers of what comes meanwhile are set. `halt` holds them.
  void run();
  void halt();
  /// It halted, and ends at once.
  void cut();
  /// It halted, and pauses.
  void pause(FaultKindId by, Time until);
  /// A pause began, or lasts longer than it seemed: timers for what comes before it is over are set, and no others.
  void await_end_of_pause();
  /// The pause is not over before `until`; what holds it is another thing by now.
  void pause_lasts(Time until) { gang_.pause_lasts(until); }
  void pause_goes_on(FaultKindId by, Time until);
  /// It trains again, after so long.
  Duration resume();
  Time paused_at() const { return paused_at_; }

  void storage_fails() { gang_.storage_fails(engine_->now()); }
  /// How long it did not answer.
  Duration storage_answers() { return gang_.storage_answers(engine_->now()); }

  /// The next evaluation is due: when it ends. It begins in a pause, and ends.
  Time evaluation_ends() const { return evaluations_.ends(); }
  void evaluate() { evaluations_.begin(); }
  void end_evaluation() { evaluations_.end(); }

  /// At the next step boundary, pace and cadence change as it is then. With `checkpoint`, it takes one to storage.
  void change_at_boundary();
  void checkpoint_at_boundary();
  /// The boundary is reached. Whether a checkpoint was wanted.
  bool change(Conditions&& conditions);
  /// After that, its timers are set anew.
  void reschedule();

  /// The run ends.
  void end();
  /// Nothing has run yet.
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
