#include "sim/hosts/spares.hpp"

#include "core/contract.hpp"
#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <limits>

namespace gauntlet {

Spares::Spares(const World& world, Seed seed, SimEngine& engine)
    : model_(&world.spares),
      engine_(&engine),
      warm_(world.inventory.hosts()),
      cold_(world.inventory.hosts()),
      pool_(world.inventory.hosts()),
      seed_(seed) {
  expect(world.spares.cold + world.spares.pool <= world.inventory.spares, "cold and pooled hosts are spares");
  const std::uint32_t cold = world.inventory.spares - model_->pool, warm = cold - model_->cold;
  const bool all_warm = warm == world.inventory.spares;
  kept_warm_ = all_warm ? std::numeric_limits<std::uint32_t>::max() : warm;
  for (std::uint32_t i = 0; i < world.inventory.spares; ++i) {
    HostQueue& hosts = i < warm ? warm_ : i < cold ? cold_ : pool_;
    hosts.push_back(HostId{world.inventory.job_hosts + i});
  }
}

std::optional<HostId> Spares::take() { return warm_.pop_front(); }

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
    const std::optional<HostId> host = cold_.pop_front();
    if (!host) break;
    send_for(*host, sum(selection, draw(kCold, model_->cold_time, *host)));
  }
  while (coming_.size() < wanted) {
    const std::optional<HostId> host = pool_.pop_front();
    if (!host) break;
    ++counts_.preemptions;
    send_for(*host, sum(selection, draw(kPreemption, model_->preemption, *host)));
  }
}

void Spares::send_for(HostId host, Duration until_ready) {
  coming_.emplace(host, engine_->after(until_ready, Priority::world, SpareReady{host}));
}

void Spares::on(const SpareReady& event, std::size_t wanted) {
  coming_.erase(event.host);
  add(event.host, wanted);
}

void Spares::add(HostId host, std::size_t wanted) {
  (warm_.size() < std::max(kept_warm_, wanted) ? warm_ : cold_).push_back(host);
}

void Spares::remove(HostId host) {
  for (HostQueue* hosts : {&warm_, &cold_, &pool_}) hosts->erase(host);
  const auto coming = coming_.find(host);
  if (coming == coming_.end()) return;
  engine_->cancel(coming->second);
  coming_.erase(coming);
}

}  // namespace gauntlet
