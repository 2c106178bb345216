// Bandwidths of communicators where no switch narrows anything: those who use a NIC at once have equal parts of it.
#include "core/contract.hpp"
#include "models/network/bandwidths.hpp"
#include "models/network/hops.hpp"
#include "models/network/wire_uses.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace gauntlet {
namespace {

/// Groups of a dimension are ranks a stride apart, in blocks of stride x size ranks.
struct Grouping {
  Pattern pattern = Pattern::ring;
  bool closed = false;
  std::uint32_t stride = 1, size = 1, blocks = 1;
  std::uint32_t block() const { return stride * size; }
};

Grouping grouping_of(const Layout& layout, Dimension dimension) {
  Grouping out{.pattern = pattern_of(dimension),
               .closed = layout.virtual_stages > 1,
               .stride = 1,
               .size = layout.size(dimension),
               .blocks = 1};
  if (out.size > 1) {
    const std::vector<std::uint32_t> first = layout.ranks_of_group(dimension, 0);
    out.stride = first[1] - first[0];
  }
  out.blocks = layout.ranks() / out.block();
  return out;
}

bool within_hosts(const Grouping& of, std::uint32_t per_host) {
  return of.size == 1 || per_host % of.block() == 0;
}

/// Whether all hosts hold as many members of each group as every other host, at the same places.
bool all_hosts_alike(const Grouping& of, std::uint32_t per_host) {
  return of.block() % per_host == 0 && (of.stride % per_host == 0 || per_host % of.stride == 0);
}

/// Hosts that hold a member of a group.
double hosts_of_group(const Grouping& of, std::uint32_t per_host) {
  return of.stride >= per_host ? of.size : (of.block() + per_host - 1) / per_host;
}

/// In an all-to-all a member sends to other hosts (size - 1) / (hosts - 1) times what it sends to each member of a far host.
double spread(const Grouping& of, std::uint32_t per_host) {
  if (of.pattern != Pattern::all_to_all) return 1;
  return (of.size - 1) / (hosts_of_group(of, per_host) - 1);
}

/// A small grouping whose hosts use their wires as those of `of` do: strides beyond a host differ by how they are cut into
/// hosts alone, and in the midst of a large group all goes on as it began.
Grouping alike(Grouping of, std::uint32_t per_host) {
  if (of.stride >= per_host) of.stride = per_host + of.stride % per_host;
  const std::uint32_t turn =
      std::lcm(of.stride, per_host) / of.stride;  // members until one sits as the first
  const std::uint32_t kept = all_hosts_alike(of, per_host) ? 2 * turn : 3 * turn + of.size % turn;
  if (of.size > kept) of.size = kept;
  of.blocks = std::min(of.blocks, per_host / std::gcd(of.block(), per_host));
  return of;
}

Uses uses_of_small(const Grouping& of, const HostWires& wires, std::uint32_t slots) {
  std::vector<Hop> hops;
  std::vector<std::uint32_t> ranks(of.size);
  for (std::uint32_t block = 0; block < of.blocks; ++block)
    for (std::uint32_t first = 0; first < of.stride; ++first) {
      for (std::uint32_t i = 0; i < of.size; ++i) ranks[i] = block * of.block() + first + i * of.stride;
      add_hops(hops, wires.host, of.pattern, ranks, of.closed);
    }
  return uses_of_wires(wires, 0, slots, hops);
}

/// One dimension of a layout. Not changed once it is made.
class ClosedForm {
 public:
  ClosedForm(const Layout& layout, const Hardware& hardware, Dimension dimension)
      : layout_(layout), wires_(wires_of(hardware)), dimension_(dimension) {
    const std::uint32_t per_host = wires_.host.gpus;
    const Grouping whole = grouping_of(layout, dimension);
    healthy_.healthy = {wires_.nvlink};
    healthy_.over_nics = !within_hosts(whole, per_host);
    if (!healthy_.over_nics) return;
    const Grouping small = alike(whole, per_host);
    const double wider = small.size < whole.size ? spread(whole, per_host) / spread(small, per_host) : 1;
    alike_ = all_hosts_alike(whole, per_host);
    Uses uses = uses_of_small(small, wires_, alike_ ? 1 : small.block() * small.blocks / per_host);
    double least = uses.nvlink;
    for (Use& use : uses.nics) least = std::min(least, use.rate *= wider);
    healthy_.healthy = {least};
    if (alike_) of_host_ = std::move(uses.nics);
  }

  /// `degraded`: by slot.
  DimensionBandwidth in(std::span<const DegradedNic> degraded) const {
    if (degraded.empty() || !healthy_.over_nics) return healthy_;
    std::vector<double> least(layout_.ranks() / layout_.size(dimension_),
                              healthy_.healthy.value);  // by group
    const bool lost =
        std::any_of(degraded.begin(), degraded.end(), [](const auto& nic) { return nic.lost(); });
    const std::uint32_t hosts = layout_.ranks() / wires_.host.gpus;
    if (lost && !alike_) {  // what goes over other NICs may meet others in any host
      slow_down(least, uses_of_hosts(0, hosts, degraded), 0, degraded);
    } else {
      for (std::size_t begin = 0, end = 0; begin < degraded.size(); begin = end) {
        const std::uint32_t slot = degraded[begin].slot;
        while (end < degraded.size() && degraded[end].slot == slot) ++end;
        if (slot >= hosts) continue;
        const auto here = degraded.subspan(begin, end - begin);
        if (alike_ && !lost)
          slow_down(least, of_host_, slot * wires_.host.gpus, here);
        else
          slow_down(least, uses_of_hosts(slot, 1, degraded), 0, here);
      }
    }
    DimensionBandwidth out = healthy_;
    for (std::uint32_t group = 0; group < least.size(); ++group)
      if (least[group] < healthy_.healthy.value) out.slow.push_back({group, {least[group]}});
    return out;
  }

 private:
  /// `uses` count ranks from `first`; of a group, the slowest member counts.
  void slow_down(std::vector<double>& least, std::span<const Use> uses, std::uint32_t first,
                 std::span<const DegradedNic> degraded) const {
    for (const Use& use : uses) {
      const std::uint32_t rank = first + use.rank;
      double factor = 1;
      for (const DegradedNic& nic : degraded)
        if (nic.slot == rank / wires_.host.gpus && (nic.nic == kAllNics || nic.nic == use.nic))
          factor = std::max(factor, nic.factor);
      double& slowest = least[layout_.group_of(rank, dimension_)];
      slowest = std::min(slowest, use.rate / factor);
    }
  }

  std::vector<Use> uses_of_hosts(std::uint32_t slot, std::uint32_t slots,
                                 std::span<const DegradedNic> degraded) const {
    const std::uint32_t per_host = wires_.host.gpus;
    std::vector<std::uint32_t> groups;
    for (std::uint32_t rank = slot * per_host; rank < (slot + slots) * per_host; ++rank)
      groups.push_back(layout_.group_of(rank, dimension_));
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    std::vector<Hop> hops;
    for (const std::uint32_t group : groups) {
      const bool whole = add_hops(hops, wires_.host, layout_, dimension_, group, degraded);
      expect(whole, "every group has a NIC left");
    }
    return uses_of_wires(wires_, slot, slots, hops).nics;
  }

  Layout layout_;
  HostWires wires_;
  Dimension dimension_;
  DimensionBandwidth healthy_;
  bool alike_ = true;         // all hosts
  std::vector<Use> of_host_;  // where all are alike: of the first, whose ranks are its GPUs
};

}  // namespace

Network closed_form_network(const Layout& layout, const Hardware& hardware) {
  auto dimensions = std::make_shared<std::vector<ClosedForm>>();
  for (std::size_t i = 0; i < kDimensions; ++i)
    dimensions->emplace_back(layout, hardware, static_cast<Dimension>(i));
  return [dimensions = std::shared_ptr<const std::vector<ClosedForm>>(std::move(dimensions))](
             const NetworkState& state) {
    expect(state.switches.empty(), "the closed form knows no switches");
    Bandwidths all;
    for (std::size_t i = 0; i < kDimensions; ++i) all[i] = (*dimensions)[i].in(state.nics);
    return all;
  };
}

}  // namespace gauntlet
