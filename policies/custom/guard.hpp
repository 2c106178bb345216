// The guard of one custom policy: calls it, and checks what it ordered.
#pragma once

#include "policies/custom/breach.hpp"
#include "policies/custom/rules.hpp"

#include <cstddef>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gauntlet {

class PolicyGuard {
 public:
  /// A policy that orders more than this at one time, or in one replica, would never end.
  static constexpr std::size_t kMostAtOnce = 10'000;
  static constexpr std::size_t kMostInAll = 1'000'000;

  PolicyGuard(PolicyKind kind, std::string name) : name_(std::move(name)) { bounds_.kind = kind; }

  /// The time of the observation that the next calls answer.
  void observe(Time now) {
    if (now != now_) at_once_ = 0;
    now_ = now;
  }
  Time now() const { return now_; }
  const OrderBounds& bounds() const { return bounds_; }

  /// Calls the policy's start. It takes the ids of its watches from `ids`.
  template <class Call>
  void start(JobId job, const Inventory& inventory, const std::vector<SuiteProbe>& suite, WatchIds& ids,
             Orders& out, const Call& call) {
    begin(job, inventory, suite, ids.last());
    const std::size_t first = out.size();
    run(out, call);
    taken(ids.last());
    check_from(first, out);
  }

  /// One of the policy's orders has this outcome.
  void on(const Outcome& outcome);

  /// Calls the policy and checks the orders that it adds.
  template <class Call>
  void call(Orders& out, const Call& call) {
    const std::size_t first = out.size();
    run(out, call);
    check_from(first, out);
  }
  /// The same for a call that orders nothing.
  template <class Call>
  auto ask(const Call& call) const {
    try {
      return call();
    } catch (const std::exception& raised) {
      threw(raised, Orders(), 0);
    }
  }

  /// Throws PolicyBreach. `found`: what was found instead.
  [[noreturn]] void broken(const char* rule, std::string found) const;

 private:
  template <class Call>
  void run(Orders& out, const Call& call) const {
    const std::size_t first = out.size();
    try {
      call();
    } catch (const std::exception& raised) {
      threw(raised, out, first);
    }
  }
  void begin(JobId job, const Inventory& inventory, const std::vector<SuiteProbe>& suite, WatchId last_taken);
  void taken(WatchId last);
  void check_from(std::size_t first, const Orders& out) {
    for (std::size_t i = first; i < out.size(); ++i) check(out, first, i);
  }
  void check(const Orders& out, std::size_t first, std::size_t which);
  const char* rule_of_history(const Order& order);
  [[noreturn]] void threw(const std::exception& raised, const Orders& out, std::size_t first) const;

  std::string name_;
  OrderBounds bounds_;
  Time now_ = kStart;
  std::set<WatchId> standing_;    // watches that were ordered and not taken back
  std::map<OrderId, bool> open_;  // orders without an outcome, and whether each is a watch
  std::size_t at_once_ = 0, in_all_ = 0;
};

}  // namespace gauntlet
