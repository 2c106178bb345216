#include "core/quantity.hpp"

#include "core/contract.hpp"
#include "core/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

__extension__ typedef unsigned __int128
    Wide;  // 18 digits of a fraction times the nanoseconds of a year need it

struct Unit {
  std::string_view name;
  double size;  // in the unit that the quantity's alias names; seconds for durations
};

/// The units of one dimension, and those that a message proposes.
struct Dimension {
  std::span<const Unit> units;
  std::span<const std::string_view> usual;
};

struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// From the longest on: a compound text has them in this order.
constexpr std::array<TimeUnit, 9> kTimeUnits = {{
    {"y", 365LL * 86'400 * 1'000'000'000},
    {"w", 7LL * 86'400 * 1'000'000'000},
    {"d", 86'400LL * 1'000'000'000},
    {"h", 3'600LL * 1'000'000'000},
    {"min", 60LL * 1'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
}};

constexpr double kKibi = 1024.0;
constexpr std::array<Unit, 11> kBytesUnits = {{
    {"B", 1},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"PB", 1e15},
    {"KiB", kKibi},
    {"MiB", kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"TiB", kKibi* kKibi* kKibi* kKibi},
    {"PiB", kKibi* kKibi* kKibi* kKibi* kKibi},
}};
constexpr std::array<Unit, 10> kBandwidthUnits = {{
    {"B/s", 1},
    {"kB/s", 1e3},
    {"MB/s", 1e6},
    {"GB/s", 1e9},
    {"TB/s", 1e12},
    {"b/s", 1.0 / 8},
    {"kb/s", 1e3 / 8},
    {"Mb/s", 1e6 / 8},
    {"Gb/s", 1e9 / 8},
    {"Tb/s", 1e12 / 8},
}};
constexpr std::array<Unit, 6> kFlopRateUnits = {{
    {"FLOP/s", 1},
    {"MFLOP/s", 1e6},
    {"GFLOP/s", 1e9},
    {"TFLOP/s", 1e12},
    {"PFLOP/s", 1e15},
    {"EFLOP/s", 1e18},
}};

constexpr std::array<std::string_view, 3> kUsualTime = {"s", "min", "h"};
constexpr std::array<std::string_view, 2> kUsualBytes = {"GB", "GiB"};
constexpr std::array<std::string_view, 2> kUsualBandwidth = {"GB/s", "Gb/s"};
constexpr std::array<std::string_view, 1> kUsualFlopRate = {"TFLOP/s"};

constexpr Dimension kBytes{kBytesUnits, kUsualBytes};
constexpr Dimension kBandwidth{kBandwidthUnits, kUsualBandwidth};
constexpr Dimension kFlopRate{kFlopRateUnits, kUsualFlopRate};

template <class Units>
constexpr auto names_of(const Units& units) {
  std::array<std::string_view, std::tuple_size_v<Units>> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = units[i].name;
  return names;
}
constexpr auto kTimeUnitNames = names_of(kTimeUnits);
constexpr auto kBytesUnitNames = names_of(kBytesUnits);
constexpr auto kBandwidthUnitNames = names_of(kBandwidthUnits);
constexpr auto kFlopRateUnitNames = names_of(kFlopRateUnits);

std::string either(std::string_view number, std::span<const std::string_view> units) {
  constexpr std::size_t kLongest = 20;  // what is longer is not a number that somebody meant
  if (number.size() > kLongest) number = "15";
  std::string out = "write ";
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i > 0) out += i + 1 == units.size() ? " or " : ", ";
    out += in_quotes(std::string(number) + std::string(units[i]));
  }
  return out;
}

std::string known_units(std::span<const std::string_view> units) {
  std::string out = "known units are";
  for (std::string_view unit : units) out += " " + std::string(unit);
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What is wrong with a text before any unit is looked at; `why` is empty where nothing is.
template <class T>
Parsed<T> not_a_number(std::string_view text, std::string_view example) {
  const std::string suggestion = "write for example " + in_quotes(example);
  if (text.empty()) return {{}, "is empty", suggestion};
  if (text.front() == '-') return {{}, "is negative", ""};
  const bool number = is_digit(text.front()) || (text.front() == '.' && text.size() > 1 && is_digit(text[1]));
  if (!number) return {{}, "is not a number with a unit", suggestion};
  return {};
}

// --- one number, one unit ------------------------------------------------------------------------------------------

template <class T>
Parsed<T> parse_in(const Dimension& dimension, std::span<const std::string_view> names,
                   std::string_view given) {
  const std::string_view text = trimmed(given);
  if (auto bad = not_a_number<T>(text, "80" + std::string(dimension.usual.front())); !bad.why.empty())
    return bad;

  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return {{}, "is too large", ""};
  const auto length = static_cast<std::size_t>(end - text.data());
  const std::string_view name = trimmed(text.substr(length));
  if (name.empty() && number == 0) return {T{0}, "", ""};
  if (name.empty()) return {{}, "has no unit", either(text, dimension.usual)};

  for (const Unit& unit : dimension.units) {
    if (unit.name != name) continue;
    const double value = number * unit.size;
    if (!std::isfinite(value)) return {{}, "is too large", ""};
    return {T{value}, "", ""};
  }
  return {{}, "has the unknown unit " + in_quotes(name), known_units(names)};
}

std::string shortest_number(double value) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  ensure(error == std::errc{}, "the shortest form of a double fits");
  return {buffer.data(), end};
}

template <class T>
std::string text_in(const Dimension& dimension, std::span<const std::string_view> names, T quantity) {
  std::string best;
  // From the largest unit on, so that of equally short texts the one with the larger unit stays.
  for (auto unit = dimension.units.rbegin(); unit != dimension.units.rend(); ++unit) {
    std::string text = shortest_number(quantity.value / unit->size) + std::string(unit->name);
    const bool same = parse_in<T>(dimension, names, text).value == quantity;
    if (same && (best.empty() || text.size() < best.size())) best = std::move(text);
  }
  ensure(!best.empty(), "the base unit of a dimension has size one");
  return best;
}

// --- durations -----------------------------------------------------------------------------------------------------

struct Term {
  std::string_view number;
  std::size_t unit;  // index into kTimeUnits
};

/// "2min30s" as its terms.
Parsed<std::vector<Term>> terms_of(std::string_view given) {
  using Result = Parsed<std::vector<Term>>;
  std::string_view text = trimmed(given);
  if (auto bad = not_a_number<std::vector<Term>>(text, "15min"); !bad.why.empty()) return bad;
  if (text.find_first_not_of("0.") == std::string_view::npos) return {std::vector<Term>{}, "", ""};

  std::vector<Term> terms;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    if (number.empty() || number == "." || number.find('.') != number.rfind('.'))
      return Result{{}, "is not a duration", "write for example \"15min\" or \"2min30s\""};
    text = trimmed(text.substr(digits));
    const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
    const std::string_view name = text.substr(0, letters);
    if (name.empty()) return Result{{}, "has no unit", either(number, kUsualTime)};
    text = trimmed(text.substr(letters));

    std::size_t unit = 0;
    while (unit < kTimeUnits.size() && kTimeUnits[unit].name != name) ++unit;
    if (unit == kTimeUnits.size())
      return Result{{}, "has the unknown unit " + in_quotes(name), known_units(kTimeUnitNames)};
    if (!terms.empty() && terms.back().unit >= unit)
      return Result{
          {}, "has its units out of order", "write the longer ones first, each once, as in \"2min30s\""};
    terms.push_back({number, unit});
  }
  return {std::move(terms), "", ""};
}

constexpr std::int64_t kTooLong = -1;

/// `number` units in nanoseconds, to the nearest one; kTooLong beyond the range.
std::int64_t exact_nanoseconds(const Term& term) {
  constexpr std::size_t kFractionDigits = 18;
  const auto unit = static_cast<Wide>(kTimeUnits[term.unit].nanoseconds);
  constexpr Wide kLongest = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  const std::size_t point = std::min(term.number.find('.'), term.number.size());

  Wide whole = 0;
  for (char c : term.number.substr(0, point)) {
    whole = whole * 10 + static_cast<unsigned>(c - '0');
    if (whole > kLongest) return kTooLong;
  }
  Wide fraction = 0, scale = 1;
  for (std::size_t i = point + 1; i < term.number.size() && i <= point + kFractionDigits; ++i) {
    fraction = fraction * 10 + static_cast<unsigned>(term.number[i] - '0');
    scale *= 10;
  }
  const Wide total = whole * unit + (fraction * unit + scale / 2) / scale;
  return total > kLongest ? kTooLong : static_cast<std::int64_t>(total);
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  const auto terms = terms_of(text);
  if (!terms.value) return {{}, terms.why, terms.suggestion};
  std::int64_t sum = 0;
  for (const Term& term : *terms.value) {
    const std::int64_t part = exact_nanoseconds(term);
    if (part == kTooLong || part > std::numeric_limits<std::int64_t>::max() - sum)
      return {{}, "is longer than 292 years", ""};
    sum += part;
  }
  return {Duration(sum), "", ""};
}

Parsed<double> parse_seconds(std::string_view text) {
  const auto terms = terms_of(text);
  if (!terms.value) return {{}, terms.why, terms.suggestion};
  double sum = 0;
  for (const Term& term : *terms.value) {
    double number = 0;
    std::from_chars(term.number.data(), term.number.data() + term.number.size(), number,
                    std::chars_format::fixed);
    // Whole seconds multiply, parts of a second divide: both are exact where the result is a whole number.
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t unit = kTimeUnits[term.unit].nanoseconds;
    sum += unit >= kSecond ? number * static_cast<double>(unit / kSecond)
                           : number / static_cast<double>(kSecond / unit);
  }
  if (!std::isfinite(sum)) return {{}, "is too long", ""};
  return {sum, "", ""};
}

Parsed<Bytes> parse_bytes(std::string_view text) { return parse_in<Bytes>(kBytes, kBytesUnitNames, text); }
Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse_in<Bandwidth>(kBandwidth, kBandwidthUnitNames, text);
}
Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  return parse_in<FlopRate>(kFlopRate, kFlopRateUnitNames, text);
}

std::span<const std::string_view> duration_units() { return kTimeUnitNames; }
std::span<const std::string_view> bytes_units() { return kBytesUnitNames; }
std::span<const std::string_view> bandwidth_units() { return kBandwidthUnitNames; }
std::span<const std::string_view> flop_rate_units() { return kFlopRateUnitNames; }

std::string to_text(Duration value) {
  if (value == Duration::zero()) return "0s";
  // Days, hours, minutes and seconds as they are spoken; what is below the last of them becomes its decimals.
  constexpr std::array<std::size_t, 7> kSpoken = {2, 3, 4, 5, 6, 7, 8};  // d h min s ms us ns
  std::string out;
  auto left = static_cast<std::uint64_t>(value.count());
  if (value < Duration::zero()) {
    out = "-";
    left = 0 - left;
  }
  for (const std::size_t index : kSpoken) {
    const auto unit = static_cast<std::uint64_t>(kTimeUnits[index].nanoseconds);
    if (left < unit) continue;
    out += std::to_string(left / unit);
    left %= unit;
    const bool decimals = unit <= 1'000'000'000;
    if (decimals && left > 0) {
      std::string fraction = std::to_string(unit + left).substr(1);  // with its leading zeros
      fraction.erase(fraction.find_last_not_of('0') + 1);
      out += "." + fraction;
      left = 0;
    }
    out += kTimeUnits[index].name;
    if (left == 0) break;
  }
  return out;
}

std::string to_text(Bytes value) { return text_in(kBytes, kBytesUnitNames, value); }
std::string to_text(Bandwidth value) { return text_in(kBandwidth, kBandwidthUnitNames, value); }
std::string to_text(FlopRate value) { return text_in(kFlopRate, kFlopRateUnitNames, value); }

}  // namespace gauntlet
