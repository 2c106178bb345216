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
struct Wake {
  Time at;
};  // a timer; its outcome is the alarm
struct Cancel {
  OrderId order;
};  // the cancelled order answers `cancelled`, this one `done`
struct CheckpointEvery {
  JobId job;
  Duration interval;
  Tier tier = Tier::storage;
};  // standing; `interval` counts training time alone, kForever ends it. Tiers are nested: every m-th checkpoint of a
    // quicker tier goes further, so the interval of a safer one is rounded up to a multiple of that of a quicker one
struct Checkpoint {
  JobId job;
};  // one, to storage, at the next step boundary; done when durable: Saved{step}

enum class StopReason : std::uint8_t {
  fault,
  planned,  // an operator wants it so
  grow,     // to go on with more replicas
  preempted,
};
struct Stop {
  JobId job;
  StopReason reason = StopReason::fault;
};  // ends every rank; done when none is left
struct Start {
  JobId job;
  Duration collective_timeout;
  Restore restore = Restore::one_reader;
  std::uint32_t back =
      0;  // not zero: from storage, so many checkpoints before the newest, or the oldest that is kept
  bool schedule = true;  // false: the hosts are held and set up, so nothing is scheduled
  std::uint32_t replicas =
      0;  // data-parallel ones, as the job's hosts are enough for; 0: all that its layout has. Where it has fewer than before,
  // or more, hosts in slots beyond the last and those granted beyond them take the empty ones below, in order
};  // from the newest checkpoint that can be read: Loaded{step}
struct Acquire {
  JobId job;
};  // a host for an empty slot, or where none is empty for replicas that the job lacks; now or when one is free: Granted{host}
struct StandBy {
  HostId host;
};  // of a job without ranks: it joins the spares, and its slot is empty
struct Evict {
  HostId host;
};  // out of service and into repair; its slot, if it has one, is empty
struct Readmit {
  HostId host;
};  // a repaired host joins the spares
struct Retire {
  HostId host;
};  // a host that was evicted, in repair or back from it, leaves for good
struct Release {
  JobId job;
};  // the hosts of a job without ranks go back to the cluster and cost nothing, until the next Start
struct Probe {
  ProbeId probe;
  Scope who;
  WatchId report;
};  // failing members arrive as Seen, then Probed
struct Ask {
  JobId job;
};  // a person finds the culprit: Answered{choice}
struct Alert {
  JobId job;
  ComponentId who;
};  // a person is told; nothing waits for it

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
