// The orders that were given and have no outcome yet: each has exactly one.
#pragma once

#include "core/action.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/outbox.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace gauntlet {

class OpenOrders {
 public:
  struct Open {
    Order order;
    Time began;
    Timer due;
  };

  /// Both must outlive the orders.
  OpenOrders(SimEngine& engine, Outbox& out) : engine_(&engine), out_(&out) {}
  void clear() {
    open_.clear();
    given_ = 0;
  }

  /// An order was given. How many were.
  void count() { ++given_; }
  std::size_t given() const { return given_; }

  /// The order is open, and OrderDue comes then. kNever: `set_due` says later when.
  void open(const Order& order, Time due, Priority priority = Priority::world);
  void set_due(OrderId order, Time due);
  /// OrderDue does not come before `set_due` is called again.
  void hold(OrderId order);
  /// Whether OrderDue will come, as things stand.
  bool is_due(OrderId order);
  /// Instead of OrderDue, StartFails comes then.
  void fail_at(OrderId order, Time fails);

  /// The order is not open any more. Nothing where it was not.
  std::optional<Open> close(OrderId order);
  /// The open order of that action that was given first; null where there is none.
  template <class Action>
  const Open* first() const;
  template <class Action>
  std::size_t waiting() const;

  /// The outcome of an order that was closed, and of one that is never open.
  void answer(const Open& open, Status status, const Result& result = {}) {
    answer(open.order.id, open.began, status, result);
  }
  void answer(const Order& order, Status status, const Result& result = {}) {
    answer(order.id, engine_->now(), status, result);
  }
  /// All open orders of that action fail.
  template <class Action>
  void fail();

 private:
  std::vector<Open>::iterator find(OrderId order);
  void answer(OrderId order, Time began, Status status, const Result& result);

  SimEngine* engine_;
  Outbox* out_;
  std::vector<Open> open_;
  std::size_t given_ = 0;
};

template <class Action>
const OpenOrders::Open* OpenOrders::first() const {
  const auto found = std::find_if(open_.begin(), open_.end(), [](const Open& each) {
    return std::holds_alternative<Action>(each.order.what);
  });
  return found == open_.end() ? nullptr : &*found;
}

template <class Action>
std::size_t OpenOrders::waiting() const {
  const auto count = std::count_if(open_.begin(), open_.end(), [](const Open& each) {
    return std::holds_alternative<Action>(each.order.what);
  });
  return static_cast<std::size_t>(count);
}

template <class Action>
void OpenOrders::fail() {
  while (const Open* failing = first<Action>()) answer(*close(failing->order.id), Status::failed);
}

}  // namespace gauntlet
