#include "real/watchdog/link_injector.hpp"

#include "real/signals/link_state.hpp"

#include <sys/stat.h>

#include <sstream>

namespace gauntlet {
namespace {

/// Of the network namespace of this process. The watchdog that undoes may be another one, and on another host's network the same name is
/// another interface.
std::string own_network() {
  struct stat found {};
  return ::stat("/proc/self/ns/net", &found) == 0 ? std::to_string(found.st_ino) : "";
}

/// "NETWORK INTERFACE": the inode of the network namespace, the name in it.
struct LinkTarget {
  std::string network, interface;
};
LinkTarget parse_link(const std::string& text) {
  std::istringstream in(text);
  LinkTarget target;
  in >> target.network >> target.interface;
  return target;
}

std::string link_target(const InjectionSite& site, const DriverInject& what, const std::vector<pid_t>&,
                        std::string& why) {
  const std::string network = own_network();
  if (site.interfaces.empty()) {
    why = "only a lab's host has interfaces that a drill may set down";
  } else if (what.target >= site.interfaces.size()) {
    why = "this host has no data interface " + std::to_string(what.target);
  } else if (network.empty()) {
    why = "the network of this host has no name";
  }
  return why.empty() ? network + " " + site.interfaces[what.target] : "";
}

std::string inject_link(const std::string& text) {
  const LinkTarget target = parse_link(text);
  if (target.network != own_network()) return "interface " + target.interface + " is of another network";
  return set_link(target.interface, LinkState::down);
}

bool link_observed(const std::string& text) {
  return link_state(parse_link(text).interface) == LinkState::down;
}

/// Another network has no such fault: its interfaces went with it.
std::string undo_link(const std::string& text) {
  const LinkTarget target = parse_link(text);
  return target.network == own_network() ? set_link(target.interface, LinkState::up) : "";
}

}  // namespace

HostInjector link_injector() {
  return {.target = link_target, .inject = inject_link, .observed = link_observed, .undo = undo_link};
}

}  // namespace gauntlet
