// Values by the number of a host or a slot. Most were never set and share one value, so that the table has room only up to the
// last one that was: it costs nothing where nothing happened, and every look takes the same time.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

template <class Value>
class GrowingTable {
 public:
  /// `unset`: what a number has that was never set.
  explicit GrowingTable(Value unset = {}) : unset_(unset) {}

  Value operator[](std::uint32_t number) const { return number < values_.size() ? values_[number] : unset_; }
  void set(std::uint32_t number, Value value) {
    if (number >= values_.size()) values_.resize(std::size_t{number} + 1, unset_);
    values_[number] = value;
  }

 private:
  Value unset_;
  std::vector<Value> values_;
};

}  // namespace gauntlet
