// A permutation of 0..N-1 that starts as the identity and stores only what has been moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Lets a few of very many elements be drawn without replacement (Fisher-Yates): memory and time follow the
/// number of swaps, not N. Any 64-bit value but the largest is an element.
class SparsePermutation {
 public:
  std::uint64_t at(std::uint64_t position) const { return element_at_.get(position); }
  std::uint64_t position_of(std::uint64_t element) const { return position_of_.get(element); }
  /// Exchanges the elements at two positions.
  void swap(std::uint64_t a, std::uint64_t b);

 private:
  // A map that holds a key's own value where nothing else was set. Open addressing with linear probing; keys
  // are never erased. It is only ever looked up, so no result depends on its layout.
  class Exceptions {
   public:
    std::uint64_t get(std::uint64_t key) const;
    void set(std::uint64_t key, std::uint64_t value);

   private:
    struct Cell {
      std::uint64_t key;
      std::uint64_t value;
    };
    std::size_t find(std::uint64_t key) const;
    void grow();

    std::vector<Cell> cells_;  // a power of two of them, at most half used
    std::size_t used_ = 0;
  };

  Exceptions element_at_;
  Exceptions position_of_;
};

}  // namespace gauntlet
