// The job's checkpoints in all tiers: how often each is taken, which survive, and which a start loads.
//
// The gang computes which checkpoint each tier holds (sim/job/gang.hpp). This class decides whether that checkpoint
// is still complete after hosts have lost their memory. It also tracks the single checkpoints that a policy ordered.
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

/// The checkpoint that a start loads. Step 0 if neither storage nor memory holds one.
struct Loadable {
  std::int64_t step = 0;
  Tier from = Tier::storage;
  Duration takes{};
};

class Checkpoints {
 public:
  /// The arguments must outlive the checkpoints.
  Checkpoints(const World& world, const Hosts& hosts, OpenOrders& orders, SimEngine& engine)
      : world_(&world), hosts_(&hosts), orders_(&orders), engine_(&engine) {}
  void reset();

  // Periodic checkpoints.
  void every(Tier tier, Duration interval) { intervals_[static_cast<std::size_t>(tier)] = interval; }
  Gang::Checkpointing plan() const;

  // Single checkpoints that a policy ordered, while their orders are open.

  /// Notes an ordered checkpoint. It begins at the next step boundary (`begin`).
  void ordered(OrderId order) { ordered_.push_back({.order = order}); }
  /// The gang has reached a step boundary: the ordered checkpoints that wait for one begin.
  void begin(const Gang& gang);
  /// Ends the checkpoint of this order. Returns the step that it holds, or 0 if it has not begun.
  std::int64_t close(OrderId order);
  /// Training was cut: ordered checkpoints that are not durable are lost.
  void cut() { ordered_.clear(); }
  /// Training pauses: ordered checkpoints that block it end later.
  void training_pauses();
  /// Training continues after a pause of this length. A checkpoint that blocked training when the pause began ends
  /// later by the length of the pause.
  void training_resumes(Duration pause);
  /// Storage stops answering: the job waits, and so do the checkpoints that are being written.
  void storage_fails();
  /// Storage answers again. The job has waited for it for `waited`, in a pause that began at `paused_at`.
  void storage_answers(Duration waited, Time paused_at);

  // Checkpoints that are left after hosts have lost their memory.

  /// The host in this slot has lost its memory.
  void lose_memory(std::uint32_t slot);
  /// Those hosts of this range that are in the job have lost their memory.
  void lose_memory(const HostRange& hosts);
  /// The hosts in the first `slots` slots have lost their memory.
  void lose_memory_below(std::uint32_t slots);
  /// Chooses the checkpoint that a start loads: the newest readable one, from the quickest tier that has it. A
  /// corrupt or damaged checkpoint in storage is found only after it has been loaded. Then the next older one is loaded too.
  Loadable choose(const Start& action, const Gang& gang) const;
  /// The checkpoint was loaded: hosts that had lost their memory hold their part again.
  void loaded() { lost_before_load_ = lost_.size(); }

 private:
  /// A checkpoint that was ordered.
  struct Ordered {
    OrderId order;
    std::int64_t step = 0;     // the step that it will hold
    Time stall_ends = kNever;  // when training goes on, once it has begun
    Time durable = kNever;     // when it is durable, once it has begun
    bool begun() const { return stall_ends != kNever; }
  };
  void forget_repeated_losses();
  bool still_held(Tier tier, const Gang& gang) const;
  Duration increments_of(Tier tier, const Gang& gang) const;

  const World* world_;
  const Hosts* hosts_;
  OpenOrders* orders_;
  SimEngine* engine_;
  std::array<Duration, kTiers> intervals_ = {};
  std::vector<Ordered> ordered_;  // by order
  /// Losses of memory as (time, slot), in order of time. Only the last loss of a slot matters.
  std::vector<std::pair<Time, std::uint32_t>> lost_;
  std::size_t lost_before_load_ = 0;  // the number of losses before the last load was complete
  static constexpr std::size_t kFewLosses = 64;
  std::size_t most_losses_ = kFewLosses;  // at this size, all but the last loss of each slot are dropped
};

}  // namespace gauntlet
