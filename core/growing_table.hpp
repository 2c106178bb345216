// Values by the number of a host or a slot. Most were never set and share one value, so that the table has room only up to the
// last one that was: it costs nothing where nothing happened, and every look takes the same time.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

template <class Cell>
class GrowingTable {
 public:
  /// `unset`: what a number has that was never set.
  explicit GrowingTable(Cell unset = {}) : unset_(unset) {}

  Cell operator[](std::uint32_t number) const { return number < values_.size() ? values_[number] : unset_; }
  void set(std::uint32_t number, Cell value) {
    if (number >= values_.size()) values_.resize(std::size_t{number} + 1, unset_);
    values_[number] = value;
  }

 private:
  Cell unset_;
  std::vector<Cell> values_;
};

}  // namespace gauntlet
