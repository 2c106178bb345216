// A port on which nobody listens on this machine, for the ranks of a start to meet at.
#pragma once

#include <cstdint>

namespace gauntlet {

/// Meeting places have ports of this range. It lies below the ports that Linux gives out itself (ip_local_port_range, from 32768): those can be
/// taken by any connection between the choice and the start of rank 0.
inline constexpr std::uint16_t kFirstMeetingPort = 20'000, kMeetingPorts = 10'000;

/// The next one of the range after `last`; 0: after a random one, so that drills on one machine seldom choose the same.
std::uint16_t next_meeting_port(std::uint16_t last);

/// The next one that is free on loopback. Somebody else may take it before a rank does. Throws std::runtime_error where none is free.
std::uint16_t free_port(std::uint16_t last);

}  // namespace gauntlet
