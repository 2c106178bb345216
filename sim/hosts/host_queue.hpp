// A queue of hosts, first come, first served, that any of them may leave. Every operation takes the same time, however many wait.
#pragma once

#include "core/contract.hpp"
#include "core/id.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class HostQueue {
 public:
  /// Of hosts below `hosts`.
  explicit HostQueue(std::uint32_t hosts) : hosts_(hosts) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// It does not wait yet.
  void push_back(HostId host) { insert(host, last(), end()); }
  void push_front(HostId host) { insert(host, end(), first()); }
  /// The host that has waited longest.
  std::optional<HostId> pop_front() {
    if (empty()) return std::nullopt;
    const HostId host{first()};
    erase(host);
    return host;
  }
  /// Does nothing where the host does not wait.
  void erase(HostId host) {
    if (links_.empty() || links_[host.value].before == kNone) return;
    const Link left = links_[host.value];
    links_[left.before].after = left.after;
    links_[left.after].before = left.before;
    links_[host.value] = {};
    --size_;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Link {
    std::uint32_t before = kNone, after = kNone;  // kNone: it does not wait
  };

  /// The place after the last host stands for both ends.
  std::uint32_t end() const { return hosts_; }
  std::uint32_t first() const { return empty() ? end() : links_[end()].after; }
  std::uint32_t last() const { return empty() ? end() : links_[end()].before; }
  void insert(HostId host, std::uint32_t before, std::uint32_t after) {
    if (links_.empty()) {
      links_.resize(hosts_ + 1);
      links_[end()] = {end(), end()};
    }
    expect(host.value < hosts_ && links_[host.value].before == kNone, "a host waits once");
    links_[host.value] = {before, after};
    links_[before].after = host.value;
    links_[after].before = host.value;
    ++size_;
  }

  std::uint32_t hosts_;
  std::vector<Link> links_;  // by host, and that of the ends; empty until a host waits
  std::size_t size_ = 0;
};

}  // namespace gauntlet
