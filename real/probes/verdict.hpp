// What a probe says of a host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gauntlet {

/// In the order of how much an engineer has to do about it.
enum class ProbeVerdict : std::uint8_t {
  pass,          // it looked, and found nothing wrong
  unsupported,   // it could not look: this host or this user lacks what it needs
  unjudged,      // it measured, and there is nothing to compare the metric with
  inconclusive,  // it looked, and what it saw says nothing
  degraded,      // the host works, worse than it should
  fail,          // the host is wrong, or does not answer
};

inline constexpr std::array<std::string_view, 6> kProbeVerdictNames = {
    "pass", "unsupported", "unjudged", "inconclusive", "degraded", "fail"};

constexpr std::string_view name_of(ProbeVerdict verdict) {
  return kProbeVerdictNames[static_cast<std::size_t>(verdict)];
}

}  // namespace gauntlet
