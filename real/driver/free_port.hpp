// A port on which nobody listens on this machine, for the ranks of a start to meet at.
#pragma once

#include <cstdint>

namespace gauntlet {

/// Of the system's choice, on loopback, and another one than `last`. Somebody else may take it before a rank does. Throws
/// std::runtime_error where none is free.
std::uint16_t free_port(std::uint16_t last);

}  // namespace gauntlet
