#include "score/spares.hpp"

#include "score/job_hosts.hpp"

#include <variant>

namespace gauntlet {

std::vector<SparesInUse> spares_in_use(const Record& record) {
  std::vector<SparesInUse> changes;
  JobHosts hosts;
  SpareCount spares;
  const auto note = [&](Time at) {
    if (!changes.empty() && changes.back().hosts == spares.in_use()) return;
    if (!changes.empty() && changes.back().at == at) changes.pop_back();
    if (changes.empty() || changes.back().hosts != spares.in_use()) changes.push_back({at, spares.in_use()});
  };
  auto order = record.orders.begin();
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const Observed& seen = record.observations[i];
    if (const auto* started = std::get_if<Started>(&seen.what)) {
      hosts.on(*started);
      spares.begin(started->inventory.spares);
    }
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      if (hosts.concerns(*outcome))
        if (const auto eviction = hosts.on(*outcome).eviction; eviction && !eviction->from_job) spares.take();
      if (std::holds_alternative<Granted>(outcome->result)) spares.take();
    }
    for (; order != record.orders.end() && order->observations <= i + 1; ++order) {
      hosts.ordered(*order);
      const Action& what = order->order.what;
      if (std::holds_alternative<Readmit>(what) || std::holds_alternative<StandBy>(what)) spares.give_back();
    }
    note(seen.at);
  }
  return changes;
}

}  // namespace gauntlet
