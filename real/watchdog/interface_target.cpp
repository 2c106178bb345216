#include "real/watchdog/interface_target.hpp"

#include <sys/stat.h>

#include <sstream>

namespace gauntlet {
namespace {

std::string own_network() {
  struct stat found {};
  return ::stat("/proc/self/ns/net", &found) == 0 ? std::to_string(found.st_ino) : "";
}

}  // namespace

InterfaceTarget interfaces_of(const InjectionSite& site, const DriverInject& what, std::string& why) {
  InterfaceTarget target{.network = own_network(), .interfaces = {}};
  if (site.interfaces.empty()) {
    why = "only a lab's host has interfaces that a drill may change";
  } else if (target.network.empty()) {
    why = "the network of this host has no name";
  } else if (what.target == kEveryTarget) {
    target.interfaces = site.interfaces;
  } else if (what.target < site.interfaces.size()) {
    target.interfaces = {site.interfaces[what.target]};
  } else {
    why = "this host has no data interface " + std::to_string(what.target);
  }
  return target;
}

std::string to_text(const InterfaceTarget& target) {
  std::string text = target.network;
  for (const std::string& each : target.interfaces) text += " " + each;
  return text;
}

InterfaceTarget parse_interfaces(const std::string& text) {
  std::istringstream in(text);
  InterfaceTarget target;
  in >> target.network;
  for (std::string each; in >> each;) target.interfaces.push_back(each);
  return target;
}

bool is_here(const InterfaceTarget& target) { return target.network == own_network(); }

}  // namespace gauntlet
