// What hosts owe the driver, and hosts that are lost: every order to an agent has a deadline.
#include "core/quantity.hpp"
#include "real/driver/real_cluster.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

// A deadline that is met so late says that the driver itself was away, stopped or waiting for an agent: what came
// meanwhile may not have been heard yet.
constexpr Duration kWasAway = std::chrono::seconds(1);

}  // namespace

// --- deadlines ---------------------------------------------------------------------------------------------------------

/// `takes`: what a healthy host needs for it at most, besides the time to answer.
void RealCluster::expect_answer(HostId host, Debt debt, std::uint64_t number, Duration takes) {
  Host& owing = hosts_[host.value];
  if (debt != Debt::ranks_up && debt != Debt::ranks_finished) owing.unpaid.emplace(debt, number);
  const Duration allowed = std::min(takes, kForever - setup_.answers_within) + setup_.answers_within;
  const Time due = after(now(), allowed);
  schedule(due, AnswerDue{host, owing.connection, debt, number, due, allowed});
}

bool RealCluster::owes(HostId host, Debt debt, std::uint64_t number) const {
  const Host& owing = hosts_[host.value];
  const auto misses_rank = [&](const std::set<std::uint32_t>& ranks) {
    const std::vector<std::uint32_t> own = seats_.ranks_of(host);
    return std::any_of(own.begin(), own.end(), [&](std::uint32_t rank) { return !ranks.contains(rank); });
  };
  switch (debt) {
    case Debt::ranks_up:
      return ranks_ == RanksState::starting && open_.contains(number) && misses_rank(up_);
    case Debt::ranks_finished:
      return ranks_ == RanksState::up && run_ == number && misses_rank(finished_ranks_);
    case Debt::start:
    case Debt::stop:
    case Debt::probe:
    case Debt::injection:
    case Debt::undo:
      break;
  }
  return owing.unpaid.contains({debt, number});
}

void RealCluster::on(const AnswerDue& due) {
  const Host& owing = hosts_[due.host.value];
  if (!owing.link || owing.connection != due.connection || !owes(due.host, due.debt, due.number)) return;
  if (!due.extended && now() > after(due.at, kWasAway)) {
    AnswerDue later = due;
    later.extended = true;
    later.at = after(now(), setup_.answers_within);
    return schedule(later.at, later);
  }
  const auto not_done = [&] {
    switch (due.debt) {
      case Debt::start:
        return "answered the order to start its ranks";
      case Debt::stop:
        return "answered the order to stop its ranks";
      case Debt::probe:
        return "answered the order to run a probe";
      case Debt::injection:
        return "answered the order to inject a fault";
      case Debt::undo:
        return "answered the order to undo a fault";
      case Debt::ranks_up:
        return "brought its ranks up";
      case Debt::ranks_finished:
        return "reported the end of its ranks";
    }
    return "";
  };
  platform_.say("host " + std::to_string(due.host.value) + " has not " + not_done() + " within " +
                to_text(due.allowed) + "; it counts as lost, and its agent is started again");
  kill_process(due.host);
  lose(due.host);
}

// --- lost hosts --------------------------------------------------------------------------------------------------------

/// Its agent was told to end, with its ranks. Another one takes its place.
void RealCluster::lose(HostId host) {
  Host& lost = hosts_[host.value];
  ++lost.connection;
  lost.unpaid.clear();
  hang_up(host);
  lost.was_lost = true;
  lost.attends_by = after(now(), setup_.answers_within);
  ranks_lost(host);
  schedule_attend(host, now());
}

/// The host's ranks have ended, and nobody said so: with their agent, or with its lease.
void RealCluster::ranks_lost(HostId host, int code) {
  end_waiting_for(host);
  const bool had_ranks = hosts_[host.value].state == HostState::in_job && ranks_ != RanksState::none;
  if (!had_ranks) return;
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (watch.signal != Signal::process_exit) continue;
    const auto* harmless = std::get_if<Outside>(&watch.until);
    if (harmless != nullptr && code >= harmless->low && code <= harmless->high) continue;
    push(Seen{.watch = watch.id,
              .who = component(host),
              .edge = Edge::sample,
              .sensed = now(),
              .value = static_cast<double>(code),
              .more = 0});
  }
  if (ranks_ != RanksState::starting) return;
  for (const OrderId order : open_orders<Start>()) close(order, Status::failed);
}

/// Whoever waits for an answer of that host has waited long enough: none will come.
void RealCluster::end_waiting_for(HostId host) {
  std::vector<OrderId> waiting;
  for (const auto& [id, open] : open_) {
    if (open.waiting.contains(host.value)) waiting.push_back(OrderId{id});
  }
  for (const OrderId order : waiting) {
    OpenOrder* open = find(order);
    if (open == nullptr) continue;
    if (std::holds_alternative<Probe>(open->order.what)) open->failing.insert(host.value);
    host_answered(*open, host);
  }
}

}  // namespace gauntlet
