#include "flow/network.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kMeasured = 1e-3;  // relative: measured rates that differ by less are one

/// A phase of flows, with wires of its own: `capacities` by wire of the fabric.
FlowPhase phase_of(FlowProblem& problem, const CommunicatorFlows& flows,
                   std::span<const std::uint32_t> chosen, std::span<const double> capacities, double bytes) {
  std::map<std::uint32_t, std::uint32_t> number;  // of the problem's link, by wire
  FlowPhase phase;
  for (const std::uint32_t f : chosen) {
    Transfer& transfer = phase.flows.emplace_back();
    transfer.bytes = bytes * flows.share[f];
    for (std::uint32_t i = flows.flows.begin[f]; i < flows.flows.begin[f + 1]; ++i) {
      const std::uint32_t wire = flows.flows.links[i];
      const auto [found, fresh] = number.try_emplace(wire, static_cast<std::uint32_t>(problem.links.size()));
      if (fresh) problem.links.push_back({.bandwidth = capacities[wire], .latency = 0});
      transfer.links.push_back(found->second);
    }
  }
  return phase;
}

std::vector<std::uint32_t> users_of_wires(const CommunicatorFlows& flows,
                                          std::span<const std::uint32_t> chosen, std::size_t wires) {
  std::vector<std::uint32_t> users(wires, 0);
  for (const std::uint32_t f : chosen)
    for (std::uint32_t i = flows.flows.begin[f]; i < flows.flows.begin[f + 1]; ++i)
      ++users[flows.flows.links[i]];
  return users;
}

std::vector<std::uint32_t> all_of(const CommunicatorFlows& flows) {
  std::vector<std::uint32_t> out(flows.group.size());
  for (std::uint32_t f = 0; f < out.size(); ++f) out[f] = f;
  return out;
}

/// The groups with a member in a host that has lost a NIC.
std::vector<std::uint32_t> rerouted_groups(const FabricNetwork& fabric, Dimension dimension,
                                           const NetworkState& state) {
  const std::uint32_t per_host = fabric.links().topology().gpus_per_host();
  std::vector<std::uint32_t> out;
  for (const DegradedNic& nic : state.nics)
    for (std::uint32_t rank = nic.slot * per_host; nic.lost() && rank < (nic.slot + 1) * per_host; ++rank)
      if (rank < fabric.layout().ranks()) out.push_back(fabric.layout().group_of(rank, dimension));
  return out;
}

/// The groups to look at: those with a flow over a degraded wire, those in `also`, and of the others one whose flows' equal
/// shares of their wires are least.
class Choice {
 public:
  Choice(const CommunicatorFlows& flows, std::uint32_t groups, std::span<const double> healthy,
         std::span<const double> capacities, std::span<const std::uint32_t> also, std::size_t most_flows)
      : all_(all_of(flows)), capacities_(capacities.begin(), capacities.end()) {
    flows_ = all_;
    if (all_.size() <= most_flows) return;
    const std::vector<std::uint32_t> users = users_of_wires(flows, all_, capacities.size());
    std::vector<bool> wanted(groups, false);
    for (const std::uint32_t group : also) wanted[group] = true;
    std::vector<double> least(groups, kUnbounded);
    for (const std::uint32_t f : all_)
      for (std::uint32_t i = flows.flows.begin[f]; i < flows.flows.begin[f + 1]; ++i) {
        const std::uint32_t wire = flows.flows.links[i], group = flows.group[f];
        if (capacities[wire] < healthy[wire]) wanted[group] = true;
        least[group] = std::min(least[group], healthy[wire] / users[wire] / flows.share[f]);
      }
    wanted[static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin())] = true;
    std::erase_if(flows_, [&](std::uint32_t f) { return !wanted[flows.group[f]]; });
    const std::vector<std::uint32_t> theirs = users_of_wires(flows, flows_, capacities.size());
    for (std::size_t wire = 0; wire < capacities.size(); ++wire)
      if (theirs[wire] > 0) capacities_[wire] *= static_cast<double>(theirs[wire]) / users[wire];
  }

  std::span<const std::uint32_t> flows() const { return flows_; }
  std::span<const double> capacities() const { return capacities_; }

 private:
  static constexpr double kUnbounded = 1e300;
  std::vector<std::uint32_t> all_, flows_;
  std::vector<double> capacities_;  // by wire: what is left for the chosen flows
};

/// Rates by group; of a group that was not looked at, the most.
using Rates = std::array<std::vector<double>, kDimensions>;

/// One problem: for each state, a phase for each dimension that leaves its hosts.
class Measurement {
 public:
  explicit Measurement(const FabricNetwork& fabric)
      : fabric_(fabric), healthy_(fabric.links().capacities({})) {}

  void add(const NetworkState& state, std::size_t most_flows) {
    const std::vector<double> now = fabric_.links().capacities(state);
    auto& groups = groups_.emplace_back();
    for (std::size_t i = 0; i < kDimensions; ++i) {
      const Dimension dimension = static_cast<Dimension>(i);
      const CommunicatorFlows flows = fabric_.flows(dimension, state);
      if (flows.group.empty()) continue;
      const Choice choice(flows, fabric_.layout().groups(dimension), healthy_, now,
                          rerouted_groups(fabric_, dimension, state), most_flows);
      problem_.phases.push_back(phase_of(problem_, flows, choice.flows(), choice.capacities(), bytes()));
      for (const std::uint32_t f : choice.flows()) groups[i].push_back(flows.group[f]);
    }
  }

  /// By state, in the order in which they were added.
  std::vector<Rates> rates(const FlowProgram& program) const {
    const std::vector<FlowTimes> times = solve(program, problem_);
    std::vector<Rates> out(groups_.size());
    auto phase = times.begin();
    for (std::size_t state = 0; state < out.size(); ++state)
      for (std::size_t i = 0; i < kDimensions; ++i)
        if (!groups_[state][i].empty()) out[state][i] = rates_of(i, groups_[state][i], *phase++);
    return out;
  }

 private:
  /// What a member sends: a second's worth of its NVLink, so that times are of the order of seconds.
  double bytes() const { return fabric_.nvlink().value; }

  std::vector<double> rates_of(std::size_t i, std::span<const std::uint32_t> groups,
                               const FlowTimes& times) const {
    std::vector<double> out(fabric_.layout().groups(static_cast<Dimension>(i)), fabric_.nvlink().value);
    for (std::size_t f = 0; f < groups.size(); ++f) {
      double& rate = out[groups[f]];
      rate = std::min(rate, bytes() / times.flows[f]);
    }
    return out;
  }

  const FabricNetwork& fabric_;
  std::vector<double> healthy_;  // capacities
  FlowProblem problem_;
  std::vector<std::array<std::vector<std::uint32_t>, kDimensions>> groups_;  // of the flows of each phase
};

Bandwidths bandwidths_of(const FabricNetwork& fabric, const Rates& healthy, const Rates& now) {
  Bandwidths out;
  for (std::size_t i = 0; i < kDimensions; ++i)
    if (healthy[i].empty())
      out[i].healthy = fabric.nvlink();
    else
      out[i] = dimension_bandwidth(healthy[i], now[i], kMeasured);
  return out;
}

}  // namespace

std::vector<Bandwidths> simgrid_bandwidths(const FabricNetwork& fabric, std::span<const NetworkState> states,
                                           const FlowProgram& program, std::size_t most_flows) {
  Measurement measurement(fabric);
  measurement.add({}, most_flows);
  for (const NetworkState& state : states)
    if (!state.healthy()) measurement.add(state, most_flows);
  const std::vector<Rates> rates = measurement.rates(program);
  std::vector<Bandwidths> out;
  std::size_t degraded = 0;
  for (const NetworkState& state : states)
    out.push_back(bandwidths_of(fabric, rates[0], rates[state.healthy() ? 0 : ++degraded]));
  return out;
}

Network simgrid_network(const World& world, Ecmp ecmp, FlowProgram program) {
  return remembering([fabric = std::make_shared<const FabricNetwork>(world, ecmp),
                      program = std::move(program)](const NetworkState& state) {
    return simgrid_bandwidths(*fabric, {&state, 1}, program).front();
  });
}

std::vector<double> simgrid_seconds(const CommunicatorFlows& flows, std::span<const double> capacities,
                                    std::uint32_t groups, double bytes, const FlowProgram& program) {
  FlowProblem problem;
  problem.phases.push_back(phase_of(problem, flows, all_of(flows), capacities, bytes));
  const FlowTimes times = solve(program, problem).front();
  std::vector<double> out(groups, 0);
  for (std::size_t f = 0; f < flows.group.size(); ++f)
    out[flows.group[f]] = std::max(out[flows.group[f]], times.flows[f]);
  return out;
}

}  // namespace gauntlet
