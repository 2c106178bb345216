// The hosts of the job whose timings differ from those of their stage: those that faults slow, and those with a blip, which
// comes and goes by itself.
#pragma once

#include "core/random/stream.hpp"
#include "models/step/segments.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/poisson_arrivals.hpp"
#include "sim/hosts/seats.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gauntlet {

struct SlowHost {
  std::uint32_t slot = 0;
  double forward = 1, backward = 1;  // how many times as long
};

class SlowHosts {
 public:
  /// All must outlive them.
  SlowHosts(const World& world, Seed seed, const Seats& seats, SimEngine& engine);

  /// By slot.
  const std::vector<SlowHost>& all() const { return hosts_; }
  /// Null where nothing slows the host in that slot.
  const SlowHost* in(std::uint32_t slot) const;

  /// From here on faults slow these.
  void slow_are(const std::vector<SlowSeat>& slow);
  const std::vector<SlowSeat>& by_faults() const { return slow_; }
  /// A blip begins, on some host; it ends. Whether the host carries the job.
  bool on(const BlipBegins& event);
  bool on(const BlipEnds& event);

 private:
  void find();
  bool change(HostId host);
  bool seated(HostId host) const;

  const World* world_;
  Seed seed_;
  const Seats* seats_;
  SimEngine* engine_;
  std::vector<SlowSeat> slow_;             // by faults
  std::map<HostId, std::uint32_t> blips_;  // how many each host has at present
  std::optional<PoissonHosts> blip_times_;
  std::vector<SlowHost> hosts_;
};

}  // namespace gauntlet
