#include "sim/hosts/hosts.hpp"

#include "core/contract.hpp"
#include "core/reseat.hpp"
#include "models/world/blast_radius.hpp"

#include <algorithm>

namespace gauntlet {

Hosts::Hosts(const World& world, SimEngine& engine)
    : world_(&world),
      engine_(&engine),
      sizes_(world),
      seats_(world.job.layout, world.hardware.gpus_per_host, world.inventory.job_hosts,
             world.inventory.hosts()) {}

void Hosts::reset(Seed seed) {
  const Inventory& inventory = world_->inventory;
  states_.assign(inventory.hosts(), State::spare);
  std::fill_n(states_.begin(), inventory.job_hosts, State::in_job);
  sizes_.reset();
  seats_.reset(size().layout(), size().hosts());
  repairs_.assign(inventory.hosts(), 0);
  vacant_.clear();
  beyond_.clear();
  spares_.emplace(*world_, seed, *engine_);
  shop_.emplace(world_->repair, *engine_);
}

std::optional<HostId> Hosts::first_in_job(const HostRange& hosts) const {
  std::optional<HostId> first;
  any_host(hosts, [&](HostId host) {
    if (in_job(host)) first = host;
    return first.has_value();
  });
  return first;
}

std::uint32_t Hosts::repairs_of(ComponentId component) const {
  return sits_in_host(component.kind) ? repairs_[hosts_of(*world_, component).first.value] : 0;
}

// --- the job's hosts -------------------------------------------------------------------------------------------------

std::size_t Hosts::wanted(std::size_t waiting) const {
  const std::size_t missing = sizes_.whole().hosts() - size().hosts() - beyond_.size();
  return std::min(waiting, vacant_.size() + missing);
}

std::optional<HostId> Hosts::grant(std::size_t waiting) {
  const std::size_t hosts_wanted = wanted(waiting);
  if (hosts_wanted == 0) return std::nullopt;
  const std::optional<HostId> host = spares_->take();
  if (!host) {
    spares_->call(hosts_wanted);
    return std::nullopt;
  }
  if (vacant_.empty()) {
    beyond_.push_back(*host);
  } else {
    seats_.seat(vacant_.front(), *host);
    vacant_.erase(vacant_.begin());
  }
  states_[host->value] = State::in_job;
  return host;
}

std::optional<std::uint32_t> Hosts::leave_job(HostId host) {
  states_[host.value] = State::spare;
  if (std::erase(beyond_, host) > 0) return std::nullopt;
  vacant_.push_back(seats_.slot_of(host));
  return vacant_.back();
}

std::optional<Hosts::Resized> Hosts::resize(std::uint32_t replicas) {
  const JobSize& whole = sizes_.whole();
  const Layout& all = whole.layout();
  if (replicas == 0) replicas = all.dp;
  if (replicas == size().layout().dp) {
    if (beyond_.empty()) return vacant_.empty() ? std::optional(Resized{}) : std::nullopt;
  } else {
    const std::uint32_t unit = replicas_in_whole_hosts(all, world_->hardware.gpus_per_host);
    if (unit == 0 || replicas > all.dp || replicas % unit != 0) return std::nullopt;
  }
  const std::uint32_t before = size().hosts();
  const std::uint32_t hosts =
      replicas == all.dp ? whole.hosts() : with_replicas(world_->inventory, replicas).job_hosts;
  if (before - vacant_.size() + beyond_.size() != hosts) return std::nullopt;

  const Reseating moved =
      reseat(before, hosts, vacant_, beyond_, [this](std::uint32_t slot) { return seats_.host(slot); });
  ensure(moved.left.empty() && moved.vacant.empty(), "the hosts of the job fill its slots");
  const bool other_size = sizes_.become(replicas);
  beyond_.clear();
  vacant_.clear();
  seats_.resize(size().layout(), hosts);
  for (const auto& [slot, host] : moved.seated) seats_.seat(slot, host);
  return Resized{.reseated = true, .new_ranks = other_size ? std::max(hosts, before) : 0};
}

// --- pools -----------------------------------------------------------------------------------------------------------

void Hosts::stand_by(HostId host) { spares_->rest(host); }

void Hosts::leave_service(HostId host) {
  expect(!in_job(host), "a host leaves the job before it leaves service");
  spares_->remove(host);
  states_[host.value] = State::in_repair;
}

void Hosts::repair(HostId host, std::optional<FaultKindId> cause, const Stream& draws) {
  shop_->admit(host, cause, draws);
}

void Hosts::readmit(HostId host, std::size_t waiting) {
  states_[host.value] = State::spare;
  spares_->add(host, wanted(waiting));
}

void Hosts::retire(HostId host) {
  shop_->drop(host);
  states_[host.value] = State::retired;
}

void Hosts::on(const SpareReady& event, std::size_t waiting) { spares_->on(event, wanted(waiting)); }

std::optional<RepairQueue::Back> Hosts::on(const RepairDone& event) {
  const std::optional<RepairQueue::Back> back = shop_->on(event);
  note_return(event.host, back);
  return back;
}

std::optional<RepairQueue::Back> Hosts::mend(HostId host) {
  const std::optional<RepairQueue::Back> back = shop_->mend(host);
  note_return(host, back);
  return back;
}

void Hosts::note_return(HostId host, const std::optional<RepairQueue::Back>& back) {
  if (!back) return;
  states_[host.value] = State::returned;
  if (back->mended) ++repairs_[host.value];
}

}  // namespace gauntlet
