// Whether what a scenario says of its faults fits together: of one fault, and of all of them.
#pragma once

#include "config/fields/fields.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

void describe_follower(Fields& fields, FollowedBy& follower);

/// What the fields of one fault say together.
void check_fault(const Place& place, const FaultKind& fault);

/// Once all faults are read: which fault follows from which, and whether every one of them ever comes. `root` is the
/// whole scenario. It needs no fault model after that: followers are named in it, and models are not.
void connect_faults(const Place& root, World& world);

}  // namespace gauntlet
