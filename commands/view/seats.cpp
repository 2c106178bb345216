#include "commands/view/seats.hpp"

#include "policies/seating.hpp"

#include <algorithm>
#include <variant>

namespace gauntlet {
namespace {

/// Follows orders and outcomes as the controller's own `Seating` does.
class SeatFollower {
 public:
  explicit SeatFollower(const Inventory& inventory)
      : log_{.inventory = inventory, .seats = {}, .replicas = {}, .service = {}}, seating_(inventory) {
    for (std::uint32_t slot = 0; slot < inventory.job_hosts; ++slot) slots_.push_back(HostId{slot});
  }

  void on(const Observed& seen) {
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    if (outcome == nullptr) return;
    const auto* granted = std::get_if<Granted>(&outcome->result);
    if (granted == nullptr) return;
    if (seating_.in_service(granted->host)) {
      seating_.join(granted->host);
    } else {
      seating_.came_and_went(granted->host);
    }
    note(seen.at);
  }

  void on(const RecordedOrder& given) {
    if (const auto* evict = std::get_if<Evict>(&given.order.what)) {
      if (!seating_.in_service(evict->host)) return;
      seating_.evict(evict->host);
      log_.service.push_back({given.at, evict->host, true});
    } else if (const auto* readmit = std::get_if<Readmit>(&given.order.what)) {
      seating_.readmit(readmit->host);
      log_.service.push_back({given.at, readmit->host, false});
    } else if (const auto* start = std::get_if<Start>(&given.order.what)) {
      const std::uint32_t replicas = start->replicas == 0 ? log_.inventory.layout.dp : start->replicas;
      if (replicas == seating_.inventory().layout.dp) return;
      seating_.resize(replicas);
      log_.replicas.push_back({given.at, replicas});
    } else {
      return;
    }
    note(given.at);
  }

  SeatLog log() && { return std::move(log_); }

 private:
  void note(Time at) {
    const std::uint32_t count = seating_.inventory().job_hosts;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      const auto host = slot < count ? seating_.host_in(slot) : std::nullopt;
      if (host == slots_[slot]) continue;
      slots_[slot] = host;
      log_.seats.push_back({at, slot, host});
    }
  }

  SeatLog log_;
  Seating seating_;
  std::vector<std::optional<HostId>> slots_;
};

}  // namespace

std::vector<std::optional<HostId>> SeatLog::slots_before(Time at) const {
  std::vector<std::optional<HostId>> slots;
  for (std::uint32_t slot = 0; slot < inventory.job_hosts; ++slot) slots.emplace_back(HostId{slot});
  for (const SeatChange& each : seats) {
    if (each.at >= at) break;
    slots[each.slot] = each.host;
  }
  return slots;
}

Layout SeatLog::layout_before(Time at) const {
  Layout layout = inventory.layout;
  for (const ReplicaChange& each : replicas)
    if (each.at < at) layout.dp = each.replicas;
  return layout;
}

SeatLog seat_log_of(const Record& record, const Inventory& inventory) {
  SeatFollower follower(inventory);
  auto order = record.orders.begin();
  for (std::uint32_t i = 0; i < record.observations.size(); ++i) {
    follower.on(record.observations[i]);
    for (; order != record.orders.end() && order->observations == i + 1; ++order) follower.on(*order);
  }
  return std::move(follower).log();
}

}  // namespace gauntlet
