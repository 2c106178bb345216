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

/// Why a store does not go on with a study.
struct StudyDifference {
  std::string what;   // empty: it goes on
  std::string go_on;  // what would go on with what the store holds; empty where nothing would
};

/// What the study `then` in a store has that `now` has not. Two studies are the same if their commands are, but for how many replicas
/// (--replicas, --budget): there may be more, and fewer as long as no more are held. With --precision there may be a smaller half-width: the
/// rounds run again from their start, and the store keeps only what they ask for. --over-time changes no replica, and may differ.
StudyDifference difference(const StudyIdentity& then, const StudyIdentity& now, HeldReplicas held);

}  // namespace gauntlet
