// What has been the case without a break for so long: a timer for each component of which it is.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"

#include <map>
#include <optional>

namespace gauntlet {

class Lasting {
 public:
  /// It is the case from now on; `lasting` later its outcome says so. Nothing where it was already.
  void began(ComponentId who, Time now, Duration lasting, Orders& out) {
    const auto [place, fresh] = wakes_.try_emplace(who);
    if (!fresh) return;
    place->second = out.add(Wake{after(now, lasting)});
    whose_.emplace(place->second, who);
  }
  /// It is no longer.
  void ended(ComponentId who, Orders& out) {
    const auto place = wakes_.find(who);
    if (place == wakes_.end()) return;
    if (whose_.erase(place->second) > 0) out.add(Cancel{place->second});
    wakes_.erase(place);
  }
  void clear(Orders& out) {
    for (const auto& [order, who] : whose_) out.add(Cancel{order});
    whose_.clear();
    wakes_.clear();
  }
  /// The component whose state has lasted long enough, if the outcome is of its wake. Its state still lasts.
  std::optional<ComponentId> on(const Outcome& outcome) {
    const auto place = whose_.find(outcome.order);
    if (place == whose_.end()) return std::nullopt;
    const ComponentId who = place->second;
    whose_.erase(place);
    return who;
  }
  /// Of how many it is the case.
  std::size_t size() const { return wakes_.size(); }

 private:
  std::map<ComponentId, OrderId> wakes_;
  std::map<OrderId, ComponentId> whose_;  // of timers that are still to come
};

}  // namespace gauntlet
