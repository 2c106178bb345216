// How a kind of fault is injected into this host and undone again. What it changes is named by a line of text, the target, which is on
// disk before anything is changed. The line is enough to undo the fault, and names nothing else.
#pragma once

#include "real/agent/host_faults.hpp"
#include "real/stream/messages.hpp"

#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// What of this host may be disturbed: what the drill made itself.
struct InjectionSite {
  std::string group;                    // the host's control group in a lab; empty: the host is not of a lab
  std::vector<std::string> interfaces;  // the lab's data interfaces of this host
  std::string management{};             // the interface of this host that a lab's driver reaches it by
  std::string disk{};  // the state of the disk with its checkpoints (real/fault_disk); empty: it cannot fail
};

struct HostInjector {
  /// The target of an injection. Why it cannot be injected here goes to `why`.
  std::string (*target)(const InjectionSite& site, const DriverInject& what, const InjectionSubject& subject,
                        std::string& why);
  /// Why not, or nothing.
  std::string (*inject)(const std::string& target);
  /// Whether the system says that the effect is there.
  bool (*observed)(const std::string& target);
  /// Why not, or nothing. Nothing also where the effect is gone already.
  std::string (*undo)(const std::string& target);
  /// Why this machine cannot do it, or nothing. Changes nothing. Not given: whoever has its site can.
  std::string (*unfit)() = nullptr;
};

using HostInjectors = std::map<InjectionKind, HostInjector>;

}  // namespace gauntlet
