// The data interfaces of a lab's host that an injection changes, as the undo journal names them.
#pragma once

#include "real/watchdog/host_injector.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// As text "NETWORK INTERFACE INTERFACE ...": the inode of the network namespace, the names in it. The watchdog that undoes may be
/// another one, and on another host's network the same name is another interface.
struct InterfaceTarget {
  std::string network;
  std::vector<std::string> interfaces;
};

/// The one that `what` targets, or all of them. Why there is none goes to `why`.
InterfaceTarget interfaces_of(const InjectionSite& site, const DriverInject& what, std::string& why);
std::string to_text(const InterfaceTarget& target);
InterfaceTarget parse_interfaces(const std::string& text);
/// Whether this process is in that network.
bool is_here(const InterfaceTarget& target);

}  // namespace gauntlet
