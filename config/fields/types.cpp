#include "config/fields/types.hpp"

#include "config/fields/scenario_parts.hpp"
#include "config/fields/tokens.hpp"
#include "core/contract.hpp"
#include "core/currency.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>

namespace gauntlet {
namespace {

std::string_view type_name(const Value& value) {
  constexpr std::array<std::string_view, 6> kNames = {"a table",        "a list",   "a string",
                                                      "a whole number", "a number", "true or false"};
  return kNames[value.data.index()];
}

std::string number_text(double value) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}
std::string number_text(std::int64_t value) { return std::to_string(value); }

/// What `value` violates, or an empty text.
template <class Number>
std::string outside(Number value, const Range<Number>& range) {
  if (range.above_low ? !(value > range.low) : !(value >= range.low))
    return (range.above_low ? "is not above " : "is below ") + number_text(range.low);
  if (!(value <= range.high)) return "is above " + number_text(range.high);
  return {};
}

template <class Number>
std::string number_schema(std::string_view type, const Range<Number>& range) {
  std::string out = "{\"type\": \"" + std::string(type) + "\"";
  if (range.low != std::numeric_limits<Number>::lowest())
    out += std::string(range.above_low ? ", \"exclusiveMinimum\": " : ", \"minimum\": ") +
           number_text(range.low);
  if (range.high != std::numeric_limits<Number>::max()) out += ", \"maximum\": " + number_text(range.high);
  return out + "}";
}

/// `read` and the value of a variable.
template <class Schema, class Read, class Initial>
Type type_of(Schema schema, Read read, Initial initial) {
  Type type{std::move(schema), std::move(read)};
  type.initial = [initial = std::move(initial)] { return Value{Value::Data(initial()), {}, {}, false}; };
  return type;
}

template <std::integral Into>
Type whole_number_type(Into& into, Range<std::int64_t> range) {
  if (std::cmp_greater(range.high, std::numeric_limits<Into>::max()))
    range.high = static_cast<std::int64_t>(std::numeric_limits<Into>::max());
  return type_of([range] { return number_schema("integer", range); },
                 [&into, range](const Place& place) {
                   if (const auto value = read_whole_number(place, range)) into = static_cast<Into>(*value);
                 },
                 [&into] { return static_cast<std::int64_t>(into); });
}

/// A regular expression for a number and one of the units: `^[0-9.]+ ?(kB|MB)$`.
std::string units_pattern(std::span<const std::string_view> units, bool several) {
  std::string names;
  for (const std::string_view unit : units) names += (names.empty() ? "" : "|") + std::string(unit);
  const std::string term = "[0-9]*\\.?[0-9]+ ?(" + names + ")";
  return "{\"type\": \"string\", \"pattern\": " +
         quoted_toml("^(0|" + (several ? "(" + term + " ?)+" : term) + ")$") + "}";
}

template <class T>
std::optional<T> accept(const Place& place, const Parsed<T>& parsed) {
  if (!parsed.value) place.mistake(parsed.why, parsed.suggestion);
  return parsed.value;
}

/// The text of a value with a unit. A number without quotes is the commonest way to forget one: the parser of the quantity
/// says so of its digits.
std::optional<std::string> text_with_unit(const Place& place, std::string_view form) {
  if (const std::string* text = place.value().string()) return *text;
  const auto* whole = std::get_if<std::int64_t>(&place.value().data);
  const auto* real = std::get_if<double>(&place.value().data);
  if (whole == nullptr && real == nullptr) {
    wrong_type(place, form);
    return {};
  }
  if (real != nullptr && !std::isfinite(*real)) {
    place.mistake("is not a number", "this takes " + std::string(form));
    return {};
  }
  if (whole != nullptr ? *whole == 0 : *real == 0) {  // as text it would do
    place.mistake("has no unit", "this takes " + std::string(form));
    return {};
  }
  return excerpt(place.value());
}

template <class T>
struct QuantityUnits {
  Parsed<T> (*parse)(std::string_view);
  std::span<const std::string_view> (*units)();
  std::string_view form;
  T most = {std::numeric_limits<double>::max()};
};

template <class T>
Type quantity_type(T& into, Sign sign, const QuantityUnits<T>& dimension) {
  return type_of([units = dimension.units] { return units_pattern(units(), false); },
                 [&into, sign, dimension](const Place& place) {
                   const auto text = text_with_unit(place, dimension.form);
                   if (!text) return;
                   const auto value = accept(place, dimension.parse(*text));
                   if (!value) return;
                   if (sign == Sign::positive && value->value <= 0) return place.mistake("is not above zero");
                   if (value->value > dimension.most.value)
                     return place.mistake("is above " + to_text(dimension.most));
                   into = *value;
                 },
                 [&into] { return to_text(into); });
}

constexpr std::string_view kDurationForm = "a duration such as \"15min\"";

}  // namespace

void wrong_type(const Place& place, std::string_view form) {
  place.mistake("is " + std::string(type_name(place.value())), "this takes " + std::string(form));
}

const std::string* read_text(const Place& place, std::string_view form) {
  const std::string* text = place.value().string();
  if (text == nullptr) wrong_type(place, form);
  return text;
}

std::optional<Duration> read_duration(const Place& place, Sign sign) {
  const auto text = text_with_unit(place, kDurationForm);
  if (!text) return {};
  const auto value = accept(place, parse_duration(*text));
  if (value && sign == Sign::positive && *value <= Duration::zero()) {
    place.mistake("is not above zero");
    return {};
  }
  return value;
}

std::optional<double> read_seconds(const Place& place) {
  const auto text = text_with_unit(place, kDurationForm);
  if (!text) return {};
  const auto value = accept(place, parse_seconds(*text));
  if (value && *value <= 0) {
    place.mistake("is not above zero");
    return {};
  }
  return value;
}

std::optional<double> read_number(const Place& place, Range<double> range) {
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&place.value().data)) {
    value = static_cast<double>(*whole);
  } else if (const auto* number = std::get_if<double>(&place.value().data)) {
    value = *number;
  } else {
    wrong_type(place, "a number");
    return {};
  }
  std::string why = std::isfinite(value) ? outside(value, range) : "is not a finite number";
  if (why.empty()) return value;
  place.mistake(std::move(why));
  return {};
}

std::optional<std::int64_t> read_whole_number(const Place& place, Range<std::int64_t> range) {
  const auto* value = std::get_if<std::int64_t>(&place.value().data);
  if (value == nullptr) {
    wrong_type(place, "a whole number");
    return {};
  }
  std::string why = outside(*value, range);
  if (why.empty()) return *value;
  place.mistake(std::move(why));
  return {};
}

Place element(const Place& place, std::size_t i) {
  auto& elements = std::get<Value::Array>(place.value().data);
  return {elements[i], place.path() + "[" + std::to_string(i) + "]", place.mistakes()};
}

std::optional<std::size_t> read_name(const Place& place, std::span<const std::string> known,
                                     std::string_view kind) {
  const std::string* given = read_text(place, kind);
  if (given == nullptr) return {};
  const auto found = std::find(known.begin(), known.end(), *given);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  place.mistake("is not " + std::string(kind), suggest_names(*given, known));
  return {};
}

namespace {

/// Line ends and tabs do not count. In UTF-8 the characters U+0080 to U+009F are 0xc2, then a byte from 0x80 to 0x9f.
bool holds_control(std::string_view text) {
  char before = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte < 0x20 && each != '\n' && each != '\t') || byte == 0x7f) return true;
    if (static_cast<unsigned char>(before) == 0xc2 && byte >= 0x80 && byte <= 0x9f) return true;
    before = each;
  }
  return false;
}

constexpr std::size_t kMostOfText = 10'000;  // a page; reports and pages repeat each text

/// The text of a value that people read; null where it is no text, or one that was refused.
const std::string* read_shown_text(const Place& place) {
  const std::string* text = read_text(place, "a string");
  if (text == nullptr) return nullptr;
  if (text->size() > kMostOfText) {
    place.mistake("has more than " + std::to_string(kMostOfText) + " letters", "shorten it");
    return nullptr;
  }
  if (!holds_control(*text)) return text;
  place.mistake("holds a control character, which a terminal would obey", "remove it");
  return nullptr;
}

}  // namespace

Type text(std::string& into) {
  return type_of([] { return "{\"type\": \"string\"}"; },
                 [&into](const Place& place) {
                   if (const std::string* given = read_shown_text(place)) into = *given;
                 },
                 [&into] { return into; });
}

Type note() {
  return {[] { return "{\"type\": \"string\"}"; }, [](const Place& place) { read_shown_text(place); }};
}

Type flag(bool& into) {
  return type_of([] { return "{\"type\": \"boolean\"}"; },
                 [&into](const Place& place) {
                   const bool* given = std::get_if<bool>(&place.value().data);
                   if (given == nullptr) return wrong_type(place, "true or false");
                   into = *given;
                 },
                 [&into] { return into; });
}

Type whole_number(int& into, Range<std::int64_t> range) { return whole_number_type(into, range); }
Type whole_number(std::uint16_t& into, Range<std::int64_t> range) { return whole_number_type(into, range); }
Type whole_number(std::uint32_t& into, Range<std::int64_t> range) { return whole_number_type(into, range); }
Type whole_number(std::int64_t& into, Range<std::int64_t> range) { return whole_number_type(into, range); }
Type whole_number(std::uint64_t& into, Range<std::int64_t> range) { return whole_number_type(into, range); }

Type number(double& into, Range<double> range) {
  return type_of([range] { return number_schema("number", range); },
                 [&into, range](const Place& place) {
                   if (const auto value = read_number(place, range)) into = *value;
                 },
                 [&into] { return into; });
}

Type token_count(double& into, Range<double> range) {
  return type_of(
      [range] {
        return R"({"anyOf": [)" + number_schema("number", range) +
               R"(, {"type": "string", "pattern": "^[0-9]*\\.?[0-9]+([eE][0-9]+)? ?(k|M|G|B|T)?$"}]})";
      },
      [&into, range](const Place& place) {
        if (place.value().string() == nullptr) {
          if (const auto value = read_number(place, range)) into = *value;
          return;
        }
        const auto tokens = accept(place, parse_tokens(*place.value().string()));
        if (!tokens) return;
        if (std::string why = outside(*tokens, range); !why.empty()) return place.mistake(std::move(why));
        into = *tokens;
      },
      [&into] { return into; });
}

Type probability(Probability& into) {
  constexpr Range<double> kUnit{.low = 0, .high = 1, .above_low = false};
  return type_of([kUnit] { return number_schema("number", kUnit); },
                 [&into, kUnit](const Place& place) {
                   if (const auto value = read_number(place, kUnit)) into = Probability{*value};
                 },
                 [&into] { return into.value; });
}

Type duration(Duration& into, Sign sign) {
  return type_of(
      duration_schema,
      [&into, sign](const Place& place) {
        if (const auto value = read_duration(place, sign)) into = *value;
      },
      [&into] { return to_text(into); });
}

Type quantity(Bytes& into, Sign sign) {
  return quantity_type<Bytes>(into, sign, {parse_bytes, bytes_units, "a size such as \"80GiB\""});
}
Type quantity(Bandwidth& into, Sign sign) {
  return quantity_type<Bandwidth>(into, sign,
                                  {parse_bandwidth, bandwidth_units, "a bandwidth such as \"400Gb/s\""});
}
Type quantity(FlopRate& into, Sign sign) {
  return quantity_type<FlopRate>(into, sign,
                                 {parse_flop_rate, flop_rate_units, "a rate such as \"989TFLOP/s\""});
}
Type amount(Money& into, Sign sign) {
  return type_of([] { return units_pattern(currencies(), false); },
                 [&into, sign](const Place& place) {
                   const auto text = text_with_unit(place, "an amount such as \"2.5USD\" or \"2.5EUR\"");
                   if (!text) return;
                   const auto value = accept(place, parse_price(*text));
                   if (!value) return;
                   if (sign == Sign::positive && value->amount.value <= 0)
                     return place.mistake("is not above zero");
                   if (value->amount > kMostMoney)
                     return place.mistake("is above " + to_text(Price{kMostMoney, value->currency}));
                   into = value->amount;
                 },
                 [&into] {
                   return to_text(Price{into, std::string(kDefaultCurrency)});
                 });
}

Type durations(std::vector<Duration>& into) {
  return {[] { return "{\"type\": \"array\", \"items\": " + duration_schema() + "}"; },
          [&into](const Place& place) {
            if (place.value().array() == nullptr) return wrong_type(place, "a list of durations");
            into.clear();
            for (std::size_t i = 0; i < place.value().array()->size(); ++i)
              if (const auto value = read_duration(element(place, i), Sign::not_negative))
                into.push_back(*value);
          }};
}

Type name(std::string& into, std::vector<std::string> known, std::string_view kind) {
  const auto words = std::make_shared<const std::vector<std::string>>(std::move(known));
  return type_of([words] { return names_schema(*words); },
                 [&into, words, kind](const Place& place) {
                   if (const auto index = read_name(place, *words, kind)) into = (*words)[*index];
                 },
                 [&into] { return into; });
}

Type names(std::vector<std::string>& into, std::vector<std::string> names, std::string_view kind) {
  const auto words = std::make_shared<const std::vector<std::string>>(std::move(names));
  return {[words] {
            return "{\"type\": \"array\", \"items\": " + names_schema(*words) + ", \"uniqueItems\": true}";
          },
          [&into, words, kind](const Place& place) {
            const std::vector<std::string>& known = *words;
            if (place.value().array() == nullptr) {
              const std::string* one = place.value().string();
              const bool named = one != nullptr && std::find(known.begin(), known.end(), *one) != known.end();
              const std::string example = known.empty() ? "a" : named ? *one : known.front();
              return wrong_type(
                  place, "a list of names, each " + std::string(kind) + ": [" + quoted_toml(example) + "]");
            }
            into.clear();
            for (std::size_t i = 0; i < place.value().array()->size(); ++i) {
              const Place each = element(place, i);
              const auto index = read_name(each, known, kind);
              if (!index) continue;
              if (std::find(into.begin(), into.end(), known[*index]) != into.end()) {
                each.mistake("is named twice");
                continue;
              }
              into.push_back(known[*index]);
            }
          }};
}

std::string duration_schema() { return units_pattern(duration_units(), true); }

std::string names_schema(std::span<const std::string> names) {
  // The names that depend on the scenario (faults, probes, log lines) are not known to an editor.
  if (names.empty()) return "{\"type\": \"string\"}";
  std::string out = "{\"enum\": [";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ", ") + quoted_toml(names[i]);
  return out + "]}";
}

}  // namespace gauntlet
