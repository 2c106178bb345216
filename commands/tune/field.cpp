#include "commands/tune/field.hpp"

#include "config/toml/nearest.hpp"
#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/text.hpp"
#include "study/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kOver = "--over";
constexpr double kDefaultFactor = 16;
constexpr double kExtension = 4;
constexpr int kMostExtensions = 5;    // a thousandfold
constexpr double kNeighbours = 0.02;  // of the range: values are told apart, and rounded to some three digits

Problem wrong_field(std::string what, std::string why, std::string suggestion) {
  return {.file = std::string(kOver),
          .what = std::move(what),
          .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

/// What the scenario has, as --set takes it; nothing for what is not a single value.
std::optional<std::string> held_text(const Value& held) {
  if (held.table() != nullptr || held.array() != nullptr || std::holds_alternative<bool>(held.data))
    return std::nullopt;
  if (const std::string* text = held.string()) return *text;
  return to_toml(held);
}

std::optional<FieldKind> kind_of(const Value& held, std::string_view text) {
  constexpr std::array kQuantities = {FieldKind::duration, FieldKind::bytes, FieldKind::bandwidth,
                                      FieldKind::flop_rate, FieldKind::money};
  if (held.string() == nullptr) return FieldKind::number;
  for (const FieldKind kind : kQuantities)
    if (number_of(text, kind)) return kind;
  return std::nullopt;
}

/// A value in the units of `like`, to three digits.
std::string rounded_like(double value, const FieldRange& like) {
  FieldRange wide = like;
  wide.low = value / 2;
  wide.high = value * 2;
  wide.logarithmic = true;
  return wide.text_at(0.5);
}

FieldRange default_range(const std::string& path, FieldKind kind, bool whole, const std::string& today) {
  const double value = *number_of(today, kind);
  FieldRange range{.path = path,
                   .kind = kind,
                   .low = value / kDefaultFactor,
                   .high = value * kDefaultFactor,
                   .low_text = today,
                   .high_text = today,
                   .whole = whole,
                   .logarithmic = true};
  if (whole) {
    range.low = 0;
    range.high = 4 * value + 8;
    range.logarithmic = false;
    range.low_text = fmt::format("{:.0f}", range.low);
    range.high_text = fmt::format("{:.0f}", range.high);
    return range;
  }
  const std::string low = rounded_like(range.low, range), high = rounded_like(range.high, range);
  range.low_text = low;
  range.high_text = high;
  range.low = *number_of(low, kind);
  range.high = *number_of(high, kind);
  return range;
}

bool holds_number(const Value& value) {
  const std::optional<std::string> text = held_text(value);
  const std::optional<FieldKind> kind = text ? kind_of(value, *text) : std::nullopt;
  return kind && number_of(*text, *kind);
}

/// What could have been meant by a path that leads nowhere: what is in the last table on its way.
std::string fields_beside(std::string_view path, const Value& base) {
  const Value* at = &base;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', begin)) {
    const Value* next = base.find(path.substr(0, dot));
    if (next == nullptr || next->table() == nullptr) break;
    at = next;
    begin = dot + 1;
  }
  if (at->table() == nullptr) return "";
  std::vector<std::string> known;
  for (const auto& [key, member] : *at->table())
    if (member.table() != nullptr ? at == &base : holds_number(member))
      known.push_back(fmt::format("{}{}", path.substr(0, begin), key));
  return suggest_names(at == &base ? path.substr(0, path.find('.')) : path, known);
}

struct ParsedField {
  std::optional<TuneField> field;
  std::optional<Problem> problem;
};

ParsedField parse_field(std::string_view text, const Value& base) {
  const std::size_t equals = text.find('=');
  const std::string path(trimmed(text.substr(0, equals)));
  const Value* held = path.empty() ? nullptr : base.find(path);
  if (held == nullptr)
    return {{},
            wrong_field(path.empty() ? fmt::format("\"{}\"", text) : path,
                        path.empty() ? "names no key" : "is not a key of this scenario",
                        fields_beside(path, base))};
  if (auto shared = shared_by_points(path, kOver)) return {{}, std::move(shared)};
  const std::optional<std::string> today = held_text(*held);
  const std::optional<FieldKind> kind = today ? kind_of(*held, *today) : std::nullopt;
  const bool numeric = kind && number_of(*today, *kind);
  if (!numeric)
    return {{},
            wrong_field(path, "holds no number to tune",
                        held->table() != nullptr
                            ? "name one number inside it, such as a law's mean"
                            : fmt::format("compare its values with `gauntlet compare SCENARIO --with {}=...`",
                                          path))};
  if (equals != std::string_view::npos) {
    ParsedRange range = parse_range(path, trimmed(text.substr(equals + 1)), base, kOver);
    if (!range.range) return {{}, std::move(range.problem)};
    return {TuneField(std::move(*range.range), true, *today), {}};
  }
  const bool whole = std::holds_alternative<std::int64_t>(held->data);
  const double value = *number_of(*today, *kind);
  if (value < 0 || (!whole && !(value > 0)))
    return {{},
            wrong_field(fmt::format("{} = {}", path, *today), "has no range around it",
                        fmt::format("give one: {} {}=LOW:HIGH", kOver, path))};
  return {TuneField(default_range(path, *kind, whole, *today), false, *today), {}};
}

}  // namespace

TuneField::TuneField(FieldRange range, bool given, std::string today)
    : range_(std::move(range)), given_(given), today_(std::move(today)), shift_(0) {
  constexpr double kPart = 16;
  if (range_.whole) {
    shift_ = std::min(range_.low, 0.0) - 1;
  } else if (!(range_.low > 0)) {
    shift_ = range_.low - (range_.high - range_.low) / kPart;
  }
}

double TuneField::coordinate(double value) const {
  expect(value > shift_, "a value has a logarithm");
  return math_log(value - shift_);
}

double TuneField::value_at(double coordinate) const {
  return std::clamp(math_exp(coordinate) + shift_, range_.low, range_.high);
}

double TuneField::coordinate_of(std::string_view text) const {
  const double value = *number_of(text, range_.kind);
  // Today's value may lie below a linear range: as far out as its lower end is from the shift.
  return value > shift_ ? coordinate(value) : 2 * low() - high();
}

std::string TuneField::text_at(double coordinate) const {
  const double value = value_at(coordinate);
  const double u = range_.logarithmic ? math_log(value / range_.low) / math_log(range_.high / range_.low)
                                      : (value - range_.low) / (range_.high - range_.low);
  return range_.text_at(std::clamp(u, 0.0, 1.0), kNeighbours);
}

std::string TuneField::rounded(double value) const {
  return range_.whole ? fmt::format("{:.0f}", value) : rounded_like(value, range_);
}

bool TuneField::extend(End end) {
  if (given_ || extended_ >= kMostExtensions || (range_.whole && end == End::low)) return false;
  ++extended_;
  if (range_.whole) {
    range_.high *= kExtension;
    range_.high_text = fmt::format("{:.0f}", range_.high);
  } else if (end == End::low) {
    range_.low_text = rounded(range_.low / kExtension);
    range_.low = *number_of(range_.low_text, range_.kind);
  } else {
    range_.high_text = rounded(range_.high * kExtension);
    range_.high = *number_of(range_.high_text, range_.kind);
  }
  return true;
}

ParsedFields parse_tune_fields(std::span<const std::string> over, const Value& base) {
  ParsedFields parsed;
  for (const std::string& text : over) {
    ParsedField field = parse_field(text, base);
    if (!field.field) {
      parsed.problems.push_back(*field.problem);
    } else if (std::any_of(parsed.fields.begin(), parsed.fields.end(),
                           [&](const TuneField& other) { return other.path() == field.field->path(); })) {
      parsed.problems.push_back(wrong_field(field.field->path(), "is named twice", "name it once"));
    } else {
      parsed.fields.push_back(std::move(*field.field));
    }
  }
  if (parsed.problems.empty() && parsed.fields.size() > kMostTuneFields)
    parsed.problems.push_back(wrong_field(fmt::format("{} fields", parsed.fields.size()),
                                          "are too many at once",
                                          fmt::format("name at most {}", kMostTuneFields)));
  if (!parsed.problems.empty()) parsed.fields.clear();
  return parsed;
}

}  // namespace gauntlet
