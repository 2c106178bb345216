#include "policies/custom/guard.hpp"

#include <variant>

namespace gauntlet {

void PolicyGuard::begin(JobId job, const Inventory& inventory, const std::vector<SuiteProbe>& suite,
                        WatchId last_taken) {
  bounds_.job = job;
  bounds_.inventory = inventory;
  for (const SuiteProbe& each : suite) bounds_.probes.push_back(each.probe);
  bounds_.before_first = bounds_.last = last_taken;
}

void PolicyGuard::taken(WatchId last) {
  const std::uint32_t count = last.value - bounds_.before_first.value;
  if (count > kMostAtOnce)
    broken("a policy must take at most 10,000 watches", std::to_string(count) + " were taken");
  bounds_.last = last;
}

void PolicyGuard::on(const Outcome& outcome) {
  const auto found = open_.find(outcome.order);
  if (found == open_.end()) return;
  const bool watch = found->second;
  open_.erase(found);
  if (watch && outcome.status == Status::failed)
    broken("a watch must be one that the agents provide",
           "the cluster refused the watch of order " + std::to_string(outcome.order.value) +
               ": telemetry.signals does not have its signal, or it is a silence of heartbeats that is not "
               "above their period and jitter");
}

/// What is wrong with an order after those before it; null where nothing is.
const char* PolicyGuard::rule_of_history(const Order& order) {
  if (++at_once_ > kMostAtOnce) return "a policy must give at most 10,000 orders at one time";
  if (++in_all_ > kMostInAll) return "a policy must give at most 1,000,000 orders in a replica";
  if (const auto* watch = std::get_if<Watch>(&order.what)) {
    if (!standing_.insert(watch->id).second)
      return "a watch must be taken back before another one with its id is ordered";
  } else if (const auto* unwatch = std::get_if<Unwatch>(&order.what)) {
    standing_.erase(unwatch->watch);
  } else if (const auto* cancel = std::get_if<Cancel>(&order.what)) {
    if (!open_.contains(cancel->order))
      return "a policy must cancel only an order of its own without an outcome";
  }
  open_.emplace(order.id, std::holds_alternative<Watch>(order.what));
  return nullptr;
}

void PolicyGuard::check(const Orders& out, std::size_t first, std::size_t which) {
  const Order& order = out[which];
  const char* rule = broken_rule(order.what, bounds_, now_);
  if (rule == nullptr) rule = rule_of_history(order);
  if (rule == nullptr) return;
  PolicyBreach breach;
  breach.kind = bounds_.kind;
  breach.policy = name_;
  breach.rule = rule;
  breach.order = order;
  for (std::size_t i = first; i < which; ++i) breach.before.push_back(out[i]);
  throw breach;
}

void PolicyGuard::broken(const char* rule, std::string found) const {
  PolicyBreach breach;
  breach.kind = bounds_.kind;
  breach.policy = name_;
  breach.rule = rule;
  breach.found = std::move(found);
  throw breach;
}

void PolicyGuard::threw(const std::exception& raised, const Orders& out, std::size_t first) const {
  if (const auto* known = dynamic_cast<const PolicyBreach*>(&raised)) throw PolicyBreach(*known);
  PolicyBreach breach;
  breach.kind = bounds_.kind;
  breach.policy = name_;
  breach.rule = "a policy must not raise an exception";
  breach.found = raised.what();
  for (std::size_t i = first; i < out.size(); ++i) breach.before.push_back(out[i]);
  breach.cause = std::current_exception();
  throw breach;
}

}  // namespace gauntlet
