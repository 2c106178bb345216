// The operators, who look after the job: they see by themselves that it does not train, and answer when they are asked.
#pragma once

#include "core/random/stream.hpp"
#include "core/saturating.hpp"
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
  void job_stands_still(StopCause& stop) { notice(stands_still_, stop); }
  /// A start will not succeed: likewise.
  void job_does_not_start(StopCause& stop) {
    if (!engine_->pending(does_not_start_)) notice(does_not_start_, stop);
  }
  /// The job was stopped, or is started.
  void job_is_handled() { engine_->hold(stands_still_); }
  void job_has_started() { engine_->hold(does_not_start_); }

  /// Somebody is asked. How long the answer takes.
  Duration ask(StopCause& stop) {
    job_is_handled();
    job_has_started();
    static constexpr StreamName kResponse = stream_name("person.response");
    Stream draws = stream_now(seed_, kResponse, stop.by, stop.draws.asked++);
    return from_seconds(world_->people.response.sample(draws));
  }

 private:
  void notice(Timer& timer, StopCause& stop) {
    static constexpr StreamName kNotice = stream_name("person.notice");
    Stream draws = stream_now(seed_, kNotice, stop.by, stop.draws.noticed++);
    const Duration until = from_seconds(world_->people.notice.sample(draws));
    engine_->set(timer, after(engine_->now(), until), Priority::world, NoticeDue{});
  }

  const World* world_;
  SimEngine* engine_;
  Seed seed_;
  Timer stands_still_, does_not_start_;  // when somebody sees that
};

}  // namespace gauntlet
