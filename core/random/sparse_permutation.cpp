#include "core/random/sparse_permutation.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

}  // namespace

void SparsePermutation::swap(std::uint64_t a, std::uint64_t b) {
  if (a == b) return;
  const std::uint64_t at_a = at(a);
  const std::uint64_t at_b = at(b);
  element_at_.set(a, at_b);
  element_at_.set(b, at_a);
  position_of_.set(at_b, a);
  position_of_.set(at_a, b);
}

/// The cell of the key, or the empty one where it would go.
std::size_t SparsePermutation::Exceptions::find(std::uint64_t key) const {
  const std::size_t mask = cells_.size() - 1;
  // Multiplicative hashing (Knuth, TAOCP 3, sec. 6.4): the upper bits of the product are the mixed ones.
  std::size_t i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15) >> 32) & mask;
  while (cells_[i].key != key && cells_[i].key != kEmpty) i = (i + 1) & mask;
  return i;
}

std::uint64_t SparsePermutation::Exceptions::get(std::uint64_t key) const {
  if (cells_.empty()) return key;
  const Cell& cell = cells_[find(key)];
  return cell.key == key ? cell.value : key;
}

void SparsePermutation::Exceptions::set(std::uint64_t key, std::uint64_t value) {
  if (2 * (used_ + 1) > cells_.size()) grow();
  Cell& cell = cells_[find(key)];
  if (cell.key == kEmpty) ++used_;
  cell = {key, value};
}

void SparsePermutation::Exceptions::grow() {
  constexpr std::size_t kSmallest = 16;
  std::vector<Cell> old(cells_.empty() ? kSmallest : 2 * cells_.size(), Cell{kEmpty, 0});
  old.swap(cells_);
  for (const Cell& cell : old) {
    if (cell.key != kEmpty) cells_[find(cell.key)] = cell;
  }
}

}  // namespace gauntlet
