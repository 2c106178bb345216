#include "score/spares.hpp"

#include "score/record_view.hpp"

#include <span>
#include <variant>

namespace gauntlet {

std::vector<SparesInUse> spares_in_use(const Record& record) {
  std::vector<SparesInUse> changes;
  SpareCount spares;
  const auto note = [&](Time at) {
    if (!changes.empty() && changes.back().hosts == spares.in_use()) return;
    if (!changes.empty() && changes.back().at == at) changes.pop_back();
    if (changes.empty() || changes.back().hosts != spares.in_use()) changes.push_back({at, spares.in_use()});
  };
  StopLook look(nullptr);
  pass(
      RecordView(record, look), look,
      [&](const Heard& heard) {
        if (const auto* started = std::get_if<Started>(&heard.seen->what))
          spares.begin(started->inventory.spares);
        const auto* outcome = std::get_if<Outcome>(&heard.seen->what);
        const bool granted = outcome != nullptr && std::holds_alternative<Granted>(outcome->result);
        if (granted || (heard.change.evicted && !heard.change.left)) spares.take();
        note(heard.seen->at);
      },
      [&](std::span<const RecordedOrder> orders) {
        const Action& what = orders.front().order.what;
        if (std::holds_alternative<Readmit>(what) || std::holds_alternative<StandBy>(what))
          spares.give_back();
        note(orders.front().at);
      });
  return changes;
}

}  // namespace gauntlet
