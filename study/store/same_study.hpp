// Whether a store goes on with a study.
#pragma once

#include "study/store/store.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// What a store holds already.
struct HeldReplicas {
  std::uint32_t most = 0;  // of one point
  std::uint64_t all = 0;
};

/// What the study `then` in a store has that `now` has not; empty where `now` may go on with it. Two studies are the same if
/// their commands are, but for how many replicas (--replicas, --budget): there may be more, and fewer as long as no more are
/// held. --over-time changes no replica, and may differ.
std::string difference(const StudyIdentity& then, const StudyIdentity& now, HeldReplicas held);

}  // namespace gauntlet
