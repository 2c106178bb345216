#include "study/vary.hpp"

#include "config/fields/tokens.hpp"
#include "config/key_list.hpp"
#include "core/currency.hpp"
#include "core/text.hpp"
#include "study/option_problem.hpp"
#include "study/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array kNumericKinds = {FieldKind::number,    FieldKind::duration,  FieldKind::bytes,
                                      FieldKind::bandwidth, FieldKind::flop_rate, FieldKind::money};
constexpr std::string_view kTokens = "job.tokens";  // its texts have the units of tokens
constexpr double kLogFrom =
    10;  // ratio of the ends from which on a range is logarithmic unless it says otherwise

/// The kind whose values all these texts are; of zeros without a unit a plain number.
std::optional<FieldKind> common_kind(std::span<const std::string> texts) {
  for (const FieldKind kind : kNumericKinds)
    if (std::all_of(texts.begin(), texts.end(), [&](const auto& text) { return number_of(text, kind); }))
      return kind;
  return std::nullopt;
}

/// What a field of the base scenario holds; nothing where it is not there or is a table.
std::optional<FieldKind> kind_of(const Value* held) {
  if (held == nullptr) return std::nullopt;
  if (std::holds_alternative<double>(held->data) || std::holds_alternative<std::int64_t>(held->data))
    return FieldKind::number;
  if (const std::string* text = held->string())
    for (const FieldKind kind : kNumericKinds)
      if (kind != FieldKind::number && number_of(*text, kind)) return kind;
  return std::nullopt;
}

bool is_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

Problem problem(std::string_view option, std::string what, std::string why, std::string suggestion = {}) {
  return option_problem(std::string(option), std::move(what), std::move(why), std::move(suggestion));
}

/// ":log20", ":lin", ":log"
struct Spacing {
  std::optional<bool> logarithmic;
  std::optional<std::uint32_t> count;
};
Parsed<Spacing> parse_spacing(std::string_view text) {
  const std::string hint = "write for example :log20 or :lin9";
  Spacing spacing;
  if (!text.starts_with("log") && !text.starts_with("lin"))
    return {std::nullopt, fmt::format("has the unknown spacing \"{}\"", text), hint};
  spacing.logarithmic = text.starts_with("log");
  const std::string_view digits = text.substr(3);
  if (digits.empty()) return {spacing, "", ""};
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && count > kMostPoints))
    return {std::nullopt, fmt::format("has more than {} values", kMostPoints), "write fewer values"};
  if (error != std::errc{} || end != digits.data() + digits.size())
    return {std::nullopt, fmt::format("has the unknown spacing \"{}\"", text), hint};
  if (count < 1) return {std::nullopt, "has no values", "write one or more"};
  spacing.count = count;
  return {spacing, "", ""};
}

/// "USD and EUR" of amounts that are not in one currency; else nothing. A plain zero has none.
std::optional<std::string> mixed_currencies(std::span<const std::string> amounts) {
  std::string first;
  for (const std::string& amount : amounts) {
    const std::optional<Price> price = parse_price(amount).value;
    if (!price || price->currency.empty()) continue;
    if (!first.empty() && price->currency != first) return first + " and " + price->currency;
    first = price->currency;
  }
  return std::nullopt;
}

Problem mixed(std::string_view option, std::string what, const std::string& currencies) {
  return problem(option, std::move(what), "has amounts in " + currencies,
                 "write all of them in one currency; no exchange rates are known");
}

struct RangeText {
  FieldRange range;
  std::optional<std::uint32_t> count;
};
struct ReadRange {
  std::optional<RangeText> read;
  std::optional<Problem> problem;
};

/// Why no kind fits the two ends: what is wrong with the first that is not a value of the kind which the field holds.
Problem mismatch(std::string_view option, const std::string& what, std::span<const std::string> ends,
                 std::optional<FieldKind> held) {
  for (const std::string& end : ends) {
    if (end.empty())
      return problem(option, what, "has an end that is empty", "write low:high, as in 1min:2h");
    // A text with a unit that no quantity has, or a word: the parser of what the field holds says it best.
    const bool some = common_kind({&end, 1}).has_value();
    if (some && !held) continue;
    const Parsed<double> parsed = parse_number(end, held.value_or(FieldKind::duration));
    if (!parsed.value)
      return problem(option, what + ":", in_quotes(end) + " " + parsed.why, parsed.suggestion);
  }
  return problem(option, what, "has ends of different kinds",
                 "write both with units of one kind, as in 1min:2h");
}

ReadRange read_range(const std::string& path, std::string_view text, const Value& base,
                     std::string_view option) {
  const std::string what = fmt::format("{} = {}", path, text);
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return {{}, problem(option, what, "is not a range", "write low:high, as in 1min:2h or 1min:2h:log20")};
  RangeText read;
  FieldRange& range = read.range;
  range.path = path;
  std::vector<std::string> ends = {unquoted(parts[0]), unquoted(parts[1])};
  if (path == kTokens)  // "2T" of tokens is a plain number, and "2B" is none of bytes
    for (std::string& end : ends)
      if (const auto tokens = parse_tokens(end).value) end = fmt::format("{}", *tokens);
  range.low_text = ends[0];
  range.high_text = ends[1];
  Spacing spacing;
  if (parts.size() == 3) {
    const Parsed<Spacing> parsed = parse_spacing(parts[2]);
    if (!parsed.value) return {{}, problem(option, what, parsed.why, parsed.suggestion)};
    spacing = *parsed.value;
  }
  const Value* const held = base.find(path);
  const std::optional<FieldKind> field = path == kTokens ? FieldKind::number : kind_of(held),
                                 kind = common_kind(ends);
  const bool fits =
      kind && (!field || *kind == *field || (number_of(ends[0], *field) && number_of(ends[1], *field)));
  if (!fits) return {{}, mismatch(option, what, ends, field)};
  range.kind = field.value_or(*kind);
  if (range.kind == FieldKind::money)
    if (const auto currencies = mixed_currencies(ends)) return {{}, mixed(option, what, *currencies)};
  range.low = *number_of(ends[0], range.kind);
  range.high = *number_of(ends[1], range.kind);
  if (!(range.low < range.high))
    return {
        {},
        problem(option, what, range.low == range.high ? "is empty: both ends are the same" : "is reversed",
                "write the smaller end first")};
  const bool wants_whole = held == nullptr || std::holds_alternative<std::int64_t>(held->data);
  const bool whole_ends = is_whole(ends[0]) && is_whole(ends[1]);
  if (!whole_ends && path != kTokens && takes_whole_numbers(path))
    return {{},
            problem(option, what,
                    fmt::format("has an end that is not written as a whole number, and {} takes only those",
                                path),
                    "write for example 0:4")};
  range.whole = path != kTokens && range.kind == FieldKind::number && wants_whole && whole_ends;
  range.logarithmic = spacing.logarithmic.value_or(range.low > 0 && range.high / range.low >= kLogFrom);
  if (range.logarithmic && !(range.low > 0))
    return {{},
            problem(option, what, "is logarithmic and has an end that is not above zero",
                    "begin above zero, or write :lin behind the range")};
  read.count = spacing.count;
  return {std::move(read), {}};
}

/// The whole numbers from the low end to the high one.
double whole_numbers(const FieldRange& range) { return range.high - range.low + 1; }

/// Those of a range that does not say how many.
std::vector<std::string> usual_values(const FieldRange& range) {
  if (!range.whole || whole_numbers(range) > kMostWholeNumbers) return spaced_values(range, kRangeValues);
  FieldRange even = range;  // as whole numbers are, whatever the axis is
  even.logarithmic = false;
  return spaced_values(even, static_cast<std::uint32_t>(whole_numbers(range)));
}

ParsedAxis list_axis(const std::string& path, std::string_view text, const Value& base,
                     std::string_view option) {
  const std::string what = fmt::format("{} = {}", path, text);
  Axis axis{.path = path, .kind = FieldKind::text, .values = {}, .range = {}, .counted = true};
  std::vector<std::string> bare;
  for (std::string& value : split(text, ',')) {
    if (value.empty())
      return {{}, problem(option, what, "has an empty value", "write values such as 10s,30s,1min")};
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end())
      return {{}, problem(option, what, "has " + in_quotes(value) + " twice", "write each value once")};
    bare.push_back(unquoted(value));
    axis.values.push_back(std::move(value));
  }
  if (axis.values.size() > kMostPoints)
    return {{},
            problem(option, what.substr(0, 60) + "...", fmt::format("has more than {} values", kMostPoints))};
  const std::optional<FieldKind> field = kind_of(base.find(path)), kind = common_kind(bare);
  const bool of_field = field && std::all_of(bare.begin(), bare.end(), [&](const std::string& value) {
                          return number_of(value, *field);
                        });
  axis.kind = of_field ? *field : kind.value_or(FieldKind::text);
  if (path == kTokens && axis.kind != FieldKind::number) axis.kind = FieldKind::text;
  if (axis.kind == FieldKind::money)
    if (const auto currencies = mixed_currencies(bare)) return {{}, mixed(option, what, *currencies)};
  return {std::move(axis), {}};
}

}  // namespace

std::vector<std::string> spaced_values(const FieldRange& range, std::uint32_t count) {
  if (count == 1) return {range.low_text};
  std::vector<std::string> values;
  const double step = 1.0 / (count - 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string text = range.text_at(i + 1 == count ? 1.0 : i * step, step);
    if (values.empty() || values.back() != text) values.push_back(std::move(text));
  }
  return values;
}

std::string left_out_text(const Axis& axis, std::string_view option) {
  if (!axis.range || !axis.range->whole) return "";
  const double all = whole_numbers(*axis.range), taken = static_cast<double>(axis.values.size());
  if (taken >= all) return "";
  const std::string range = axis.range->low_text + ":" + axis.range->high_text;
  std::string text = fmt::format("{} = {} takes {:.0f} of {:.0f} whole numbers and leaves out the others.",
                                 axis.path, range, taken, all);
  if (all <= kMostPoints)
    text += fmt::format(" {} {}={}:lin{:.0f} takes all of them.", option, axis.path, range, all);
  return text;
}

ParsedRange parse_range(const std::string& path, std::string_view text, const Value& base,
                        std::string_view option) {
  ReadRange got = read_range(path, text, base, option);
  if (!got.read) return {{}, std::move(got.problem)};
  if (got.read->count)
    return {{},
            problem(option, fmt::format("{} = {}", path, text), "says how many values there are",
                    "write :log or :lin alone: values are chosen between the ends")};
  return {std::move(got.read->range), {}};
}

ParsedAxis parse_axis(std::string_view text, const Value& base, std::string_view option) {
  const std::size_t equals = text.find('=');
  const std::string path(trimmed(text.substr(0, equals)));
  if (equals == std::string_view::npos || path.empty())
    return {{},
            problem(option, in_quotes(text), path.empty() ? "has no path" : "has no values",
                    fmt::format("write {} checkpoint.interval=1min:2h:log20", option))};
  const std::string_view values = trimmed(text.substr(equals + 1));
  const bool list = split(values, ',').size() > 1 || split(values, ':').size() == 1;
  if (list) return list_axis(path, values, base, option);
  ReadRange got = read_range(path, values, base, option);
  if (!got.read) return {{}, std::move(got.problem)};
  const FieldRange& range = got.read->range;
  return {Axis{.path = path,
               .kind = range.kind,
               .values = got.read->count ? spaced_values(range, *got.read->count) : usual_values(range),
               .range = range,
               .counted = got.read->count.has_value()},
          {}};
}

std::optional<Problem> shared_by_points(const std::string& path, std::string_view option) {
  constexpr std::array kKeys = {"study.seed", "study.replicas", "study.uncertain", "study.step_time_error"};
  if (std::ranges::find(kKeys, path) == kKeys.end()) return std::nullopt;
  return problem(option, path, "says how a study runs, and all its points share it",
                 path == "study.seed" ? "run the command again with another --seed" : "give it with --set");
}

ParsedAxes parse_axes(std::span<const std::string> texts, const Value& base, std::string_view option) {
  ParsedAxes parsed;
  for (const std::string& text : texts) {
    ParsedAxis axis = parse_axis(text, base, option);
    if (!axis.axis) {
      parsed.problems.push_back(*axis.problem);
    } else if (auto shared = shared_by_points(axis.axis->path, option)) {
      parsed.problems.push_back(std::move(*shared));
    } else if (std::any_of(parsed.axes.begin(), parsed.axes.end(),
                           [&](const Axis& other) { return other.path == axis.axis->path; })) {
      parsed.problems.push_back(
          problem(option, axis.axis->path, "is varied twice", "give all its values at once: PATH=a,b,c"));
    } else {
      parsed.axes.push_back(std::move(*axis.axis));
    }
  }
  if (!parsed.problems.empty()) parsed.axes.clear();
  return parsed;
}

Problem as_problem_of(Problem problem, std::string_view option) {
  if (problem.file == "--set") problem.file = option;
  return problem;
}

}  // namespace gauntlet
