// How faults strike, grow and end. What they do to the job together: faults_on_job.cpp.
#include "sim/faults/faults.hpp"

#include "core/saturating.hpp"
#include "models/world/blast_radius.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

/// Which draws of a time belong to a fault. Draws are named by the time, so that faults that follow each other without any time
/// between them need a number, or the same draw would keep such a chain going for ever.
std::uint64_t chained(ComponentId component, std::uint32_t same_time) {
  return component.index + (std::uint64_t{same_time} << 32U);
}

}  // namespace

Faults::Faults(const World& world, const Hosts& hosts, const OpenOrders& orders, SimEngine& engine)
    : world_(&world),
      hosts_(&hosts),
      orders_(&orders),
      engine_(&engine),
      clocks_(world, engine),
      active_(world) {
  for (const FaultKind& kind : world.faults)
    streams_.push_back(
        {.heals = stream_name("heal." + kind.name), .follows = stream_name("follow." + kind.name)});
}

void Faults::reset(Seed seed) {
  seed_ = seed;
  clocks_.reset(seed);
  active_.clear();
  truth_.clear();
  stop_ = {};
  same_step_ = {};
}

void Faults::compensated(std::vector<double>& counts) const {
  counts.clear();
  for (std::uint32_t kind = 0; kind < world_->faults.size(); ++kind)
    counts.push_back(clocks_.compensated(FaultKindId{kind}, world_->faults[kind].clock));
}

void Faults::log_truth(TruthKind what, const ActiveFault& fault) {
  const FaultKind& kind = kind_of(fault);
  const bool disturbs = kind.effect != Effect::none && !is_stop_request(kind.effect);
  truth_.push_back({.at = engine_->now(),
                    .what = what,
                    .kind = fault.kind,
                    .component = fault.component,
                    .host = fault.hosts.first,
                    .hosts = fault.hosts.count,
                    .on_job = ActiveFaults::on_job(fault),
                    .stops = stops_job(kind.effect),
                    .disturbs = disturbs,
                    .corrupts = kind.effect == Effect::corrupt,
                    .repairable = kind.remedy == Remedy::repair,
                    .factor = what == TruthKind::ended ? 1 : times_as_long(fault),
                    .orders = orders_->given()});
  engine_->fingerprint().add(static_cast<std::uint64_t>(what) << 48 | std::uint64_t{fault.kind.value} << 32 |
                             fault.component.index);
}

// --- how they begin --------------------------------------------------------------------------------------------------

std::optional<Faults::Struck> Faults::strike(const Strike& strike) {
  const FaultKind& kind = world_->faults[strike.kind.value];
  const bool of_job = strike.component.kind == ComponentKind::job;
  const HostRange hosts =
      of_job ? HostRange{hosts_->seats().host(0), 1} : hosts_of(*world_, strike.component);
  // A Poisson process and a trace also name components that are off, not at work, or have failed already.
  const bool exposed =
      of_job || any_host(hosts, [&](HostId host) {
        return kind.clock == FaultClock::always ? hosts_->powered(host) : hosts_->in_job(host);
      });
  if (!exposed || active_.has(strike.kind, strike.component, hosts)) return std::nullopt;

  std::uint32_t job_hosts = 0;
  for_each_host(hosts, [&](HostId host) { job_hosts += hosts_->in_job(host) ? 1 : 0; });
  ActiveFault& fault = active_.add({.kind = strike.kind,
                                    .component = strike.component,
                                    .hosts = hosts,
                                    .heal = {},
                                    .grow = {},
                                    .line = {},
                                    .factor = kind.factor,
                                    .struck = engine_->now(),
                                    .same_time = strike.same_time,
                                    .job_hosts = job_hosts});
  fault.met_job = ActiveFaults::on_job(fault);
  Struck struck{.fault = fault.ref};
  if (kind.heals_after) {
    Stream draws = draws_of(streams_[fault.kind.value].heals, chained(fault.component, fault.same_time));
    struck.lasts = from_seconds(kind.heals_after->sample(draws));
    fault.heals = after(engine_->now(), struck.lasts);
    fault.heal = engine_->after(struck.lasts, Priority::world, FaultHeals{fault.ref});
  } else {
    follow(kind, fault.component, fault.same_time);
  }
  log_truth(TruthKind::onset, fault);
  if (kind.grows_every > Duration::zero() && !is_stop_request(kind.effect))
    fault.grow = engine_->after(kind.grows_every, Priority::world, FaultGrows{fault.ref});
  return struck;
}

void Faults::missed(const Strike& strike, FaultClock clock) {
  const bool there = active_.has(strike.kind, strike.component, hosts_of(*world_, strike.component));
  if (!there) clocks_.renew(strike, clock);
}

void Faults::follow_healed(const ActiveFault& healed) {
  follow(kind_of(healed), healed.component, healed.struck == engine_->now() ? healed.same_time + 1 : 0);
}

void Faults::follow(const FaultKind& kind, ComponentId component, std::uint32_t same_time) {
  if (!kind.followed_by) return;
  const FollowedBy& next = *kind.followed_by;
  const auto number = static_cast<std::size_t>(&kind - world_->faults.data());
  Stream draws = draws_of(streams_[number].follows, chained(component, same_time));
  if (draws.uniform() >= next.probability.value) return;
  engine_->after(from_seconds(next.after.sample(draws)), Priority::fault,
                 FaultFollows{next.kind, component, hosts_->repairs_of(component), same_time});
}

std::optional<Strike> Faults::on(const FaultFollows& event) const {
  if (event.repairs != hosts_->repairs_of(event.component)) return std::nullopt;
  return Strike{event.kind, event.component, event.same_time};
}

bool Faults::on(const FaultGrows& event) {
  ActiveFault* found = active_.find(event.fault);
  if (found == nullptr) return false;
  constexpr double kStandstill = 1e3;  // beyond it no step would complete in any window
  if (found->factor * kind_of(*found).factor > kStandstill) return false;
  found->factor *= kind_of(*found).factor;
  found->grow = engine_->after(kind_of(*found).grows_every, Priority::world, FaultGrows{event.fault});
  log_truth(TruthKind::grew, *found);
  return true;
}

// --- how they end ----------------------------------------------------------------------------------------------------

ActiveFault Faults::end(FaultRef ref) {
  ActiveFault fault = active_[ref];
  active_.erase(ref);
  engine_->cancel(fault.heal);
  engine_->cancel(fault.grow);
  engine_->cancel(fault.line);
  log_truth(TruthKind::ended, fault);
  const FaultClock clock = kind_of(fault).clock;
  if (clock == FaultClock::start) return fault;
  const bool renewed = clocks_.renew({fault.kind, fault.component}, clock);
  // By the clock of training, the next fault is reckoned from now: that may move it by a nanosecond.
  if (renewed || clock == FaultClock::training) clocks_.schedule(clock);
  return fault;
}

const std::vector<FaultRef>& Faults::ended_by_repair(HostId host, bool mended) {
  const std::span<const FaultRef> faults = active_.of(host);
  ended_by_repair_.clear();
  std::copy_if(faults.rbegin(), faults.rend(), std::back_inserter(ended_by_repair_), [&](FaultRef ref) {
    const ActiveFault& fault = active_[ref];
    return sits_in_host(fault.component.kind) && (mended || kind_of(fault).profile.lemons.cured);
  });
  return ended_by_repair_;
}

// --- their hosts -----------------------------------------------------------------------------------------------------

void Faults::host_joined(HostId host) {
  active_.host_joined(host);
  clocks_.turn_on(FaultClock::training, host);
}

void Faults::host_left(HostId host) {
  clocks_.turn_off(FaultClock::training, host);
  active_.host_left(host);
}

void Faults::host_on(HostId host) {
  clocks_.turn_on(FaultClock::always, host);
  clocks_.schedule(FaultClock::always);
}

void Faults::host_off(HostId host) {
  clocks_.turn_off(FaultClock::always, host);
  clocks_.schedule(FaultClock::always);
}

Faults::RepairCause Faults::repair_cause(HostId host) {
  static constexpr StreamName kRepair = stream_name("repair");
  const std::span<const FaultRef> faults = active_.of(host);
  const auto cause = std::find_if(faults.begin(), faults.end(), [&](FaultRef ref) {
    const ActiveFault& fault = active_[ref];
    return kind_of(fault).remedy == Remedy::repair && fault.component.kind != ComponentKind::job;
  });
  if (cause == faults.end()) return {std::nullopt, draws_of(kRepair, host.value)};
  ActiveFault& fault = active_[*cause];
  return {fault.kind, stream_now(seed_, kRepair, fault.struck, nth_of(host.value, fault.repaired++))};
}

}  // namespace gauntlet
