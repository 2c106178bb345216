// When the model is evaluated: every so many steps, in a pause of training.
#pragma once

#include "core/saturating.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/job/gang.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet {

class Evaluations {
 public:
  /// Both must outlive them.
  Evaluations(const World& world, SimEngine& engine) : job_(&world.job), engine_(&engine) {}
  void reset() {
    last_ = 0;
    under_way_ = false;
    timer_ = {};
  }

  bool under_way() const { return under_way_; }
  /// Training begins after so many steps.
  void training_begins(std::int64_t step) {
    last_ = step - step % std::max<std::int64_t>(1, job_->evaluation.every);
  }
  /// Training goes on at this pace.
  void training_runs(const Gang& gang) {
    const Evaluation& evaluation = job_->evaluation;
    if (evaluation.every <= 0 || evaluation.time == Duration::zero()) return;
    const std::int64_t next = last_ + evaluation.every;
    if (job_->steps > 0 && next >= job_->steps) return engine_->hold(timer_);
    engine_->set(timer_, std::max(gang.time_of_step(next), engine_->now()), Priority::world, EvaluationDue{});
  }
  void training_halts() { engine_->hold(timer_); }
  void training_is_cut() {
    under_way_ = false;
    engine_->hold(timer_);
  }
  /// The next one is due, and lasts until then. Training pauses for it, and it begins.
  Time ends() const { return after(engine_->now(), job_->evaluation.time); }
  void begin() {
    last_ += job_->evaluation.every;
    under_way_ = true;
    engine_->set(timer_, ends(), Priority::world, EvaluationEnds{});
  }
  void end() { under_way_ = false; }

 private:
  const JobModel* job_;
  SimEngine* engine_;
  std::int64_t last_ = 0;  // the step at which the model was evaluated last, or training began
  bool under_way_ = false;
  Timer timer_;
};

}  // namespace gauntlet
