#include "models/storage/storage.hpp"

#include "core/contract.hpp"
#include "core/saturating.hpp"
#include "models/network/bandwidths.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

/// Nothing where no bandwidth is known: only tiers that are measured, or never used, may be without.
Duration in_memory(Bytes size, Bandwidth bandwidth) {
  return bandwidth.value > 0 ? size / bandwidth : Duration::zero();
}

/// What clients get together: the least of what the whole, their hosts and they themselves allow.
struct Pipe {
  Bandwidth all, per_host, per_rank;
  double tenants = 0;

  Bandwidth of(double hosts, double clients) const {
    expect(all.value > 0, "storage that is neither free nor measured has a bandwidth");
    double rate = all.value * (1 - tenants);
    if (per_host.value > 0) rate = std::min(rate, hosts * per_host.value);
    if (per_rank.value > 0) rate = std::min(rate, clients * per_rank.value);
    return {rate};
  }
};

/// The state as it is held: `replicas` ranks hold the same shared part, and each rank a part of the rest.
struct State {
  Bytes shared, sharded;
  double replicas = 1;
};

State state_of(const World& world) {
  const StorageModel& storage = world.storage;
  const Layout& layout = world.job.layout;
  const Bytes all = checkpoint_size(world);
  const Bytes weights{std::min(storage.weight_bytes, storage.bytes_per_parameter) *
                      world.job.model.parameters};
  // Without a distributed optimizer its state is held whole by every replica, as the weights are.
  const Bytes shared = world.job.training.distributed_optimizer ? weights : all;
  return {shared, all - shared, static_cast<double>(layout.size(Dimension::data))};
}

double hosts_of_job(const World& world) {
  return std::max(1.0, world.job.layout.ranks() / static_cast<double>(world.hardware.gpus_per_host));
}

/// Hosts that hold the first rank of a data-parallel group: those of the first replica of each pipeline stage.
double hosts_of_readers(const World& world) {
  const Layout& layout = world.job.layout;
  const std::uint64_t per_host = world.hardware.gpus_per_host;
  const std::uint64_t stage = std::uint64_t{layout.tp} * layout.cp * layout.dp;
  std::uint64_t hosts = 0, next = 0;  // `next`: the first host that was not counted
  for (std::uint64_t p = 0; p < layout.pp; ++p) {
    const std::uint64_t first = std::max(next, p * stage / per_host);
    next = (p * stage + layout.tp - 1) / per_host + 1;
    hosts += next > first ? next - first : 0;
  }
  return static_cast<double>(hosts);
}

/// Each group's reader sends what it read along a ring through the group, all groups at once: as long as one passage of the
/// bytes over the slowest link, for messages that are long against the ring.
Duration broadcast(const World& world, Bytes of_group) {
  const Layout& layout = world.job.layout;
  if (layout.size(Dimension::data) == 1) return {};
  const Bandwidths healthy = closed_form_network(layout, world.hardware)({});
  return in_memory(of_group, healthy[static_cast<std::size_t>(Dimension::data)].healthy);
}

std::array<Duration, 2> load_times(const World& world) {
  const StorageModel& storage = world.storage;
  const Bytes once = bytes_to_read(world, Restore::one_reader),
              each = bytes_to_read(world, Restore::every_rank);
  const double more = once.value > 0 ? each / once : 1;
  if (storage.load > Duration::zero()) {
    // Measured with one reader. Its bytes took so long, whatever the bandwidth was.
    return {storage.load, from_seconds(to_seconds(storage.load) * more)};
  }
  if (storage.free) return {};
  const State state = state_of(world);
  const double groups = world.job.layout.groups(Dimension::data);
  const double hosts = hosts_of_job(world), ranks = world.job.layout.ranks();
  const Pipe read{storage.read, storage.read_per_host, storage.read_per_rank, storage.tenants};
  return {
      sum(sum(state.shared / read.of(hosts_of_readers(world), groups), state.sharded / read.of(hosts, ranks)),
          broadcast(world, state.shared / groups)),
      each / read.of(hosts, ranks)};
}

}  // namespace

Bytes checkpoint_size(const World& world) {
  return {world.storage.bytes_per_parameter * world.job.model.parameters};
}

Bytes bytes_to_read(const World& world, Restore restore) {
  const State state = state_of(world);
  return restore == Restore::one_reader ? state.shared + state.sharded
                                        : state.replicas * state.shared + state.sharded;
}

CheckpointCosts checkpoint_costs(const World& world) {
  const StorageModel& storage = world.storage;
  const bool two_stage = storage.mode == CheckpointMode::two_stage;
  const auto or_else = [](Duration measured, auto&& computed) {
    return measured > Duration::zero() ? measured : computed();
  };
  const Bytes size = checkpoint_size(world);
  const auto copy = [&](double share) {
    return in_memory(share * size / world.job.layout.ranks(), world.hardware.pcie);
  };
  const auto over_nics = [&](double times) {
    return in_memory(times * size / hosts_of_job(world), world.hardware.nics_per_host * world.hardware.nic);
  };
  const auto write = [&] {
    return size / Pipe{storage.write, storage.write_per_host, storage.write_per_rank, storage.tenants}.of(
                      hosts_of_job(world), world.job.layout.ranks());
  };

  CheckpointCosts out;
  auto& [memory, peers, stored] = out.tiers;
  const auto both = [](Duration load) { return std::array{load, load}; };
  memory = {storage.memory.stall, storage.memory.persist, both(storage.memory.load)};
  peers = {storage.peers.stall, storage.peers.persist, both(storage.peers.load)};
  stored = {storage.stall, storage.persist, load_times(world)};
  if (!storage.free) {
    const double of_memory = storage.memory.increment, of_peers = storage.peers.increment;
    memory.stall = or_else(memory.stall, [&] { return copy(of_memory); });
    memory.load = both(or_else(storage.memory.load, [&] { return copy(1); }));
    peers.stall = or_else(peers.stall, [&] { return copy(of_peers); });
    peers.persist = or_else(peers.persist, [&] { return over_nics(of_peers * (storage.copies - 1.0)); });
    peers.load = both(or_else(storage.peers.load, [&] { return over_nics(1); }));
  }
  const auto per_increment = [](const MemoryTier& tier, Duration load) {
    return tier.increment < 1 ? sum(tier.apply, from_seconds(tier.increment * to_seconds(load))) : Duration{};
  };
  memory.per_increment = per_increment(storage.memory, memory.load[0]);
  memory.increment = storage.memory.increment;
  peers.per_increment = per_increment(storage.peers, peers.load[0]);
  peers.increment = storage.peers.increment;
  if (storage.free) return out;
  stored.stall = or_else(stored.stall, [&] {
    if (!two_stage) return write();
    expect(world.hardware.pcie.value > 0, "a copy to host memory that is not measured has a bandwidth");
    return copy(1);
  });
  if (two_stage) stored.persist = or_else(stored.persist, write);
  return out;
}

}  // namespace gauntlet
