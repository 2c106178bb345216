// Quantities with units: parsed from and printed as text ("80GiB", "400Gb/s", "15min").
#pragma once

#include "core/time.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// A number of one dimension, stored in the unit that its alias names.
template <class Tag>
struct Quantity {
  double value = 0;
  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return {a.value * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return {a.value * k}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return {a.value / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Bytes = Quantity<struct BytesTag>;          // bytes
using Bandwidth = Quantity<struct BandwidthTag>;  // bytes per second
using Flops = Quantity<struct FlopsTag>;          // floating-point operations
using FlopRate = Quantity<struct FlopRateTag>;    // floating-point operations per second
using Money = Quantity<struct MoneyTag>;          // of one currency (core/currency.hpp)

/// In [0, 1]; whoever reads one from a user checks it.
struct Probability {
  double value = 0;
  friend constexpr auto operator<=>(const Probability&, const Probability&) = default;
};

constexpr Duration operator/(Bytes size, Bandwidth rate) { return from_seconds(size.value / rate.value); }
constexpr Duration operator/(Flops work, FlopRate rate) { return from_seconds(work.value / rate.value); }

// --- text ----------------------------------------------------------------------------------------------------------

/// A value, or why the text is none and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string why;         // "has no unit"
  std::string suggestion;  // "write \"300h\" or \"300min\""
};

/// "90s", "1.5h", "2min30s"; units ns us ms s min h d w (7 days) y (365 days), each at most once and the longer ones
/// first. "0" needs no unit. To the nearest nanosecond; at most `kForever`.
Parsed<Duration> parse_duration(std::string_view text);
/// The same text in seconds, for means of laws: those may lie beyond the 292 years of a Duration.
Parsed<double> parse_seconds(std::string_view text);
/// "80GiB", "1.6TB"; units B kB MB GB TB PB, KiB MiB GiB TiB PiB.
Parsed<Bytes> parse_bytes(std::string_view text);
/// "400Gb/s" (bits), "80GB/s" (bytes); prefixes k M G T.
Parsed<Bandwidth> parse_bandwidth(std::string_view text);
/// "989TFLOP/s"; prefixes M G T P E.
Parsed<FlopRate> parse_flop_rate(std::string_view text);

/// The units that the parsers above know, for messages and schemas.
std::span<const std::string_view> duration_units();
std::span<const std::string_view> bytes_units();
std::span<const std::string_view> bandwidth_units();
std::span<const std::string_view> flop_rate_units();

/// Text that parses back to the same nanoseconds: "2min30s", "1.5ms", "54d".
std::string to_text(Duration value);
/// The shortest text in any one unit that parses back to the same value: "80GiB", "1.6TB".
std::string to_text(Bytes value);
std::string to_text(Bandwidth value);
std::string to_text(FlopRate value);

}  // namespace gauntlet
