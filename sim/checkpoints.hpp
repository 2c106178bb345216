// The job's checkpoints in all tiers: how often each is taken, which survive, and which a start loads.
//
// The gang computes what each tier holds (sim/job/gang.hpp). This part decides what of it is left after hosts have lost their
// memory, and follows the checkpoints that were ordered one by one.
#pragma once

#include "core/action.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/open_orders.hpp"
#include "sim/hosts/hosts.hpp"
#include "sim/job/gang.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

/// What a start loads. Where neither storage nor memory holds anything: the beginning.
struct Loadable {
  std::int64_t step = 0;
  Tier from = Tier::storage;
  Duration takes{};
};

class Checkpoints {
 public:
  /// All must outlive the checkpoints.
  Checkpoints(const World& world, const Hosts& hosts, OpenOrders& orders, SimEngine& engine)
      : world_(&world), hosts_(&hosts), orders_(&orders), engine_(&engine) {}
  void reset();

  // Periodic ones.
  void every(Tier tier, Duration interval) { intervals_[static_cast<std::size_t>(tier)] = interval; }
  Gang::Checkpointing plan() const;

  // Those that were ordered, whose orders are open.

  /// Notes an ordered checkpoint. It begins at the next step boundary (`begin`).
  void ordered(OrderId order) { ordered_.push_back({.order = order}); }
  /// The boundary where the gang's present stretch begins: so do those that wait for one.
  void begin(const Gang& gang);
  /// The one of that order is over: the step that it holds, where it is durable.
  std::int64_t close(OrderId order);
  /// Training was cut: those that are not durable are lost.
  void cut() { ordered_.clear(); }
  /// Training pauses: those that block it come later.
  void training_pauses();
  /// Training goes on after a pause of that length: those that it caught while they blocked training come later.
  void training_resumes(Duration pause);
  /// The job waits for storage, and what it writes there waits as well.
  void storage_fails();
  /// It waited so long, in a pause that began then.
  void storage_answers(Duration waited, Time paused_at);

  // What outlives what.

  /// The host in that slot has lost what was in its memory.
  void lose_memory(std::uint32_t slot) { lost_.emplace_back(engine_->now(), slot); }
  /// All of its hosts have that carry the job.
  void lose_memory(const HostRange& hosts);
  /// So have the first slots, all of them.
  void lose_memory_below(std::uint32_t slots);
  /// Which checkpoint a start loads: the newest that can be read, from the quickest tier that has it. That one in storage is
  /// corrupt shows when it has been loaded; then the next older one is.
  Loadable choose(const Start& action, const Gang& gang) const;
  /// It was loaded: what lost hosts held of it was copied back to them.
  void loaded() { lost_before_load_ = lost_.size(); }

 private:
  /// A checkpoint that was ordered.
  struct Ordered {
    OrderId order;
    std::int64_t step = 0;     // the step that it will hold
    Time stall_ends = kNever;  // when training goes on, once it has begun
    Time durable = kNever;     // ... and when it is durable
    bool begun() const { return stall_ends != kNever; }
  };
  bool still_held(Tier tier, const Gang& gang) const;
  Duration increments_of(Tier tier, const Gang& gang) const;

  const World* world_;
  const Hosts* hosts_;
  OpenOrders* orders_;
  SimEngine* engine_;
  std::array<Duration, kTiers> intervals_ = {};
  std::vector<Ordered> ordered_;  // by order
  std::vector<std::pair<Time, std::uint32_t>>
      lost_;                          // in order of time: when, and in which slot, a host lost its memory
  std::size_t lost_before_load_ = 0;  // so many of them, before the last start had loaded
};

}  // namespace gauntlet
