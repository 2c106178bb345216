// The kinds of values that fields take. Each stores what it reads in the variable that it is given.
#pragma once

#include "config/fields/fields.hpp"
#include "config/toml/nearest.hpp"
#include "core/quantity.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

enum class Sign { positive, not_negative };

/// What numbers are allowed.
template <class Number>
struct Range {
  Number low = std::numeric_limits<Number>::lowest();
  Number high = std::numeric_limits<Number>::max();
  bool above_low = false;  // low itself is outside
};

Type text(std::string& into);
Type flag(bool& into);
Type whole_number(int& into, Range<std::int64_t> range);
Type whole_number(std::uint16_t& into, Range<std::int64_t> range);
Type whole_number(std::uint32_t& into, Range<std::int64_t> range);
Type whole_number(std::int64_t& into, Range<std::int64_t> range);
Type whole_number(std::uint64_t& into, Range<std::int64_t> range);
Type number(double& into, Range<double> range);
Type probability(Probability& into);

Type duration(Duration& into, Sign sign);
Type quantity(Bytes& into, Sign sign);
Type quantity(Bandwidth& into, Sign sign);
Type quantity(FlopRate& into, Sign sign);
/// A count of tokens: "2T", or a number.
Type token_count(double& into, Range<double> range);
/// An amount of money in any currency; those of a scenario have one together (describe_services.cpp).
Type amount(Money& into, Sign sign);
Type durations(std::vector<Duration>& into);

/// A text for people, which no model reads.
Type note();

/// One of the names that `known` lists; `kind`, a literal, is what a name names ("a probe").
Type name(std::string& into, std::vector<std::string> known, std::string_view kind);
/// Any of them, in the order given, none twice.
Type names(std::vector<std::string>& into, std::vector<std::string> known, std::string_view kind);

template <class E>
using Choice = std::pair<std::string_view, E>;

/// One of a fixed list of names.
template <class E>
Type choice(E& into, std::span<const Choice<E>> choices, std::string_view kind);

// --- for types of several values -------------------------------------------------------------------------------------

/// A string's text; reports and gives nothing for anything else. `form` is what belongs here: "a string such as ...".
const std::string* read_text(const Place& place, std::string_view form);
std::optional<Duration> read_duration(const Place& place, Sign sign);
/// A duration of any length above zero.
std::optional<double> read_seconds(const Place& place);
std::optional<double> read_number(const Place& place, Range<double> range);
std::optional<std::int64_t> read_whole_number(const Place& place, Range<std::int64_t> range);
/// The i-th element of the array at `place`.
Place element(const Place& place, std::size_t i);
/// The index of the text at `place` in `known`; reports an unknown one.
std::optional<std::size_t> read_name(const Place& place, std::span<const std::string> known,
                                     std::string_view kind);

/// "has the wrong type: it is a list, and this takes a duration such as \"5min\""
void wrong_type(const Place& place, std::string_view form);

std::string duration_schema();
std::string names_schema(std::span<const std::string> names);

template <class E>
std::vector<std::string> words_of(std::span<const Choice<E>> choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.emplace_back(word);
  return words;
}

template <class E>
Type choice(E& into, std::span<const Choice<E>> choices, std::string_view kind) {
  Type type{[choices] { return names_schema(words_of(choices)); },
            [&into, choices, kind](const Place& place) {
              if (const auto index = read_name(place, words_of(choices), kind)) into = choices[*index].second;
            }};
  type.initial = [&into, choices] {
    const auto chosen = std::ranges::find(choices, into, &Choice<E>::second);
    return Value{std::string(chosen->first), {}, {}, false};
  };
  return type;
}

}  // namespace gauntlet
