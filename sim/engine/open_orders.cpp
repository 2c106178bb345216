#include "sim/engine/open_orders.hpp"

namespace gauntlet {

/// Orders are numbered as they are given, so that they are open in the order of their numbers.
std::vector<OpenOrders::Open>::iterator OpenOrders::find(OrderId order) {
  const auto found = std::lower_bound(open_.begin(), open_.end(), order,
                                      [](const Open& each, OrderId id) { return each.order.id < id; });
  return found != open_.end() && found->order.id == order ? found : open_.end();
}

void OpenOrders::open(const Order& order, Time due, Priority priority) {
  open_.push_back({order, engine_->now(), engine_->at(due, priority, OrderDue{order.id})});
}

void OpenOrders::set_due(OrderId order, Time due) {
  if (const auto found = find(order); found != open_.end())
    engine_->set(found->due, due, Priority::world, OrderDue{order});
}

void OpenOrders::hold(OrderId order) {
  if (const auto found = find(order); found != open_.end()) engine_->hold(found->due);
}

bool OpenOrders::is_due(OrderId order) {
  const auto found = find(order);
  return found != open_.end() && engine_->pending(found->due);
}

void OpenOrders::fail_at(OrderId order, Time fails) {
  const auto found = find(order);
  expect(found != open_.end(), "an order that fails is open");
  engine_->cancel(found->due);
  engine_->at(fails, Priority::timer, StartFails{order});
}

std::optional<OpenOrders::Open> OpenOrders::close(OrderId order) {
  const auto found = find(order);
  if (found == open_.end()) return std::nullopt;
  Open closed = *found;
  open_.erase(found);
  engine_->cancel(closed.due);
  return closed;
}

void OpenOrders::answer(OrderId order, Time began, Status status, const Result& result) {
  Outcome& outcome = out_->add<Outcome>(engine_->now());
  outcome.order = order;
  outcome.status = status;
  outcome.took = engine_->now() - began;
  outcome.result = result;
}

}  // namespace gauntlet
