// What a policy can ask for. Anything slow is an order now and an outcome later.
#pragma once

#include "core/id.hpp"
#include "core/tier.hpp"
#include "core/time.hpp"
#include "core/watch.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace gauntlet {

struct Unwatch {
  WatchId watch;
};
/// Sets a timer. The outcome arrives when it expires.
struct Wake {
  Time at;
};
/// Cancels an order. The cancelled order answers `cancelled`, this one `done`.
struct Cancel {
  OrderId order;
};
/// A standing order for periodic checkpoints. `interval` counts training time alone; kForever ends the
/// order. Tiers are nested: every m-th checkpoint of a quicker tier goes further. So the interval of a safer
/// tier is rounded up to a multiple of that of a quicker one.
struct CheckpointEvery {
  JobId job;
  Duration interval;
  Tier tier = Tier::storage;
};
/// One checkpoint to storage, at the next step boundary. It is done when it is durable: Saved{step}.
struct Checkpoint {
  JobId job;
};

enum class StopReason : std::uint8_t {
  fault,
  planned,  // an operator requested it
  grow,     // the job goes on with more replicas
  preempted,
};
/// Ends every rank. It is done when no rank is left.
struct Stop {
  JobId job;
  StopReason reason = StopReason::fault;
};
/// Starts every rank from the newest checkpoint that can be read: Loaded{step}.
struct Start {
  JobId job;
  Duration collective_timeout;
  Restore restore = Restore::one_reader;
  /// 0: the newest checkpoint. N: the Nth before it in storage, or the oldest that storage keeps.
  std::uint32_t back = 0;
  bool schedule = true;  // false: the hosts are held and set up, so nothing is scheduled
  /// Data-parallel replicas that the job's hosts are enough for; 0: all of its layout. When the number changes, the hosts in
  /// slots beyond the last, and those granted beyond them, take the empty slots below, in order.
  std::uint32_t replicas = 0;
};
/// Requests a host for an empty slot or, where no slot is empty, for replicas that the job lacks. It is
/// granted now or when a host is free: Granted{host}.
struct Acquire {
  JobId job;
};
/// A host of a job without ranks joins the spares. Its slot is empty.
struct StandBy {
  HostId host;
};
/// A host leaves service and goes into repair. Its slot, if it has one, is empty.
struct Evict {
  HostId host;
};
/// A repaired host joins the spares.
struct Readmit {
  HostId host;
};
/// A host that was evicted, in repair or back from it, leaves for good.
struct Retire {
  HostId host;
};
/// The hosts of a job without ranks go back to the cluster. They cost nothing until the next Start.
struct Release {
  JobId job;
};
/// Runs a probe. Members that fail arrive as Seen, then the outcome is Probed.
struct Probe {
  ProbeId probe;
  Scope who;
  WatchId report;
};
/// Asks a person to find the culprit: Answered{choice}.
struct Ask {
  JobId job;
};
/// Tells a person. Nothing waits for it.
struct Alert {
  JobId job;
  ComponentId who;
};

using Action = std::variant<Watch, Unwatch, Wake, Cancel, CheckpointEvery, Checkpoint, Stop, Start, Acquire,
                            Evict, Readmit, Probe, Ask, Alert, Retire, Release, StandBy>;

struct Order {
  OrderId id;
  Action what;
};

/// The orders of one decision, in the order in which they are given. The count of ids runs on over the whole run, so
/// that fresh policies over the same observations give the same ids.
class Orders {
 public:
  OrderId add(Action what) {
    orders_.push_back({OrderId{++last_}, what});
    return OrderId{last_};
  }
  void clear() { orders_.clear(); }
  auto begin() const { return orders_.begin(); }
  auto end() const { return orders_.end(); }
  std::size_t size() const { return orders_.size(); }
  const Order& operator[](std::size_t i) const { return orders_[i]; }

 private:
  std::vector<Order> orders_;
  std::uint64_t last_ = 0;
};

}  // namespace gauntlet
