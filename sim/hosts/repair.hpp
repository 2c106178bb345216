// Hosts in repair: an automatic stage for all, a manual one for those that it does not help, then a burn-in.
//
// Each stage has its technicians, one host at a time each; the hosts that they have no hands for wait, first come, first
// served. What a repair will take and whether it holds is drawn when the host comes in, so that neither the crew nor other
// hosts move its draws.
#pragma once

#include "core/random/stream.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/hosts/host_table.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace gauntlet {

/// What a shop did in a run so far. A host that is found no better in burn-in counts once more in each stage.
struct RepairCounts {
  std::uint32_t automatic = 0, manual = 0;  // stages completed
  std::uint32_t held = 0;                   // repairs that held
  std::uint32_t silent = 0;                 // that did not, though they were reported done
  std::uint32_t found = 0;                  // of the silent ones, in burn-in
  friend bool operator==(const RepairCounts&, const RepairCounts&) = default;
};

class RepairQueue {
 public:
  /// How a host comes back.
  struct Back {
    bool mended;  // else it is no better than before
  };

  /// Both must outlive the queue.
  RepairQueue(const RepairShop& shop, SimEngine& engine) : shop_(&shop), engine_(&engine) {}

  /// A host comes in. `cause`: a fault that it has, where one is known to the truth. `draws`: for this visit alone.
  void admit(HostId host, std::optional<FaultKindId> cause, const Stream& draws);
  /// It goes for good.
  void drop(HostId host);

  /// A person repairs it now, out of turn: it is as good as new, and is still tested.
  std::optional<Back> mend(HostId host);

  /// It is back, or goes on to what comes next, and then nothing is returned.
  std::optional<Back> on(const RepairDone& event);

  const RepairCounts& counts() const { return counts_; }

 private:
  enum class Stage : std::uint8_t { automatic, manual, burn_in };
  struct Visit {
    Stream draws;
    const Law* automatic;  // of the shop
    Duration takes{}, by_hand{};
    Stage stage = Stage::automatic;
    bool manual = false;  // it needs a person
    bool mended = true;
    bool in_hand = false;  // else it waits
    Timer done{};
  };
  struct Crew {
    std::uint32_t size = 0, busy = 0;  // size 0: always enough
    std::deque<HostId> waiting{};
  };

  void draw(Visit& visit);
  Crew& crew_of(Stage stage) { return stage == Stage::automatic ? automatic_ : manual_; }
  void enter(HostId host, Stage stage);
  void take_in_hand(HostId host, Visit& visit);
  void leave_hands(Stage stage);
  void leave_crew(HostId host, const Visit& visit);
  std::optional<Back> test(HostId host);
  Back back(HostId host);

  const RepairShop* shop_;
  SimEngine* engine_;
  HostTable<Visit> visits_;
  Crew automatic_{.size = shop_->crew}, manual_{.size = shop_->manual.crew};
  RepairCounts counts_;
};

}  // namespace gauntlet
