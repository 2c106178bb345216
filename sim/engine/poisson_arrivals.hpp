// Strikes of an exponential law, the same for all components at all times.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"
#include "core/random/population.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet {

/// Of the components [first, end).
class PoissonArrivals {
 public:
  PoissonArrivals(double mean_life, Seed seed, StreamName name, std::uint32_t first, std::uint32_t end)
      : population_(mean_life, end - first, Stream(seed, name, first)), first_(first) {}
  double next_time() const { return population_.next_time(); }
  std::uint32_t take() { return first_ + static_cast<std::uint32_t>(population_.take()); }
  /// How many strikes to expect up to `now`.
  double compensator(double now) const { return population_.compensator(now); }

 private:
  PoissonPopulation population_;
  std::uint32_t first_;
};

/// Of every host: of those that the job begins on by draws of their own, which hosts beside do not move.
class PoissonHosts {
 public:
  PoissonHosts(Duration mean_life, Seed seed, StreamName name, const Inventory& inventory)
      : of_job_(to_seconds(mean_life), seed, name, 0, inventory.job_hosts),
        beside_(to_seconds(mean_life), seed, name, inventory.job_hosts, inventory.hosts()) {}
  Time next() const {
    return after(kStart, from_seconds(std::min(of_job_.next_time(), beside_.next_time())));
  }
  HostId take() {
    return HostId{of_job_.next_time() <= beside_.next_time() ? of_job_.take() : beside_.take()};
  }

 private:
  PoissonArrivals of_job_, beside_;
};

}  // namespace gauntlet
