#include "models/network/wire_uses.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gauntlet {
namespace {

/// Counts who uses the wires of some hosts.
class Count {
 public:
  Count(const HostWires& wires, std::uint32_t first_slot, std::uint32_t slots)
      : wires_(wires),
        host_(wires.host),
        first_(first_slot),
        slots_(slots),
        sent_(slots * host_.nics),
        received_(slots * host_.nics),
        out_(slots * host_.gpus),
        in_(slots * host_.gpus) {}

  Uses uses_of(std::span<const Hop> hops) {
    for (const Hop& hop : hops) count(hop);
    Uses out{.nics = {}, .nvlink = wires_.nvlink};
    // A NIC gives each of its flows as much, whatever they carry.
    for (const Hop& hop : hops) {
      if (within(hop)) continue;
      for (const auto& [rank, users] : {std::pair{hop.from, &sent_}, std::pair{hop.to, &received_}})
        if (counted(rank))
          out.nics.push_back({rank, hop.nic, wires_.nic / (*users)[nic_at(rank, hop.nic)] / hop.share});
    }
    // What NVLink carries is mostly held up elsewhere, and leaves the rest to others.
    double most = 1;
    for (const std::vector<double>* loads : {&out_, &in_})
      for (const double load : *loads) most = std::max(most, load);
    out.nvlink /= most;
    return out;
  }

 private:
  bool within(const Hop& hop) const { return hop.from / host_.gpus == hop.to / host_.gpus; }
  bool counted(std::uint32_t rank) const {
    return rank / host_.gpus >= first_ && rank / host_.gpus < first_ + slots_;
  }
  std::size_t nic_at(std::uint32_t rank, std::uint32_t nic) const {
    return (rank / host_.gpus - first_) * host_.nics + nic;
  }
  double& port(std::vector<double>& of, std::uint32_t rank) const { return of[rank - first_ * host_.gpus]; }

  void count(const Hop& hop) {
    const bool inside = within(hop);
    if (counted(hop.from)) {
      if (!inside) sent_[nic_at(hop.from, hop.nic)] += 1;
      over_nvlink(hop.from, inside ? hop.to : beside(hop.from, hop.nic), hop.share);
    }
    if (counted(hop.to) && !inside) {
      received_[nic_at(hop.to, hop.nic)] += 1;
      over_nvlink(beside(hop.to, hop.nic), hop.to, hop.share);
    }
  }

  /// The GPU of the rank's host that reads for a NIC, or writes: the rank itself where it sits next to it.
  std::uint32_t beside(std::uint32_t rank, std::uint32_t nic) const {
    const std::uint32_t gpu = rank % host_.gpus;
    return host_.adjacent(gpu, nic) ? rank : rank - gpu + host_.gpu_of_nic(nic);
  }

  void over_nvlink(std::uint32_t from, std::uint32_t to, double share) {
    if (from == to) return;
    port(out_, from) += share;
    port(in_, to) += share;
  }

  HostWires wires_;
  HostShape host_;
  std::uint32_t first_, slots_;
  std::vector<double> sent_, received_;  // flows, by host and NIC
  std::vector<double> out_, in_;         // shares, by host and GPU
};

}  // namespace

HostWires wires_of(const Hardware& hardware) {
  return {.host = {.gpus = hardware.gpus_per_host, .nics = hardware.nics_per_host},
          .nic = hardware.nic.value,
          .nvlink = hardware.nvlink.value / 2};
}

Uses uses_of_wires(const HostWires& wires, std::uint32_t first, std::uint32_t count,
                   std::span<const Hop> hops) {
  return Count(wires, first, count).uses_of(hops);
}

}  // namespace gauntlet
