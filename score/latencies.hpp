// How long things took, kept in bins whose width grows with their value: what many replicas add up to has a median and a
// 95th percentile, in memory that does not grow with their number.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Counts of durations in bins: 128 to each doubling of nanoseconds, as in HdrHistogram
/// (https://hdrhistogram.github.io/HdrHistogram/). A bin is shown by its middle, which is off by 0.4% at most; below 256 ns
/// it is exact. The same counts are the same value, in whatever order they came.
class Latencies {
 public:
  struct Bin {
    std::uint32_t number = 0;
    std::uint64_t count = 0;  // > 0
    friend bool operator==(const Bin&, const Bin&) = default;
  };

  void clear() { bins_.clear(); }
  /// Not negative.
  void add(Duration latency) { add(Bin{bin_of(latency), 1}); }
  void add(const Latencies& other);
  std::uint64_t count() const;
  /// The value at rank ceil(p x count) from 1, as its bin shows it; nothing where there is none. `p` in (0, 1].
  std::optional<Duration> quantile(double p) const;
  const std::vector<Bin>& bins() const { return bins_; }  // in ascending order

  /// "7:1 12:3": bin and count. Empty where there is none.
  std::string text() const;
  /// The reverse; nothing where the text is no such text.
  static std::optional<Latencies> from_text(std::string_view text);
  /// In ascending order; nothing where they are not, or a count is zero, or there is no such bin.
  static std::optional<Latencies> from_bins(std::vector<Bin> bins);

  static std::uint32_t bin_of(Duration latency);
  static Duration middle_of(std::uint32_t bin);
  friend bool operator==(const Latencies&, const Latencies&) = default;

 private:
  void add(Bin bin);
  std::vector<Bin> bins_;
};

}  // namespace gauntlet
