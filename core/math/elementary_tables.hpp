// The two tables behind core/math/elementary, worked out by the compiler from the series that define them.
#pragma once

#include "core/math/double_double.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gauntlet::detail {

inline constexpr int kTableBits = 7;
inline constexpr std::size_t kTableSize = std::size_t{1} << kTableBits;

/// log 2 to 106 bits.
inline constexpr DoubleDouble kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// The same, cut so that a whole number below 2^11 times `high` (42 bits) is exact.
inline constexpr DoubleDouble kLog2Cut{0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};

/// Significands are taken from [0.6875, 1.375), as the top bits of (bits of x) - kLogOffset: that puts 1 on
/// the edge of two intervals, both of which get inverse = 1 and minus_log = 0, so that logarithms near zero
/// do not cancel.
inline constexpr std::uint64_t kLogOffset = 0x3fe6000000000000;

struct LogEntry {
  double inverse;  // about 1 / (centre of the interval), on 11 bits: its product with 32 bits is exact
  double
      minus_log_high;  // -log(inverse), cut to a multiple of 2^-42, so that adding k * kLog2Cut.high is exact
  double minus_log_low;  // the rest of it
};

/// log(x) to 100 bits for x in [0.6, 1.5], on few enough bits that x - 1 and x + 1 are exact:
/// 2 * (z + z^3 / 3 + z^5 / 5 + ...) with z = (x - 1) / (x + 1).
constexpr DoubleDouble series_log(double x) {
  const DoubleDouble z = divide({x - 1, 0}, x + 1);
  const DoubleDouble square = multiply(z, z);
  constexpr int kTerms =
      24;  // |z| <= 1/4 gives 4^-49 = 2^-98 relative to z at the very edge, far less elsewhere
  DoubleDouble sum = divide({1, 0}, 2 * kTerms + 1);
  for (int n = kTerms - 1; n >= 0; --n) sum = add(multiply(sum, square), divide({1, 0}, 2 * n + 1));
  const DoubleDouble half = multiply(z, sum);
  return {2 * half.high, 2 * half.low};
}

constexpr std::array<LogEntry, kTableSize> make_log_table() {
  std::array<LogEntry, kTableSize> table{};
  for (std::size_t i = 0; i < kTableSize; ++i) {
    const std::uint64_t low = kLogOffset + (static_cast<std::uint64_t>(i) << (52 - kTableBits));
    const std::uint64_t high = low + (std::uint64_t{1} << (52 - kTableBits));
    const double from = std::bit_cast<double>(low);
    const double to = std::bit_cast<double>(high);
    const double ideal = from == 1.0 || to == 1.0 ? 1.0 : 2 / (from + to);
    const double inverse = static_cast<double>(static_cast<std::int64_t>(ideal * 1024 + 0.5)) / 1024;
    const DoubleDouble log = series_log(inverse);
    constexpr double kGrid = 0x1p42;
    const double scaled = -log.high * kGrid;
    const double cut = static_cast<double>(static_cast<std::int64_t>(scaled)) / kGrid;
    table[i] = {inverse, cut, (-log.high - cut) - log.low};
  }
  return table;
}

struct ExpEntry {
  double power;  // 2^(i / 128), rounded
  double tail;   // what rounding took away, relative to `power`
};

constexpr std::array<ExpEntry, kTableSize> make_exp_table() {
  std::array<ExpEntry, kTableSize> table{};
  for (std::size_t i = 0; i < kTableSize; ++i) {
    constexpr double kStep = 1.0 / static_cast<double>(kTableSize);
    const DoubleDouble x = multiply(kLog2, {static_cast<double>(i) * kStep, 0});
    constexpr int kTerms = 26;  // log(2)^27 / 27! < 2^-107
    DoubleDouble sum{1, 0};
    for (int n = kTerms; n >= 1; --n) sum = add({1, 0}, divide(multiply(sum, x), n));
    table[i] = {sum.high, sum.low / sum.high};
  }
  return table;
}

inline constexpr std::array<LogEntry, kTableSize> kLogTable = make_log_table();
inline constexpr std::array<ExpEntry, kTableSize> kExpTable = make_exp_table();

}  // namespace gauntlet::detail
