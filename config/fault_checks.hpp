// Whether what a scenario says of its faults fits together: of one fault, and of all of them.
#pragma once

#include "config/fault_defaults.hpp"
#include "config/fields.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

void describe_follower(Fields& fields, FollowedBy& follower, const ModelDefaults& defaults);

/// What the fields of one fault say together.
void check_fault(const Place& place, const FaultKind& fault);

/// Once all faults are read: which fault follows from which, and whether every one of them ever comes. `root` is the
/// whole scenario; what a model leads to by default is written there.
void connect_faults(const Place& root, World& world);

}  // namespace gauntlet
