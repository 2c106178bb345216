// Values that a few hosts have for a while, found by the number of the host. The memory of a value that is gone is used again.
#pragma once

#include "core/contract.hpp"
#include "core/growing_table.hpp"
#include "core/id.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

template <class Kept>
class HostTable {
 public:
  /// The host has none yet. Values stay where they are until another is added.
  Kept& add(HostId host, Kept value) {
    expect(place_[host.value] == 0, "a host has one value");
    if (free_.empty()) {
      values_.push_back(std::move(value));
      place_.set(host.value, static_cast<std::uint32_t>(values_.size()));
      return values_.back();
    }
    place_.set(host.value, free_.back());
    free_.pop_back();
    return at(host) = std::move(value);
  }
  /// Null where the host has none.
  Kept* find(HostId host) {
    const std::uint32_t place = place_[host.value];
    return place == 0 ? nullptr : &values_[place - 1];
  }
  Kept& at(HostId host) {
    Kept* found = find(host);
    expect(found != nullptr, "the host has a value");
    return *found;
  }
  void erase(HostId host) {
    const std::uint32_t place = place_[host.value];
    expect(place != 0, "the host has a value");
    free_.push_back(place);
    place_.set(host.value, 0);
  }

 private:
  std::vector<Kept> values_;
  std::vector<std::uint32_t> free_;    // places of values that are gone
  GrowingTable<std::uint32_t> place_;  // by host: one more than its place in `values_`; 0: it has none
};

}  // namespace gauntlet
