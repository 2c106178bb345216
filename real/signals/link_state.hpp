// Network interfaces of this process's network, as netdevice(7) has them: up, down, or set so.
#pragma once

#include <string>

namespace gauntlet {

enum class LinkState { up, down, unknown };

/// down: by order, or without a carrier. unknown: there is no such interface, or the kernel does not say.
LinkState link_state(const std::string& interface);

/// By order. `state` is up or down. Why not, or nothing.
std::string set_link(const std::string& interface, LinkState state);

}  // namespace gauntlet
