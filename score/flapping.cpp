#include "score/flapping.hpp"

#include "score/job_hosts.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

std::optional<std::uint32_t> flapping(const TruthLog& log, std::size_t told, HostId host, Time at,
                                      std::optional<Time> taken_out) {
  std::vector<std::uint32_t> strikes;  // the latest of each component
  for (std::size_t i = told; i-- > 0 && log[i].at >= at - kFlapWindow;) {
    const Truth& each = log[i];
    if (taken_out && each.at <= *taken_out) break;
    const bool counts = each.what == TruthKind::onset && each.at <= at && each.repairable && each.disturbs;
    if (!counts || !blames(each, host)) continue;
    const auto later = std::find_if(strikes.begin(), strikes.end(), [&](std::uint32_t strike) {
      return log[strike].kind == each.kind && log[strike].component == each.component;
    });
    if (later != strikes.end()) return *later;
    strikes.push_back(static_cast<std::uint32_t>(i));
  }
  return std::nullopt;
}

}  // namespace gauntlet
