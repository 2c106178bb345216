#include "study/field_range.hpp"

#include "core/contract.hpp"
#include "core/currency.hpp"
#include "core/math/elementary.hpp"
#include "core/text.hpp"
#include "study/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gauntlet {
namespace {

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class T>
Parsed<double> plain(const Parsed<T>& parsed) {
  return {parsed.value ? std::optional(parsed.value->value) : std::nullopt, parsed.why, parsed.suggestion};
}

/// `value` to the nearest multiple of the largest power of ten that is no larger than `grain`, in the fewest digits.
std::string rounded_number(double value, double grain) {
  int exponent = 0;
  double power = 1;
  while (power > grain && exponent > -300) power = math_pow(10, --exponent);
  while (power * 10 <= grain && exponent < 300) power = math_pow(10, ++exponent);
  const double multiple = std::nearbyint(exponent < 0 ? value * math_pow(10, -exponent) : value / power);
  const std::string exact = fmt::format("{:.0f}e{}", multiple, exponent);
  double parsed = 0;
  std::from_chars(exact.data(), exact.data() + exact.size(), parsed);
  if (parsed == 0) return "0";
  const bool short_enough = std::abs(parsed) >= 1e-4 && std::abs(parsed) < 1e15;
  std::array<char, 64> buffer;
  const auto format = short_enough ? std::chars_format::fixed : std::chars_format::general;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), parsed, format).ptr;
  return {buffer.data(), end};
}

/// Seconds to the nearest of the steps in which people say times, no coarser than `grain`.
std::string rounded_duration(double seconds, double grain) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86'400;
  constexpr std::array kSteps = {10 * kDay, kDay, kHour, 10 * kMinute, kMinute, 10.0, 1.0};
  constexpr double kLongest = 200 * 365 * kDay;  // a Duration holds 292 years
  if (seconds > kLongest) return rounded_number(seconds / (365 * kDay), grain / (365 * kDay)) + "y";
  for (const double step : kSteps)
    if (step <= grain) return to_text(from_seconds(std::nearbyint(seconds / step) * step));
  double parsed = 0;
  const std::string fine = rounded_number(seconds, grain);
  std::from_chars(fine.data(), fine.data() + fine.size(), parsed);
  // "60.1s" rather than "1min100ms"
  if (parsed >= 1 && parsed != std::nearbyint(parsed)) return fine + "s";
  return to_text(from_seconds(parsed));
}

std::string_view unit_of(std::string_view text) {
  return trimmed(text.substr(std::min(text.find_last_of("0123456789.") + 1, text.size())));
}

/// In the larger of the two ends' units that leaves no zero before the point.
std::string rounded_quantity(double value, double grain, const FieldRange& range) {
  const auto size_of = [&](std::string_view unit) {
    return number_of("1" + std::string(unit), range.kind).value_or(0);
  };
  std::string_view unit = unit_of(range.high_text);
  double size = size_of(unit);
  const std::string_view smaller = unit_of(range.low_text);
  const double smaller_size = size_of(smaller);
  if (smaller_size > 0 && (size <= 0 || (value < size && smaller_size < size))) {
    unit = smaller;
    size = smaller_size;
  }
  expect(size > 0, "an end of the range has a unit");
  return rounded_number(value / size, grain / size) + std::string(unit);
}

double exact_value(const FieldRange& range, double u) {
  if (u <= 0) return range.low;
  if (u >= 1) return range.high;
  const double value = range.logarithmic ? range.low * math_exp(u * math_log(range.high / range.low))
                                         : range.low + u * (range.high - range.low);
  return std::clamp(value, range.low, range.high);
}

}  // namespace

Parsed<double> parse_number(std::string_view text, FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return {std::nullopt, "is not a number", ""};
    case FieldKind::number: {
      const std::optional<double> value = plain_number(text);
      return {value, value ? "" : "is not a number", ""};
    }
    case FieldKind::duration:
      return parse_seconds(text);  // laws have means beyond the 292 years of a Duration
    case FieldKind::bytes:
      return plain(parse_bytes(text));
    case FieldKind::bandwidth:
      return plain(parse_bandwidth(text));
    case FieldKind::flop_rate:
      return plain(parse_flop_rate(text));
    case FieldKind::money: {
      const Parsed<Price> price = parse_price(text);
      return {price.value ? std::optional(price.value->amount.value) : std::nullopt, price.why,
              price.suggestion};
    }
  }
  return {};
}

std::optional<double> number_of(std::string_view text, FieldKind kind) {
  return parse_number(trimmed(unquoted(std::string(trimmed(text)))), kind).value;
}

double FieldRange::value_at(double u) const { return *number_of(text_at(u), kind); }

std::string FieldRange::text_at(double u, double step) const {
  expect(u >= 0 && u <= 1, "a position lies in its range");
  if (u == 0) return low_text;
  if (u == 1) return high_text;
  const double value = exact_value(*this, u);
  if (whole) return fmt::format("{:.0f}", std::nearbyint(value) + 0.0);  // no "-0"
  constexpr double kDigits = 100;  // a grain of a hundredth keeps three digits
  const double gap = logarithmic ? value * math_expm1(step * math_log(high / low)) : step * (high - low);
  const double size = std::abs(value) > 0 ? std::abs(value) : gap;
  const double grain = std::min(size / kDigits, gap / 10);
  std::string text;
  if (kind == FieldKind::number) {
    text = rounded_number(value, grain);
  } else if (kind == FieldKind::duration) {
    text = rounded_duration(value, grain);
  } else {
    text = rounded_quantity(value, grain, *this);
  }
  // Rounding never leaves the range.
  const double said = number_of(text, kind).value_or(value);
  return said <= low ? low_text : said >= high ? high_text : text;
}

std::optional<double> FieldRange::position_of(std::string_view text) const {
  const std::optional<double> value = number_of(text, kind);
  if (!value) return std::nullopt;
  if (!logarithmic) return (*value - low) / (high - low);
  if (!(*value > 0)) return std::nullopt;
  if (*value == high) return 1.0;  // else the last digit may differ
  return math_log(*value / low) / math_log(high / low);
}

}  // namespace gauntlet
