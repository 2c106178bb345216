// Observations and orders as sentences of a page.
#pragma once

#include "commands/view/result.hpp"
#include "core/action.hpp"
#include "core/observation.hpp"
#include "models/world/world.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// What the orders of a record say of later outcomes and signals: which watch is on which signal, which order asked for what. Feed it
/// each order before the observations that follow.
class RecordWords {
 public:
  explicit RecordWords(const World& world) : world_(&world) {}

  /// Nothing where a page does not show it: watches, timers.
  std::optional<ViewEvent> on(const Order& order, Time at);
  /// Samples of a signal are nothing as well: a page shows them as colours.
  std::optional<ViewEvent> on(const Observed& seen) const;

  /// Of the watch that an observation answers; nothing where it was taken back.
  const Watch* watch_of(WatchId watch) const;

 private:
  std::optional<ViewEvent> on(const Seen& seen, Time at) const;
  std::optional<ViewEvent> on(const Outcome& outcome, Time at) const;

  const World* world_;
  std::map<WatchId, Watch> watches_;
  std::map<OrderId, Action> orders_;  // those whose outcomes are shown
};

/// "hang"
std::string_view text_of(Effect effect);

}  // namespace gauntlet
