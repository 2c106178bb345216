#include "real/driver/escalated_pauses.hpp"

#include "models/world/world.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

bool watches_for_timeouts(const Action& action) {
  const auto* watch = std::get_if<Watch>(&action);
  if (watch == nullptr || watch->signal != Signal::log_line) return false;
  const auto* match = std::get_if<Match>(&watch->until);
  return match != nullptr && match->pattern == kCollectiveTimeout;
}

/// When ranks had waited too long, in order of time.
std::vector<Time> timeouts_of(const Record& record) {
  std::set<WatchId> watches;
  for (const RecordedOrder& each : record.orders)
    if (watches_for_timeouts(each.order.what)) watches.insert(std::get<Watch>(each.order.what).id);
  std::vector<Time> times;
  for (const Observed& each : record.observations) {
    const auto* seen = std::get_if<Seen>(&each.what);
    if (seen != nullptr && watches.contains(seen->watch)) times.push_back(std::min(seen->sensed, each.at));
  }
  std::ranges::sort(times);
  return times;
}

bool same_fault(const Truth& a, const Truth& b) { return a.kind == b.kind && a.component == b.component; }

/// The pause that holds the job at `when` and has not escalated.
std::optional<Truth> pause_at(const TruthLog& truth, Time when) {
  std::vector<Truth> pauses;
  for (const Truth& each : truth) {
    if (each.at > when) break;
    const bool begins = each.what != TruthKind::ended && each.what != TruthKind::escalated;
    std::erase_if(pauses, [&](const Truth& pause) { return same_fault(pause, each); });
    if (begins && each.on_job && !each.stops && std::isinf(each.factor)) pauses.push_back(each);
  }
  return pauses.empty() ? std::nullopt : std::optional(pauses.front());
}

}  // namespace

void escalate_pauses(const Record& record, TruthLog& truth) {
  for (const Time when : timeouts_of(record)) {
    auto pause = pause_at(truth, when);
    if (!pause) continue;
    pause->at = when;
    pause->what = TruthKind::escalated;
    const auto after = std::ranges::upper_bound(truth, when, {}, &Truth::at);
    truth.insert(after, *pause);
  }
}

}  // namespace gauntlet
