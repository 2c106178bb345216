#include "real/watchdog/link_injector.hpp"

#include "real/signals/link_state.hpp"
#include "real/watchdog/interface_target.hpp"

namespace gauntlet {
namespace {

std::string link_target(const InjectionSite& site, const DriverInject& what, const InjectionSubject&,
                        std::string& why) {
  return to_text(interfaces_of(site, what, why));
}

std::string management_target(const InjectionSite& site, const DriverInject&, const InjectionSubject&,
                              std::string& why) {
  InjectionSite management = site;
  management.interfaces = site.management.empty() ? std::vector<std::string>() : std::vector{site.management};
  return to_text(interfaces_of(management, {.target = 0}, why));
}

std::string inject_link(const std::string& text) {
  const InterfaceTarget target = parse_interfaces(text);
  if (!is_here(target)) return "interface " + target.interfaces.front() + " is of another network";
  std::string why;
  for (const std::string& each : target.interfaces)
    if (why.empty()) why = set_link(each, LinkState::down);
  return why;
}

bool link_observed(const std::string& text) {
  bool down = true;
  for (const std::string& each : parse_interfaces(text).interfaces)
    down = down && link_state(each) == LinkState::down;
  return down;
}

/// Another network has no such fault: its interfaces went with it.
std::string undo_link(const std::string& text) {
  const InterfaceTarget target = parse_interfaces(text);
  std::string why;
  if (!is_here(target)) return why;
  for (const std::string& each : target.interfaces)
    if (const std::string failed = set_link(each, LinkState::up); why.empty()) why = failed;
  return why;
}

}  // namespace

HostInjector partition_injector() {
  HostInjector injector = link_injector();
  injector.target = management_target;
  return injector;
}

HostInjector link_injector() {
  return {.target = link_target, .inject = inject_link, .observed = link_observed, .undo = undo_link};
}

}  // namespace gauntlet
