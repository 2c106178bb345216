#include "commands/step/critical.hpp"

#include <set>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kHelps = 0.001;  // of the step: a repair that saves less does not

std::set<std::uint32_t> degraded_hosts(const ClusterState& state) {
  std::set<std::uint32_t> hosts;
  for (const SlowSeat& seat : state.slow) hosts.insert(seat.slot);
  for (const StalledSeat& seat : state.stalled) hosts.insert(seat.slot);
  for (const DegradedNic& nic : state.network.nics) hosts.insert(nic.slot);
  return hosts;
}

/// With every host repaired but, where one is given, that one.
ClusterState with_only(ClusterState state, std::optional<std::uint32_t> host) {
  const auto other = [host](const auto& part) { return part.slot != host; };
  std::erase_if(state.slow, other);
  std::erase_if(state.stalled, other);
  std::erase_if(state.network.nics, other);
  return state;
}

/// Hosts each of which alone makes the step as long as all of them do; none where it is as long without any.
std::vector<std::uint32_t> equally_late(const StepModel& model, const ClusterState& state, Duration total) {
  const double late = (1 - kHelps) * to_seconds(total);
  if (to_seconds(model.time(with_only(state, std::nullopt))) >= late) return {};
  std::vector<std::uint32_t> out;
  for (const std::uint32_t host : degraded_hosts(state))
    if (to_seconds(model.time(with_only(state, host))) >= late) out.push_back(host);
  return out.size() > 1 ? out : std::vector<std::uint32_t>{};
}

}  // namespace

std::optional<StepCritical> critical_of(const StepModel& model, const ClusterState& state, Duration total) {
  const std::optional<Critical> critical = model.critical(state);
  if (!critical) return std::nullopt;
  StepCritical out{.host = critical->slot,
                   .stage = critical->stage,
                   .replica = critical->replica,
                   .saves = critical->saves};
  if (out.host && to_seconds(out.saves) < kHelps * to_seconds(total))
    out.equally_late = equally_late(model, state, total);
  return out;
}

}  // namespace gauntlet
