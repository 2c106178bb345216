// The names of the enumerators in observations and orders, for people.
#pragma once

#include "core/action.hpp"
#include "core/component.hpp"
#include "core/observation.hpp"
#include "core/signal.hpp"
#include "core/tier.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace gauntlet {

inline constexpr std::array<std::string_view, 3> kEdgeNames = {"began", "ended", "sample"};
inline constexpr std::array<std::string_view, 3> kStatusNames = {"done", "failed", "cancelled"};
inline constexpr std::array<std::string_view, 2> kVerdictNames = {"healthy", "faulty"};
inline constexpr std::array<std::string_view, 4> kEndingNames = {"completed", "time_over", "gave_up",
                                                                 "stopped"};
inline constexpr std::array<std::string_view, 4> kStopReasonNames = {"fault", "planned", "grow", "preempted"};
inline constexpr std::array<std::string_view, 5> kOperatorActionNames = {"evict", "readmit", "maintenance",
                                                                         "stop", "disarm"};

/// "?" where a recording holds a value that this program does not know.
template <std::size_t N, class Enum>
constexpr std::string_view enumerator(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "?";
}
constexpr std::string_view enumerator(ComponentKind value) { return enumerator(kComponentNames, value); }
constexpr std::string_view enumerator(Signal value) { return enumerator(kSignalNames, value); }
constexpr std::string_view enumerator(Edge value) { return enumerator(kEdgeNames, value); }
constexpr std::string_view enumerator(Status value) { return enumerator(kStatusNames, value); }
constexpr std::string_view enumerator(Verdict value) { return enumerator(kVerdictNames, value); }
constexpr std::string_view enumerator(Ending value) { return enumerator(kEndingNames, value); }
constexpr std::string_view enumerator(OperatorAction value) {
  return enumerator(kOperatorActionNames, value);
}
constexpr std::string_view enumerator(StopReason value) { return enumerator(kStopReasonNames, value); }
constexpr std::string_view enumerator(Tier value) { return enumerator(kTierNames, value); }
constexpr std::string_view enumerator(Restore value) { return enumerator(kRestoreNames, value); }

}  // namespace gauntlet
