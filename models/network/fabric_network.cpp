#include "models/network/fabric_network.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kStates =
    1024;  // remembered at once: a campaign's degraded states come back within hours

Topology topology_of(const Layout& layout, const Hardware& hardware, std::uint32_t hosts,
                     std::uint32_t hosts_per_tor, const Fabric& fabric) {
  expect(layout.ranks() <= hosts * hardware.gpus_per_host, "every rank has a GPU");
  return Topology(hosts, hosts_per_tor, hardware, fabric);
}

bool leaves_hosts(const Layout& layout, Dimension dimension, std::uint32_t per_host) {
  for (std::uint32_t group = 0; group < layout.groups(dimension); ++group) {
    const std::vector<std::uint32_t> ranks = layout.ranks_of_group(dimension, group);
    if (ranks.front() / per_host != ranks.back() / per_host) return true;
  }
  return false;
}

bool loses_nics(const NetworkState& state) {
  return std::any_of(state.nics.begin(), state.nics.end(), [](const auto& nic) { return nic.lost(); });
}

/// Max-min flows, made when they are first asked for: most worlds never need them.
class Lazy {
 public:
  explicit Lazy(const World& world)
      : layout_(world.job.layout),
        hardware_(world.hardware),
        hosts_(world.inventory.hosts()),
        hosts_per_tor_(world.inventory.hosts_per_tor),
        fabric_(world.fabric) {}

  Bandwidths operator()(const NetworkState& state) {
    std::call_once(made_, [&] {
      network_ = remembering([network = std::make_shared<const FabricNetwork>(layout_, hardware_, hosts_,
                                                                              hosts_per_tor_, fabric_)](
                                 const NetworkState& asked) { return network->bandwidths(asked); });
    });
    return network_(state);
  }

 private:
  Layout layout_;
  Hardware hardware_;
  std::uint32_t hosts_, hosts_per_tor_;
  Fabric fabric_;
  std::once_flag made_;
  Network network_;
};

constexpr double kSame = 1 - 1e-9;  // relative: bandwidths that differ by less are one

}  // namespace

std::vector<double> rates_of_groups(const CommunicatorFlows& flows, std::span<const double> rates,
                                    std::uint32_t groups, double most) {
  std::vector<double> out(groups, most);
  for (std::size_t f = 0; f < rates.size(); ++f) {
    double& rate = out[flows.group[f]];
    rate = std::min(rate, rates[f] / flows.share[f]);
  }
  return out;
}

DimensionBandwidth dimension_bandwidth(std::span<const double> healthy, std::span<const double> rates,
                                       double same) {
  DimensionBandwidth out;
  out.healthy = {*std::min_element(healthy.begin(), healthy.end())};
  out.over_nics = true;
  for (std::uint32_t group = 0; group < rates.size(); ++group)
    if (rates[group] < out.healthy.value * (1 - same)) out.slow.push_back({group, {rates[group]}});
  return out;
}

FabricNetwork::FabricNetwork(const Layout& layout, const Hardware& hardware, std::uint32_t hosts,
                             std::uint32_t hosts_per_tor, const Fabric& fabric, Ecmp ecmp)
    : layout_(layout), links_(topology_of(layout, hardware, hosts, hosts_per_tor, fabric), ecmp) {
  const std::vector<double> capacities = links_.capacities({});
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const Dimension dimension = static_cast<Dimension>(i);
    if (!leaves_hosts(layout, dimension, hardware.gpus_per_host)) continue;
    flows_[i] = flows_of(links_, layout, dimension);
    healthy_[i] = group_rates(dimension, {}, capacities, {});
  }
}

FabricNetwork::FabricNetwork(const World& world, Ecmp ecmp)
    : FabricNetwork(world.job.layout, world.hardware, world.inventory.hosts(), world.inventory.hosts_per_tor,
                    world.fabric, ecmp) {}

CommunicatorFlows FabricNetwork::flows(Dimension dimension, const NetworkState& state) const {
  if (flows(dimension).group.empty() || !loses_nics(state)) return flows(dimension);
  return flows_of(links_, layout_, dimension, state.nics);
}

std::vector<double> FabricNetwork::group_rates(Dimension dimension, const NetworkState& state,
                                               std::span<const double> capacities,
                                               std::span<const BackgroundFlow> background) const {
  const CommunicatorFlows rerouted = loses_nics(state) ? flows(dimension, state) : CommunicatorFlows{};
  const CommunicatorFlows& own = loses_nics(state) ? rerouted : flows(dimension);
  std::vector<double> rates;
  if (background.empty()) {
    rates = max_min_rates(own.flows, capacities);
  } else {
    Flows all = own.flows;
    for (const BackgroundFlow& flow : background) all.add(links_.path(flow.from_gpu, flow.to_gpu, flow.rail));
    rates = max_min_rates(all, capacities);
    rates.resize(own.group.size());
  }
  return rates_of_groups(own, rates, layout_.groups(dimension), nvlink().value);
}

Bandwidths FabricNetwork::bandwidths(const NetworkState& state,
                                     std::span<const BackgroundFlow> background) const {
  const std::vector<double> capacities = links_.capacities(state);
  const bool healthy = state.healthy() && background.empty();
  Bandwidths out;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    if (healthy_[i].empty())
      out[i].healthy = nvlink();
    else if (healthy)
      out[i] = dimension_bandwidth(healthy_[i], healthy_[i]);
    else
      out[i] = dimension_bandwidth(healthy_[i],
                                   group_rates(static_cast<Dimension>(i), state, capacities, background));
  }
  return out;
}

Network remembering(Network network) {
  struct Memory {
    std::mutex mutex;
    std::map<NetworkState, Bandwidths> known;
  };
  return [network = std::move(network), memory = std::make_shared<Memory>()](const NetworkState& state) {
    {
      const std::lock_guard lock(memory->mutex);
      if (const auto found = memory->known.find(state); found != memory->known.end()) return found->second;
    }
    Bandwidths out = network(state);
    const std::lock_guard lock(memory->mutex);
    if (memory->known.size() >= kStates) memory->known.clear();
    return memory->known.emplace(state, std::move(out)).first->second;
  };
}

Network max_min_network(const World& world, Ecmp ecmp, std::vector<BackgroundFlow> background) {
  const auto fabric = std::make_shared<const FabricNetwork>(world, ecmp);
  const Bandwidths healthy = fabric->bandwidths({}, background);
  return remembering([fabric, background = std::move(background), healthy](const NetworkState& state) {
    Bandwidths out = fabric->bandwidths(state, background);
    for (std::size_t i = 0; i < kDimensions; ++i) {
      out[i].healthy = healthy[i].slowest();
      std::erase_if(out[i].slow, [&](const auto& slow) { return slow.bandwidth >= out[i].healthy * kSame; });
    }
    return out;
  });
}

bool narrows(const World& world) {
  const FabricShape shape =
      fabric_shape(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware, world.fabric);
  const double nics_of_tor =
      static_cast<double>(shape.hosts_per_group) * shape.nics_per_host / shape.tors_per_group;
  const Bandwidth tor_up = shape.tor_up * shape.aggregations_per_pod;
  if (shape.groups() > 1 && tor_up < shape.nic * nics_of_tor * kSame) return true;
  const double tors_of_pod = static_cast<double>(shape.groups_per_pod) * shape.tors_per_group;
  return shape.pods() > 1 && shape.aggregation_up * shape.spines() < tor_up * tors_of_pod * kSame;
}

Network network_of(const World& world) {
  if (narrows(world)) return max_min_network(world);
  return [closed = closed_form_network(world.job.layout, world.hardware),
          flows = std::make_shared<Lazy>(world)](const NetworkState& state) {
    return state.switches.empty() ? closed(state) : (*flows)(state);
  };
}

std::optional<Misfit> network_misfit(const World& world) {
  if (!narrows(world)) return std::nullopt;
  return size_misfit(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware, world.fabric);
}

}  // namespace gauntlet
