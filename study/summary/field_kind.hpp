// What the values of a scenario's field are.
#pragma once

#include <cstdint>

namespace gauntlet {

/// A number of a quantity is in its base unit: seconds, bytes, bytes per second, FLOP/s, money in its currency. Texts (names, lists)
/// have no number.
enum class FieldKind : std::uint8_t { text, number, duration, bytes, bandwidth, flop_rate, money };

}  // namespace gauntlet
