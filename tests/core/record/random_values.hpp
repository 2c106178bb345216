// Random observations and orders with every member drawn, and their comparison member by member.
#pragma once

#include "core/random/stream.hpp"
#include "core/record/describe.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace gauntlet {

template <class T>
constexpr bool kIsVariantType = false;
template <class... Each>
constexpr bool kIsVariantType<std::variant<Each...>> = true;

/// All members of `value`, found by the language and not by its description: a member that the description
/// forgot does not compile here.
template <Described T>
constexpr auto members_of(const T& value) {
  constexpr std::size_t count = std::tuple_size_v<std::remove_const_t<decltype(Describe<T>::members)>>;
  static_assert(count >= 1 && count <= 6, "add a line for so many members");
  if constexpr (count == 1) {
    const auto& [a] = value;
    return std::tie(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else {
    const auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  }
}

/// Member by member; doubles by their bits, so that a NaN equals itself.
template <class T>
bool equal_members(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else if constexpr (kIsVariantType<T>) {
    return a.index() == b.index() &&
           std::visit(
               [&b](const auto& alternative) {
                 return equal_members(alternative, std::get<std::remove_cvref_t<decltype(alternative)>>(b));
               },
               a);
  } else if constexpr (Described<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (equal_members(std::get<I>(members_of(a)), std::get<I>(members_of(b))) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(members_of(a))>>{});
  } else {
    return a == b;
  }
}

/// How many values an enumeration has.
template <class Enum>
constexpr std::uint64_t kValues = 0;
template <>
inline constexpr std::uint64_t kValues<ComponentKind> = 4;
template <>
inline constexpr std::uint64_t kValues<Scope::Subset> = 3;
template <>
inline constexpr std::uint64_t kValues<Signal> = 5;
template <>
inline constexpr std::uint64_t kValues<Edge> = 3;
template <>
inline constexpr std::uint64_t kValues<Status> = 3;
template <>
inline constexpr std::uint64_t kValues<Verdict> = 2;
template <>
inline constexpr std::uint64_t kValues<Ending> = 4;
template <>
inline constexpr std::uint64_t kValues<OperatorAction> = 5;
template <>
inline constexpr std::uint64_t kValues<StopReason> = 2;
template <>
inline constexpr std::uint64_t kValues<Tier> = kTiers;
template <>
inline constexpr std::uint64_t kValues<Restore> = kRestoreNames.size();

/// Any bits in every number, any valid value in every enumeration, any alternative in every variant.
template <class T>
void randomise(T& value, Stream& stream) {
  if constexpr (std::is_same_v<T, bool>) {
    value = stream.below(2) == 1;
  } else if constexpr (std::is_same_v<T, double>) {
    value = std::bit_cast<double>(stream.bits());
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(kValues<T> > 0, "say how many values it has");
    value = static_cast<T>(stream.below(kValues<T>));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(stream.bits());
  } else if constexpr (std::is_same_v<T, Duration>) {
    value = Duration(static_cast<Duration::rep>(stream.bits()));
  } else if constexpr (std::is_same_v<T, Time>) {
    value = Time(Duration(static_cast<Duration::rep>(stream.bits())));
  } else if constexpr (kIsVariantType<T>) {
    const std::size_t chosen = stream.below(std::variant_size_v<T>);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((I == chosen ? randomise(value.template emplace<I>(), stream) : void()), ...);
    }
    (std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (Described<T>) {
    for_each_member(value, [&](std::string_view, auto& each) { randomise(each, stream); });
  } else if constexpr (!std::is_same_v<T, std::monostate>) {
    randomise(value.value, stream);  // an id
  }
}

/// The same with the alternative of `value.what` given: none is left to chance.
template <std::size_t I, class T>
T random_alternative(Stream& stream) {
  T value{};
  randomise(value, stream);
  randomise(value.what.template emplace<I>(), stream);
  return value;
}

}  // namespace gauntlet
