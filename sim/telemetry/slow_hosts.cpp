#include "sim/telemetry/slow_hosts.hpp"

#include "sim/engine/moment.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr auto kBeforeSlot = [](const SlowHost& each, std::uint32_t slot) { return each.slot < slot; };

}  // namespace

SlowHosts::SlowHosts(const World& world, Seed seed, const Seats& seats, SimEngine& engine)
    : world_(&world), seed_(seed), seats_(&seats), engine_(&engine) {
  if (world.telemetry.blip_mtbf == Duration::zero()) return;
  blip_times_.emplace(world.telemetry.blip_mtbf, seed, stream_name("telemetry.blip"), world.inventory);
  engine.at(blip_times_->next(), Priority::world, BlipBegins{});
}

const SlowHost* SlowHosts::in(std::uint32_t slot) const {
  const auto found = std::lower_bound(hosts_.begin(), hosts_.end(), slot, kBeforeSlot);
  return found == hosts_.end() || found->slot != slot ? nullptr : &*found;
}

void SlowHosts::slow_are(const std::vector<SlowSeat>& slow) {
  slow_ = slow;
  find();
}

void SlowHosts::find() {
  hosts_.clear();
  for (const SlowSeat& seat : slow_) {
    if (hosts_.empty() || hosts_.back().slot != seat.slot) hosts_.push_back({seat.slot, 1, 1});
    SlowHost& host = hosts_.back();  // its slowest GPU
    host.forward = std::max(host.forward, seat.slow.forward);
    host.backward = std::max(host.backward, seat.slow.backward);
  }
  for (const auto& [host, count] : blips_) {
    if (!seated(host)) continue;
    const std::uint32_t slot = seats_->slot_of(host);
    auto place = std::lower_bound(hosts_.begin(), hosts_.end(), slot, kBeforeSlot);
    if (place == hosts_.end() || place->slot != slot) place = hosts_.insert(place, {slot, 1, 1});
    place->forward *= world_->telemetry.blip_factor;
    place->backward *= world_->telemetry.blip_factor;
  }
}

bool SlowHosts::seated(HostId host) const {
  const std::uint32_t slot = seats_->slot_of(host);
  return slot < seats_->count() && seats_->host(slot) == host;
}

/// Blips of hosts that stand by change nothing.
bool SlowHosts::change(HostId host) {
  if (!seated(host)) return false;
  find();
  return true;
}

bool SlowHosts::on(const BlipBegins&) {
  static constexpr StreamName kDuration = stream_name("telemetry.blip_duration");
  const HostId host = blip_times_->take();
  engine_->at(blip_times_->next(), Priority::world, BlipBegins{});
  ++blips_[host];
  Stream draws = stream_now(seed_, kDuration, engine_->now(), host.value);
  const Duration lasts = from_seconds(world_->telemetry.blip_duration.sample(draws));
  engine_->after(lasts, Priority::world, BlipEnds{host});
  return change(host);
}

bool SlowHosts::on(const BlipEnds& event) {
  const auto found = blips_.find(event.host);
  if (--found->second == 0) blips_.erase(found);
  return change(event.host);
}

}  // namespace gauntlet
