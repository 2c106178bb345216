#include "sim/faults/fault_arrivals.hpp"

#include "core/infinity.hpp"
#include "models/world/blast_radius.hpp"
#include "sim/faults/hits.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.component > b.component;
};

bool memoryless(const Law& law) { return law.name() == "exponential"; }

}  // namespace

// --- ageing components ---------------------------------------------------------------------------------------------

AgeingArrivals::AgeingArrivals(const FaultKind& kind, Seed seed, std::uint32_t first, std::uint32_t end_on)
    : law_(kind.life),
      population_(kind.life, kind.stationary_ages ? Ages::stationary : Ages::fresh, end_on - first,
                  Stream(seed, stream_name("fault." + kind.name), first)),
      first_(first),
      end_on_(end_on),
      seed_(seed),
      name_(stream_name("life." + kind.name)) {}

AgeingArrivals::Single& AgeingArrivals::single(std::uint32_t component) {
  const auto found = singles_.find(component);
  if (found != singles_.end()) return found->second;
  return singles_.emplace(component, Single{.stream = Stream(seed_, name_, component)}).first->second;
}

void AgeingArrivals::schedule(std::uint32_t component, Single& single, double now) {
  single.due = now + single.left;
  single.since = now;
  due_.push_back({single.due, component});
  std::push_heap(due_.begin(), due_.end(), kLater);
}

void AgeingArrivals::drop_stale() {
  while (!due_.empty()) {
    const Single& single = singles_.at(due_.front().component);
    if (single.on && !single.failed && single.due == due_.front().at) return;
    std::pop_heap(due_.begin(), due_.end(), kLater);
    due_.pop_back();
  }
}

double AgeingArrivals::next_time() const {
  return std::min(population_.next_time(), due_.empty() ? kInfinity : due_.front().at);
}

std::uint32_t AgeingArrivals::take() {
  if (population_.next_time() <= (due_.empty() ? kInfinity : due_.front().at)) {
    const std::uint32_t component = first_ + static_cast<std::uint32_t>(population_.take());
    Single& failed = single(component);
    failed.on = true;
    failed.failed = true;
    return component;
  }
  const std::uint32_t component = due_.front().component;
  std::pop_heap(due_.begin(), due_.end(), kLater);
  due_.pop_back();
  Single& failed = singles_.at(component);
  met_ += met_by(failed, failed.due);
  failed.failed = true;
  drop_stale();
  return component;
}

void AgeingArrivals::turn_off(std::uint32_t component, double now) {
  if (began_on(component) && population_.contains(component - first_)) {
    // Nanoseconds as a double may stand a rounding past a failure that is due now.
    population_.remove(component - first_, std::min(now, population_.next_time()));
    Single& leaving = single(component);
    leaving.left = population_.residual_after(now, leaving.stream);
    leaving.age = now;
    return;
  }
  const auto found = singles_.find(component);
  if (found == singles_.end() || !found->second.on) return;
  Single& leaving = found->second;
  if (!leaving.failed) {
    met_ += met_by(leaving, now);
    leaving.left = std::max(0.0, leaving.due - now);
    leaving.age += now - leaving.since;
  }
  leaving.on = false;
  drop_stale();
}

void AgeingArrivals::turn_on(std::uint32_t component, double now) {
  const bool first_time = !singles_.contains(component);
  if (first_time && began_on(component)) return;  // never was off
  Single& joining = single(component);
  if (joining.on) return;
  if (first_time) joining.left = population_.residual_after(0, joining.stream);
  joining.on = true;
  if (!joining.failed) schedule(component, joining, now);
}

void AgeingArrivals::renew(std::uint32_t component, double now) {
  const auto found = singles_.find(component);
  if (found == singles_.end() || !found->second.failed) return;
  Single& renewed = found->second;
  renewed.failed = false;
  renewed.first_life = false;
  renewed.age = 0;
  renewed.left = law_.sample(renewed.stream);
  if (renewed.on) schedule(component, renewed, now);
}

void AgeingArrivals::begin_failed(std::uint32_t component) {
  Single& failed = single(component);
  failed.failed = true;
  if (!began_on(component)) return;
  population_.remove(component - first_, 0);
  failed.on = true;
}

/// Since it was turned on, or began its life; nothing where it is off, or has failed.
double AgeingArrivals::met_by(const Single& single, double now) const {
  if (!single.on || single.failed) return 0;
  const double age = single.age + (now - single.since);
  return single.first_life ? population_.hazard_between(single.age, age)
                           : law_.cumulative_hazard(age) - law_.cumulative_hazard(single.age);
}

double AgeingArrivals::compensator(double now) const {
  // In the order of the components: the last digit of a sum depends on it, and that of a hash table on the library.
  std::vector<std::uint32_t> components;
  for (const auto& [component, single] : singles_) components.push_back(component);
  std::sort(components.begin(), components.end());
  double sum = population_.compensator(std::min(now, population_.next_time())) + met_;
  for (const std::uint32_t component : components) sum += met_by(singles_.at(component), now);
  return sum;
}

// --- traces --------------------------------------------------------------------------------------------------------

double TraceArrivals::next_time() const {
  return next_ < kind_->trace.size() ? to_seconds(kind_->trace[next_].first.time_since_epoch()) : kInfinity;
}

// --- all kinds -----------------------------------------------------------------------------------------------------

std::uint32_t FaultArrivals::components_per_host(const FaultKind& kind) const {
  switch (kind.component) {
    case ComponentKind::gpu:
      return world_->inventory.gpus_per_host;
    case ComponentKind::nic:
      return world_->hardware.nics_per_host;
    default:
      return 1;
  }
}

FaultArrivals::FaultArrivals(const World& world, Seed seed) : world_(&world), seed_(seed) {
  for (std::uint32_t k = 0; k < world.faults.size(); ++k) {
    const FaultKind& kind = world.faults[k];
    first_of_.push_back(static_cast<std::uint32_t>(processes_.size()));
    const bool given = !kind.trace.empty() || kind.clock == FaultClock::start;
    const std::uint32_t count = component_count(world, kind.component);
    const std::uint32_t of_job = given ? count : component_count_of_job(world, kind.component);
    add(k, 0, of_job);
    if (of_job < count) add(k, of_job, count);
    if (std::holds_alternative<AgeingArrivals>(processes_.back().arrivals)) ageing_.push_back(k);
    if (kind.clock == FaultClock::start) at_starts_.push_back(k);
    if (kind.profile.lemons.cured && sits_in_host(kind.component)) curable_.push_back(k);
  }
  first_of_.push_back(static_cast<std::uint32_t>(processes_.size()));
  for (std::vector<Next>& each : next_) std::sort(each.begin(), each.end());
}

void FaultArrivals::add(std::uint32_t k, std::uint32_t first, std::uint32_t end) {
  const FaultKind& kind = world_->faults[k];
  const auto arrivals = [&]() -> Arrivals {
    if (!kind.trace.empty() || kind.clock == FaultClock::start) return TraceArrivals(kind);
    if (!kind.profile.flat() && memoryless(kind.life)) return ProfiledArrivals(kind, seed_, first, end);
    if (memoryless(kind.life))
      return PoissonArrivals(kind.life.mean(), seed_, stream_name("fault." + kind.name), first, end);
    const bool carries_no_job =
        first > 0 && kind.clock == FaultClock::training && sits_in_host(kind.component);
    return AgeingArrivals(kind, seed_, first, carries_no_job ? first : end);
  };
  processes_.push_back({k, first, arrivals()});
  const double at = std::visit([](const auto& each) { return each.next_time(); }, processes_.back().arrivals);
  next_[index(kind.clock)].push_back({at, static_cast<std::uint32_t>(processes_.size() - 1)});
}

/// That of the component, of a kind's one or two.
std::uint32_t FaultArrivals::process_of(std::uint32_t kind, std::uint32_t component) const {
  const std::uint32_t last = first_of_[kind + 1] - 1;
  return component >= processes_[last].first ? last : first_of_[kind];
}

void FaultArrivals::next_changed(std::uint32_t process) {
  const Process& changed = processes_[process];
  const double at = std::visit([](const auto& each) { return each.next_time(); }, changed.arrivals);
  std::vector<Next>& next = next_[index(world_->faults[changed.kind].clock)];
  const Next moved{at, process};
  auto place =
      std::find_if(next.begin(), next.end(), [process](const Next& each) { return each.process == process; });
  for (; place + 1 != next.end() && place[1] < moved; ++place) *place = place[1];
  for (; place != next.begin() && moved < place[-1]; --place) *place = place[-1];
  *place = moved;
}

Strike FaultArrivals::take(FaultClock clock) {
  const std::uint32_t number = next_[index(clock)].front().process;
  Process& process = processes_[number];
  const std::uint32_t component =
      std::visit([](auto& arrivals) { return arrivals.take(); }, process.arrivals);
  ++process.strikes;
  next_changed(number);
  return {FaultKindId{process.kind}, {world_->faults[process.kind].component, component}};
}

template <class Do>
void FaultArrivals::for_ageing_components(FaultClock clock, HostId host, Do&& act) {
  for (const std::uint32_t k : ageing_) {
    const FaultKind& kind = world_->faults[k];
    if (kind.clock != clock || !sits_in_host(kind.component)) continue;
    const std::uint32_t each = components_per_host(kind);
    const std::uint32_t process = process_of(k, host.value * each);
    auto& arrivals = std::get<AgeingArrivals>(processes_[process].arrivals);
    for (std::uint32_t c = host.value * each; c < (host.value + 1) * each; ++c) act(arrivals, c);
    next_changed(process);
  }
}

void FaultArrivals::turn_off(FaultClock clock, HostId host, double now) {
  for_ageing_components(clock, host,
                        [now](AgeingArrivals& arrivals, std::uint32_t c) { arrivals.turn_off(c, now); });
}

void FaultArrivals::turn_on(FaultClock clock, HostId host, double now) {
  for_ageing_components(clock, host,
                        [now](AgeingArrivals& arrivals, std::uint32_t c) { arrivals.turn_on(c, now); });
}

bool FaultArrivals::renew(FaultKindId kind, std::uint32_t component, double now) {
  const std::uint32_t process = process_of(kind.value, component);
  auto* ageing = std::get_if<AgeingArrivals>(&processes_[process].arrivals);
  if (ageing == nullptr) return false;  // a Poisson process has no memory to renew, a trace is given
  ageing->renew(component, now);
  next_changed(process);
  return true;
}

void FaultArrivals::cure(HostId host, double now_of_always, double now_of_training) {
  for (const std::uint32_t k : curable_) {
    const FaultKind& kind = world_->faults[k];
    const std::uint32_t each = components_per_host(kind);
    const std::uint32_t process = process_of(k, host.value * each);
    auto* profiled = std::get_if<ProfiledArrivals>(&processes_[process].arrivals);
    if (profiled == nullptr) continue;
    for (std::uint32_t c = host.value * each; c < (host.value + 1) * each; ++c)
      profiled->cure(c, kind.clock == FaultClock::always ? now_of_always : now_of_training);
    next_changed(process);
  }
}

// --- without a clock -----------------------------------------------------------------------------------------------

std::vector<Strike> FaultArrivals::present_at_start() {
  std::vector<Strike> present;
  for (std::uint32_t k = 0; k < world_->faults.size(); ++k) {
    const FaultKind& kind = world_->faults[k];
    for_each_hit(component_count(*world_, kind.component), kind.prevalence.value,
                 Stream(seed_, stream_name("present." + kind.name)), [&](std::uint32_t component) {
                   present.push_back({FaultKindId{k}, {kind.component, component}});
                   const std::uint32_t process = process_of(k, component);
                   if (auto* ageing = std::get_if<AgeingArrivals>(&processes_[process].arrivals)) {
                     ageing->begin_failed(component);
                     next_changed(process);
                   }
                 });
  }
  return present;
}

std::vector<Strike> FaultArrivals::at_start_of_job(std::uint64_t start_number) {
  std::vector<Strike> strikes;
  ++starts_;
  for (const std::uint32_t k : at_starts_) {
    const FaultKind& kind = world_->faults[k];
    const std::uint32_t of_job = component_count_of_job(*world_, kind.component);
    std::uint64_t& on_job = processes_[first_of_[k]].strikes;
    for_each_hit(component_count(*world_, kind.component), kind.chance.value,
                 Stream(seed_, stream_name("start." + kind.name), start_number),
                 [&](std::uint32_t component) {
                   strikes.push_back({FaultKindId{k}, {kind.component, component}});
                   on_job += component < of_job ? 1 : 0;
                 });
  }
  return strikes;
}

// --- what was to be expected -----------------------------------------------------------------------------------------

double FaultArrivals::compensated(FaultKindId id, double now) const {
  const FaultKind& kind = world_->faults[id.value];
  if (!hazard_is_known(kind)) return 0;
  const Process& of_job = processes_[first_of_[id.value]];
  const auto strikes = static_cast<double>(of_job.strikes);
  if (kind.clock == FaultClock::start)
    return strikes -
           static_cast<double>(starts_) * kind.chance.value * component_count_of_job(*world_, kind.component);
  return strikes - std::visit([now](const auto& each) { return each.compensator(now); }, of_job.arrivals);
}

TiltableCounts FaultArrivals::tiltable(double always, double training) const {
  TiltableCounts out;
  for (const Process& process : processes_) {
    const FaultKind& kind = world_->faults[process.kind];
    if (!can_be_tilted(kind)) continue;
    const double now = kind.clock == FaultClock::always ? always : training;
    out.strikes += static_cast<std::uint32_t>(process.strikes);
    out.expected +=
        std::visit([now](const auto& each) { return each.compensator(now); }, process.arrivals) / kind.tilt;
  }
  return out;
}

}  // namespace gauntlet
