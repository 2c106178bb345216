#include "models/network/hops.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// The members of a group in one host, and the NICs that they sit next to, each with a member beside it.
struct HostPart {
  struct Port {
    std::uint32_t nic, rank;
  };
  std::span<const std::uint32_t> members;
  std::vector<Port> ports;

  /// The port on the same rail, or else the one of the same number.
  const Port& facing(const Port& port, std::size_t number) const {
    for (const Port& own : ports)
      if (own.nic == port.nic) return own;
    return ports[number % ports.size()];
  }
};

/// Writes hops of one group.
class Group {
 public:
  Group(std::vector<Hop>& to, HostShape shape, std::span<const std::uint32_t> ranks,
        std::span<const DegradedNic> degraded)
      : to_(to), shape_(shape), ranks_(ranks) {
    find_lost(degraded);
    for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
      while (end < ranks.size() && host_of(ranks[end]) == host_of(ranks[begin])) ++end;
      add_host(ranks.subspan(begin, end - begin));
    }
    for (const HostPart& host : hosts_) channels_ = std::min(channels_, host.ports.size());
  }

  bool write(Pattern pattern, bool closed) {
    const std::size_t before = to_.size();
    switch (pattern) {
      case Pattern::ring:
        ring();
        break;
      case Pattern::tree:
        tree();
        break;
      case Pattern::all_to_all:
        all_to_all();
        break;
      case Pattern::pairs:
        pairs(closed);
        break;
    }
    if (cut_off_) to_.resize(before);
    return !cut_off_;
  }

 private:
  std::uint32_t host_of(std::uint32_t rank) const { return rank / shape_.gpus; }

  void find_lost(std::span<const DegradedNic> degraded) {
    for (const DegradedNic& nic : degraded) {
      if (!nic.lost()) continue;
      const bool here = std::any_of(ranks_.begin(), ranks_.end(),
                                    [&](std::uint32_t rank) { return host_of(rank) == nic.slot; });
      for (std::uint32_t n = 0; here && n < shape_.nics; ++n)
        if (nic.nic == kAllNics || nic.nic == n) lost_.push_back(n);
    }
  }

  bool usable(std::uint32_t nic) const { return std::find(lost_.begin(), lost_.end(), nic) == lost_.end(); }

  void add_host(std::span<const std::uint32_t> members) {
    HostPart& host = hosts_.emplace_back(HostPart{.members = members, .ports = {}});
    for (const std::uint32_t rank : members) {
      const std::uint32_t gpu = rank % shape_.gpus;
      for (std::uint32_t nic = shape_.first_nic(gpu); nic < shape_.end_of_nics(gpu); ++nic)
        if (usable(nic) && (host.ports.empty() || host.ports.back().nic < nic))
          host.ports.push_back({nic, rank});
    }
  }

  void ring() {
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      const auto members = hosts_[h].members;
      for (std::size_t i = 1; i < members.size(); ++i) send(members[i - 1], members[i], 1);
      if (hosts_.size() > 1)
        over_channels(h, (h + 1) % hosts_.size(), 1);
      else
        send(members.back(), members.front(), 1);
    }
  }

  /// Of what a host sends in an all-reduce, each edge of a tree takes a quarter: half of the bytes go through each tree,
  /// and a host sends them up two edges and down two.
  void tree() {
    for (const HostPart& host : hosts_)
      for (std::size_t i = 1; i < host.members.size(); ++i) {
        send(host.members[i - 1], host.members[i], 0.5);
        send(host.members[i], host.members[i - 1], 0.5);
      }
    const std::size_t n = hosts_.size();
    for (std::size_t h = 1; h < n; ++h) {
      const std::size_t up = parent(h);
      both_ways(h, up);
      if (n % 2 == 1)  // shifted by one, else mirrored: leaves and inner hosts change places
        both_ways((h + 1) % n, (up + 1) % n);
      else
        both_ways(n - 1 - h, n - 1 - up);
    }
  }

  void all_to_all() {
    const double others = static_cast<double>(ranks_.size()) - 1;
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      const auto members = hosts_[h].members;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (members.size() > 1)
          send(members[i], members[(i + 1) % members.size()],
               (static_cast<double>(members.size()) - 1) / others);
        for (std::size_t far = 0; far < hosts_.size(); ++far) {
          if (far == h) continue;
          const auto there = hosts_[far].members;
          send(members[i], there[i % there.size()], static_cast<double>(there.size()) / others);
        }
      }
    }
  }

  void pairs(bool closed) {
    for (std::size_t i = 1; i < ranks_.size(); ++i) send(ranks_[i - 1], ranks_[i], 1);
    if (closed) send(ranks_.back(), ranks_.front(), 1);
  }

  /// The parent of a host other than 0 in NCCL's binary tree: odd ones are leaves, host 0 is the root.
  std::size_t parent(std::size_t host) const {
    const std::size_t bit = host & (~host + 1);
    const std::size_t up = (host ^ bit) | bit << 1;
    return up < hosts_.size() ? up : host ^ bit;
  }

  void both_ways(std::size_t a, std::size_t b) {
    over_channels(a, b, 0.25);
    over_channels(b, a, 0.25);
  }

  void over_channels(std::size_t from, std::size_t to, double share) {
    if (channels_ == 0) cut_off_ = true;
    for (std::size_t c = 0; c < channels_; ++c) {
      const HostPart::Port& port = hosts_[from].ports[c];
      add(port.rank, hosts_[to].facing(port, c).rank, port.nic, share / static_cast<double>(channels_));
    }
  }

  /// Through the sender's own NICs where the receiver is in another host.
  void send(std::uint32_t from, std::uint32_t to, double share) {
    if (host_of(from) == host_of(to)) return add(from, to, 0, share);
    const std::uint32_t gpu = from % shape_.gpus, begin = shape_.first_nic(gpu),
                        end = shape_.end_of_nics(gpu);
    std::uint32_t left = 0;
    for (std::uint32_t nic = begin; nic < end; ++nic) left += usable(nic) ? 1 : 0;
    if (left == 0) cut_off_ = true;
    for (std::uint32_t nic = begin; nic < end; ++nic)
      if (usable(nic)) add(from, to, nic, share / left);
  }

  void add(std::uint32_t from, std::uint32_t to, std::uint32_t nic, double share) {
    to_.push_back({.from = from, .to = to, .nic = nic, .share = share});
  }

  std::vector<Hop>& to_;
  HostShape shape_;
  std::span<const std::uint32_t> ranks_;
  Ranks lost_;  // NICs, of any host
  std::vector<HostPart> hosts_;
  std::size_t channels_ = ~std::size_t{0};
  bool cut_off_ = false;
};

}  // namespace

bool add_hops(std::vector<Hop>& to, HostShape host, Pattern pattern, std::span<const std::uint32_t> ranks,
              bool closed, std::span<const DegradedNic> degraded) {
  return ranks.size() < 2 || Group(to, host, ranks, degraded).write(pattern, closed);
}

bool add_hops(std::vector<Hop>& to, HostShape host, const Layout& layout, Dimension dimension,
              std::uint32_t group, std::span<const DegradedNic> degraded) {
  return add_hops(to, host, pattern_of(dimension), layout.ranks_of_group(dimension, group),
                  layout.virtual_stages > 1, degraded);
}

bool carries_on(const Layout& layout, HostShape host, std::span<const DegradedNic> degraded) {
  std::vector<Hop> hops;
  for (const DegradedNic& nic : degraded) {
    if (!nic.lost() || nic.slot >= layout.ranks() / host.gpus) continue;
    for (std::size_t d = 0; d < kDimensions; ++d)
      for (std::uint32_t gpu = 0; gpu < host.gpus; ++gpu) {
        const Dimension dimension = static_cast<Dimension>(d);
        const std::uint32_t group = layout.group_of(nic.slot * host.gpus + gpu, dimension);
        hops.clear();
        if (!add_hops(hops, host, layout, dimension, group, degraded)) return false;
      }
  }
  return true;
}

}  // namespace gauntlet
