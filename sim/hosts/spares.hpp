// The hosts that stand by, and in which order a job gets them: a warm one at once, a cold one once it is set up, one of
// the pool once the job that it serves has given it up.
//
// `warm` hosts are kept. When none is left the job's hosts are selected anew, and those that are wanted come, with as many
// cold ones beside as make the standbys up again. A host that comes back from repair is warm where that many are not, and else
// cold; it belongs to the pool no more.
#pragma once

#include "core/inventory.hpp"
#include "core/random/stream.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/hosts/host_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace gauntlet {

/// What it took to find hosts in a run so far.
struct SpareCounts {
  std::uint32_t selections = 0;   // with no warm host
  std::uint32_t preemptions = 0;  // hosts that other jobs gave up
  friend bool operator==(const SpareCounts&, const SpareCounts&) = default;
};

class Spares {
 public:
  /// Both must outlive it. The hosts after those of the job.
  Spares(const World& world, Seed seed, SimEngine& engine);

  /// The warm host that has stood by longest; it carries the job now.
  std::optional<HostId> take();
  /// So many hosts are waited for, and none is warm: those that can come are on their way, SpareReady each.
  void call(std::size_t wanted);
  void on(const SpareReady& event, std::size_t wanted);
  /// A host is back from repair, while so many are waited for.
  void add(HostId host, std::size_t wanted);
  /// A host of the job, set up as it is, stands by and is the next to be taken.
  void rest(HostId host) { warm_.push_front(host); }
  /// It goes to repair.
  void remove(HostId host);

  const SpareCounts& counts() const { return counts_; }

 private:
  void send_for(HostId host, Duration until_ready);

  const SparesModel* model_;
  SimEngine* engine_;
  std::size_t kept_warm_ = 0;  // where none is ever cold, all
  HostQueue warm_, cold_, pool_;
  std::map<HostId, Timer> coming_;  // when each is ready
  Seed seed_;
  SpareCounts counts_;
};

}  // namespace gauntlet
