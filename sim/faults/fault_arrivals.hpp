// When faults strike which component: every fault kind of a world on its clock.
//
// Two clocks. `always` runs with the wall time and a component ages while its host is powered. `training` runs while
// the job trains and a component ages while its host carries the job. In both a host is either on or off, and only the
// hosts that go off and on again, or fail, cost anything. Failure domains (racks, switches) have no host: they are never off.
//
// What concerns the hosts that the job begins on, and what concerns only those beside, comes by two processes with draws of
// their own: one spare more changes nothing of what strikes the job.
//
// Beside the clocks, faults are there from the beginning, or come with a start of the job: each component on its own, by a
// chance. What that costs follows the hits, not the components.
#pragma once

#include "core/id.hpp"
#include "core/infinity.hpp"
#include "core/random/population.hpp"
#include "core/random/stream.hpp"
#include "models/world/world.hpp"
#include "sim/engine/poisson_arrivals.hpp"
#include "sim/faults/profiled_arrivals.hpp"

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <variant>
#include <vector>

namespace gauntlet {

/// Components that are renewed one by one and have ages: any law but the exponential.
class AgeingArrivals {
 public:
  /// The components from `first` up; those below `end_on` are on when the clock starts, the others are off.
  AgeingArrivals(const FaultKind& kind, Seed seed, std::uint32_t first, std::uint32_t end_on);

  double next_time() const;
  /// The component that fails at next_time(). It fails no more until it is renewed.
  std::uint32_t take();
  void turn_off(std::uint32_t component, double now);
  void turn_on(std::uint32_t component, double now);
  /// As good as new from `now` on, after it failed.
  void renew(std::uint32_t component, double now);
  /// Before the clock starts: it has failed already.
  void begin_failed(std::uint32_t component);

  /// How many failures to expect up to `now`: the hazard that each component met while it was on and had not failed.
  double compensator(double now) const;

 private:
  /// A component with a stream of its own.
  struct Single {
    Stream stream;
    double left = 0;  // life left when it was last off, or failed: none
    double due = 0;   // when on: the time of its failure
    // When it was last turned on; in its first life, what the clock of the population read.
    double age = 0;
    double since = 0;  // when on: the time at which it had that age
    bool first_life = true;
    bool on = false;
    bool failed = false;
  };
  struct Due {
    double at;
    std::uint32_t component;
  };
  Single& single(std::uint32_t component);
  bool began_on(std::uint32_t component) const { return component < end_on_; }
  void schedule(std::uint32_t component, Single& single, double now);
  void drop_stale();
  double met_by(const Single& single, double now) const;

  Law law_;
  Population population_;  // of those that began on, numbered from `first_`
  std::uint32_t first_, end_on_;
  Seed seed_;
  StreamName name_;
  std::unordered_map<std::uint32_t, Single> singles_;
  std::vector<Due> due_;  // a heap; entries whose time is no longer their component's are skipped
  double met_ = 0;        // the hazard of singles up to where they were last turned off, or failed
};

/// Given times, whatever happens: a trace.
class TraceArrivals {
 public:
  explicit TraceArrivals(const FaultKind& kind) : kind_(&kind) {}
  double next_time() const;
  std::uint32_t take() { return kind_->trace[next_++].second; }
  double compensator(double) const { return 0; }  // nobody knows

 private:
  const FaultKind* kind_;
  std::size_t next_ = 0;
};

struct Strike {
  FaultKindId kind;
  ComponentId component;
  std::uint32_t same_time = 0;  // how many faults of its chain came and healed at this very time
};

/// Of kinds that can_be_tilted(), on all components: the strikes, and how many are to be expected at their own rates.
struct TiltableCounts {
  std::uint32_t strikes = 0;
  double expected = 0;
};

class FaultArrivals {
 public:
  FaultArrivals(const World& world, Seed seed);

  /// On the given clock, in seconds of it; infinite when nothing more will come. Poisson kinds also name components
  /// that are off or have failed already: such a strike means nothing, and the caller drops it.
  double next_time(FaultClock clock) const {
    const std::vector<Next>& next = next_[index(clock)];
    return next.empty() ? kInfinity : next.front().at;
  }
  Strike take(FaultClock clock);

  /// The host's components stop or go on ageing on that clock.
  void turn_off(FaultClock clock, HostId host, double now);
  void turn_on(FaultClock clock, HostId host, double now);
  /// A failed component was repaired, replaced, or its fault healed. False where that changes nothing.
  bool renew(FaultKindId kind, std::uint32_t component, double now);

  /// Its host was repaired, and the repair holds: lemons that it cures are none any more.
  void cure(HostId host, double now_of_always, double now_of_training);

  /// What is there from the beginning: each component of a kind with its prevalence. Asked once, before anything else.
  std::vector<Strike> present_at_start();
  /// What comes with the start of that number: each component of the kinds on the clock `start` with their chance, also
  /// those that carry no job.
  std::vector<Strike> at_start_of_job(std::uint64_t start_number);

  /// The compensated count of a kind: its strikes up to `now` on its clock, less the hazard that its components met
  /// (their compensator; Andersen, Borgan, Gill, Keiding, Statistical Models Based on Counting Processes, 1993, sec. II.4). A
  /// martingale, so its mean is zero at the end of a run whatever policies do. Of the components that the job begins on.
  /// Zero where hazard_is_known() says no.
  double compensated(FaultKindId kind, double now) const;
  /// Up to these readings of the clocks.
  TiltableCounts tiltable(double always, double training) const;

 private:
  using Arrivals = std::variant<PoissonArrivals, ProfiledArrivals, AgeingArrivals, TraceArrivals>;
  struct Process {
    std::uint32_t kind, first;  // component
    Arrivals arrivals;
    std::uint64_t strikes = 0;  // on the clock `start`: of the components that the job begins on
  };
  struct Next {
    double at;
    std::uint32_t process;
    friend auto operator<=>(const Next&, const Next&) = default;
  };
  static constexpr std::size_t index(FaultClock clock) { return static_cast<std::size_t>(clock); }
  std::uint32_t components_per_host(const FaultKind& kind) const;
  void add(std::uint32_t kind, std::uint32_t first, std::uint32_t end);
  std::uint32_t process_of(std::uint32_t kind, std::uint32_t component) const;
  void next_changed(std::uint32_t process);
  template <class Do>
  void for_ageing_components(FaultClock clock, HostId host, Do&& act);

  const World* world_;
  Seed seed_;
  std::vector<Process> processes_;       // by kind, that of the job first
  std::vector<std::uint32_t> first_of_;  // by FaultKindId: its first process
  // Kinds that have ages, that strike at starts, and whose lemons a repair cures.
  std::vector<std::uint32_t> ageing_, at_starts_, curable_;
  std::uint64_t starts_ = 0;   // of the job, that met what comes with them
  std::vector<Next> next_[3];  // by clock, the process first that strikes next; nothing ever comes on `start`
};

}  // namespace gauntlet
