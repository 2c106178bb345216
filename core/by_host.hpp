// Numbers under the hosts that they concern: those of one host are found at a cost that does not depend on the others.
//
// What concerns a few hosts is kept under each of them. What concerns more (a pod, a spine switch) is rare, and kept in a list.
#pragma once

#include "core/id.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

class ByHost {
 public:
  void clear() {
    heads_.clear();
    nodes_.clear();
    free_ = 0;
    wide_.clear();
  }

  /// The number concerns the hosts [first, first + count).
  void add(HostId first, std::uint32_t count, std::uint32_t number) {
    if (count > kFew) return wide_.push_back({first, count, number});
    if (heads_.size() < first.value + count) heads_.resize(first.value + count, 0);
    for (std::uint32_t host = first.value; host < first.value + count; ++host) {
      const std::uint32_t node = free_node();
      nodes_[node - 1] = {number, std::exchange(heads_[host], node)};
    }
  }
  /// As it was added.
  void remove(HostId first, std::uint32_t count, std::uint32_t number) {
    if (count > kFew) {
      std::erase_if(wide_, [&](const Wide& each) { return each.number == number; });
      return;
    }
    for (std::uint32_t host = first.value; host < first.value + count; ++host) {
      std::uint32_t* link = &heads_[host];
      while (nodes_[*link - 1].number != number) link = &nodes_[*link - 1].next;
      const std::uint32_t node = *link;
      *link = nodes_[node - 1].next;
      nodes_[node - 1].next = std::exchange(free_, node);
    }
  }

  /// Whether `holds` for a number of the host. They are asked from the latest on, the rare wide ones last, until it does.
  template <class Holds>
  bool any(HostId host, const Holds& holds) const {
    if (host.value < heads_.size()) {
      for (std::uint32_t node = heads_[host.value]; node != 0; node = nodes_[node - 1].next)
        if (holds(nodes_[node - 1].number)) return true;
    }
    return std::any_of(wide_.rbegin(), wide_.rend(), [&](const Wide& each) {
      const bool concerned = host.value >= each.first.value && host.value - each.first.value < each.count;
      return concerned && holds(each.number);
    });
  }
  template <class Do>
  void for_each(HostId host, const Do& act) const {
    any(host, [&](std::uint32_t number) {
      act(number);
      return false;
    });
  }

 private:
  static constexpr std::uint32_t kFew = 64;
  struct Node {
    std::uint32_t number = 0;
    std::uint32_t next = 0;  // one more than its place; 0: none
  };
  struct Wide {
    HostId first;
    std::uint32_t count = 0, number = 0;
  };

  std::uint32_t free_node() {
    if (free_ == 0) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size());
    }
    return std::exchange(free_, nodes_[free_ - 1].next);
  }

  std::vector<std::uint32_t> heads_;  // by host: one more than the place of its latest node; 0: none
  std::vector<Node> nodes_;
  std::uint32_t free_ = 0;  // likewise, the first of those that are free
  std::vector<Wide> wide_;
};

}  // namespace gauntlet
