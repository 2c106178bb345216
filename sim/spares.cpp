#include "sim/spares.hpp"

#include "core/contract.hpp"
#include "sim/moment.hpp"

#include <algorithm>
#include <limits>

namespace gauntlet {
namespace {

std::optional<HostId> first_of(std::vector<HostId>& hosts) {
  if (hosts.empty()) return std::nullopt;
  const HostId host = hosts.front();
  hosts.erase(hosts.begin());
  return host;
}

}  // namespace

Spares::Spares(const World& world, Seed seed, SimEngine& engine)
    : model_(&world.spares), engine_(&engine), seed_(seed) {
  expect(world.spares.cold + world.spares.pool <= world.inventory.spares, "cold and pooled hosts are spares");
  const std::uint32_t cold = world.inventory.spares - model_->pool, warm = cold - model_->cold;
  const bool all_warm = warm == world.inventory.spares;
  kept_warm_ = all_warm ? std::numeric_limits<std::uint32_t>::max() : warm;
  for (std::uint32_t i = 0; i < world.inventory.spares; ++i) {
    std::vector<HostId>& hosts = i < warm ? warm_ : i < cold ? cold_ : pool_;
    hosts.push_back(HostId{world.inventory.job_hosts + i});
  }
}

std::optional<HostId> Spares::take() { return first_of(warm_); }

void Spares::call(std::size_t wanted) {
  if (coming_.size() >= wanted || (cold_.empty() && pool_.empty())) return;
  static constexpr StreamName kSelection = stream_name("spares.selection"),
                              kCold = stream_name("spares.cold"),
                              kPreemption = stream_name("spares.preemption");
  const auto draw = [this](StreamName name, const Law& law, HostId host) {
    Stream draws = stream_now(seed_, name, engine_->now(), host.value);
    return from_seconds(law.sample(draws));
  };
  Stream of_selection(seed_, kSelection, counts_.selections++);
  const Duration selection = from_seconds(model_->selection.sample(of_selection));
  while (coming_.size() < wanted + kept_warm_) {
    const std::optional<HostId> host = first_of(cold_);
    if (!host) break;
    send_for(*host, selection + draw(kCold, model_->cold_time, *host));
  }
  while (coming_.size() < wanted) {
    const std::optional<HostId> host = first_of(pool_);
    if (!host) break;
    ++counts_.preemptions;
    send_for(*host, selection + draw(kPreemption, model_->preemption, *host));
  }
}

void Spares::send_for(HostId host, Duration until_ready) {
  coming_.push_back({host, engine_->after(until_ready, Priority::world, SpareReady{host})});
}

void Spares::on(const SpareReady& event, std::size_t wanted) {
  std::erase_if(coming_, [&](const Coming& each) { return each.host == event.host; });
  add(event.host, wanted);
}

void Spares::add(HostId host, std::size_t wanted) {
  (warm_.size() < std::max(kept_warm_, wanted) ? warm_ : cold_).push_back(host);
}

void Spares::remove(HostId host) {
  for (std::vector<HostId>* hosts : {&warm_, &cold_, &pool_}) std::erase(*hosts, host);
  for (Coming& each : coming_) {
    if (each.host == host) engine_->cancel(each.ready);
  }
  std::erase_if(coming_, [host](const Coming& each) { return each.host == host; });
}

}  // namespace gauntlet
