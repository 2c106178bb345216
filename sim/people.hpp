// The operators, who look after the job: they see by themselves that it does not train, and answer when they are asked.
#pragma once

#include "core/random/stream.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/moment.hpp"
#include "sim/faults/faults.hpp"

namespace gauntlet {

class PeopleOnCall {
 public:
  /// Both must outlive them.
  PeopleOnCall(const World& world, SimEngine& engine) : world_(&world), engine_(&engine) {}
  void reset(Seed seed) {
    seed_ = seed;
    stands_still_ = does_not_start_ = {};
  }

  /// Ranks are up and nothing moves: NoticeDue comes.
  void job_stands_still(StopCause& stop) {
    engine_->cancel(stands_still_);
    stands_still_ = notice(stop);
  }
  /// A start will not succeed: likewise.
  void job_does_not_start(StopCause& stop) {
    if (!engine_->pending(does_not_start_)) does_not_start_ = notice(stop);
  }
  /// The job was stopped, or is started.
  void job_is_handled() { engine_->cancel(stands_still_); }
  void job_has_started() { engine_->cancel(does_not_start_); }

  /// Somebody is asked. How long the answer takes.
  Duration ask(StopCause& stop) {
    job_is_handled();
    job_has_started();
    static constexpr StreamName kResponse = stream_name("person.response");
    Stream draws = stream_now(seed_, kResponse, stop.by, stop.draws.asked++);
    return from_seconds(world_->people.response.sample(draws));
  }

 private:
  Timer notice(StopCause& stop) {
    static constexpr StreamName kNotice = stream_name("person.notice");
    Stream draws = stream_now(seed_, kNotice, stop.by, stop.draws.noticed++);
    return engine_->after(from_seconds(world_->people.notice.sample(draws)), Priority::world, NoticeDue{});
  }

  const World* world_;
  SimEngine* engine_;
  Seed seed_;
  Timer stands_still_, does_not_start_;  // when somebody sees that
};

}  // namespace gauntlet
