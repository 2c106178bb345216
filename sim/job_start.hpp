// A start of the job: how long each of its phases takes, and when it is through.
#pragma once

#include "core/action.hpp"
#include "core/random/stream.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"
#include "sim/checkpoints.hpp"
#include "sim/faults/faults.hpp"

namespace gauntlet {

class JobStart {
 public:
  /// `world` must outlive it.
  explicit JobStart(const World& world) : world_(&world) {}
  void reset(Seed seed) {
    seed_ = seed;
    has_hosts_ = false;
  }

  /// A start begins that loads this checkpoint, on so many GPUs.
  void begin(const Start& action, const Loadable& loads, double gpus, StopCause& stop, Time now);
  const Loadable& loads() const { return loads_; }
  /// When it is through.
  Time due() const { return due_; }
  /// Storage does not answer before `until`. True where the start is through later by that.
  bool wait_for_storage(Time now, Time until);
  /// The hosts were given back: the next start provides some anew.
  void give_hosts_back() { has_hosts_ = false; }

 private:
  const World* world_;
  Seed seed_;
  Loadable loads_;
  Time load_begins_, load_ends_, due_;
  Time held_until_;         // by storage that does not answer
  bool has_hosts_ = false;  // since a start; not once they were given back
};

}  // namespace gauntlet
