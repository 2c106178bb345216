#include "score/flapping.hpp"

#include "score/job_hosts.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

std::optional<std::uint32_t> flapping(const HostLog& hosts, std::size_t told, HostId host, Time at,
                                      std::optional<Time> taken_out) {
  const TruthLog& log = hosts.log();
  std::optional<std::uint32_t> found;
  std::vector<std::uint32_t> strikes;  // the latest of each component
  hosts.backwards(host, told, [&](std::uint32_t place) {
    const Truth& each = log[place];
    if (each.at < at - kFlapWindow || (taken_out && each.at <= *taken_out)) return true;
    const bool counts = each.what == TruthKind::onset && each.at <= at && each.repairable && each.disturbs;
    if (!counts || !blames(each, host)) return false;
    const auto later = std::find_if(strikes.begin(), strikes.end(), [&](std::uint32_t strike) {
      return log[strike].kind == each.kind && log[strike].component == each.component;
    });
    if (later != strikes.end()) {
      found = *later;
      return true;
    }
    strikes.push_back(place);
    return false;
  });
  return found;
}

}  // namespace gauntlet
