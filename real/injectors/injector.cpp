#include "real/injectors/injector.hpp"

#include "core/component.hpp"
#include "core/quantity.hpp"
#include "models/world/blast_radius.hpp"
#include "real/lab/plan.hpp"
#include "real/trainer/segment_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

namespace gauntlet {
namespace {

constexpr unsigned bit_of(ComponentKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned any_of_components(std::initializer_list<ComponentKind> kinds) {
  unsigned bits = 0;
  for (const ComponentKind each : kinds) bits |= bit_of(each);
  return bits;
}
constexpr unsigned kGpu = bit_of(ComponentKind::gpu), kJob = bit_of(ComponentKind::job);
constexpr unsigned kPowered =
    any_of_components({ComponentKind::host, ComponentKind::rack, ComponentKind::power});
constexpr unsigned kHostOrJob = bit_of(ComponentKind::host) | kJob;
constexpr unsigned kLinks = any_of_components({ComponentKind::nic, ComponentKind::tor});
constexpr unsigned kNetwork =
    kLinks | any_of_components({ComponentKind::host, ComponentKind::aggregation, ComponentKind::spine});

/// What a rule asks of a fault kind beside its effect and component.
enum class Shape : std::uint8_t {
  plain,
  heals,
  lasts,
  silent,
  at_start,
  loss,
  log,
  clock,
  late,
  twice,
  apart,
  damages
};

struct Rule {
  Effect effect;
  unsigned components;
  Shape shape;
  InjectionKind kind;
  std::string_view does, differs;
  std::string_view model{};  // of the catalogue, which alone it is for
};
/// The first that fits is taken.
constexpr std::array<Rule, 28> kRules = {{
    {Effect::crash, kPowered, Shape::silent, InjectionKind::host_lost,
     "every process of the host ends, its agent too", ""},
    {Effect::crash, kHostOrJob, Shape::at_start, InjectionKind::start_fails,
     "SIGKILL of the host's ranks as soon as they are started", ""},
    {Effect::crash, kGpu, Shape::plain, InjectionKind::kill, "SIGKILL of its rank", ""},
    {Effect::crash, bit_of(ComponentKind::host), Shape::plain, InjectionKind::disk_full,
     "in a lab the disk with the host's checkpoints is full (ENOSPC), and its next checkpoint ends a rank; "
     "elsewhere SIGKILL of the host's ranks",
     "", "disk_full"},
    {Effect::crash, bit_of(ComponentKind::host), Shape::plain, InjectionKind::disk_failing,
     "in a lab the disk with the host's checkpoints fails (EIO), and its next checkpoint ends a rank; "
     "elsewhere SIGKILL of the host's ranks",
     "", "mount_lost"},
    {Effect::crash, bit_of(ComponentKind::host), Shape::plain, InjectionKind::memory,
     "in a lab a rank of the host has no memory left, and the kernel kills it; elsewhere SIGKILL of the "
     "host's "
     "ranks",
     "", "memory_pressure"},
    {Effect::crash, kPowered | kJob, Shape::plain, InjectionKind::kill, "SIGKILL of the host's ranks", ""},
    {Effect::crash, kLinks, Shape::plain, InjectionKind::link_lost,
     "the data interface is set down, and SIGKILL of the host's ranks", ""},
    {Effect::hang, kGpu, Shape::lasts, InjectionKind::stop, "SIGSTOP of its rank", ""},
    {Effect::hang, bit_of(ComponentKind::host), Shape::lasts, InjectionKind::hold,
     "the host's first rank does not enter its next collective; of a job that does not use gauntlet_rank, "
     "SIGSTOP of the host's ranks",
     ""},
    {Effect::hang, kJob, Shape::lasts, InjectionKind::stop, "SIGSTOP of the host's ranks", ""},
    {Effect::hang, kGpu, Shape::heals, InjectionKind::pause, "SIGSTOP and SIGCONT of its rank", ""},
    {Effect::hang, kHostOrJob, Shape::heals, InjectionKind::pause, "SIGSTOP and SIGCONT of the host's ranks",
     ""},
    {Effect::slow, kGpu, Shape::plain, InjectionKind::slow, "CPU quota of its rank", ""},
    {Effect::slow, bit_of(ComponentKind::host), Shape::plain, InjectionKind::slow,
     "CPU quota of the host's ranks", ""},
    {Effect::stall, kLinks, Shape::heals, InjectionKind::link_down, "the data interface is set down", ""},
    {Effect::stall, bit_of(ComponentKind::host), Shape::heals, InjectionKind::pause,
     "SIGSTOP and SIGCONT of the host's ranks",
     "a pause of equal length stands in for what makes the host wait"},
    {Effect::stall, kJob, Shape::heals, InjectionKind::pause, "SIGSTOP and SIGCONT of all ranks",
     "a pause of equal length stands in for what makes the job wait"},
    {Effect::degrade, bit_of(ComponentKind::nic), Shape::plain, InjectionKind::packet_loss,
     "the data interface loses packets that it receives",
     "what that costs depends on the round-trip time, and small messages lose more than bandwidth",
     "lossy_link"},
    {Effect::degrade, kNetwork, Shape::plain, InjectionKind::rate,
     "the data interface sends what the job sent before, divided by the factor", ""},
    {Effect::none, kJob, Shape::damages, InjectionKind::damage,
     "the newest complete checkpoint is damaged: a flipped bit, a shard that is cut short, a torn manifest "
     "or a lost directory, in turn",
     ""},
    {Effect::corrupt, kJob, Shape::loss, InjectionKind::loss, "the agent reports such a loss",
     "the parameters stay right"},
    {Effect::none, kJob, Shape::loss, InjectionKind::loss, "the agent reports such a loss",
     "the loss itself stays"},
    {Effect::none, bit_of(ComponentKind::host), Shape::clock, InjectionKind::clock_step,
     "the times that its agent says are 1,000 s ahead from then on", ""},
    {Effect::none, bit_of(ComponentKind::host), Shape::late, InjectionKind::late_heartbeats,
     "the agent keeps its heartbeats back", ""},
    {Effect::none, bit_of(ComponentKind::host), Shape::twice, InjectionKind::repeated_heartbeats,
     "the agent sends each heartbeat twice", ""},
    {Effect::none, bit_of(ComponentKind::host), Shape::apart, InjectionKind::partition,
     "the management interface is set down; outside a lab the agent neither sends nor hears",
     "outside a lab the network between driver and agent works"},
    {Effect::none, kGpu | kPowered | kJob | kNetwork, Shape::log, InjectionKind::line, "the log line alone",
     ""},
}};

constexpr std::string_view kOneSegment = "every segment of the step is slower, not one alone";

/// Of a fault that tampers with something.
std::optional<Shape> shape_of(Tampering tampers) {
  switch (tampers) {
    case Tampering::clock:
      return Shape::clock;
    case Tampering::late_heartbeats:
      return Shape::late;
    case Tampering::repeated_heartbeats:
      return Shape::twice;
    case Tampering::partition:
      return Shape::apart;
    case Tampering::checkpoint:
      return Shape::damages;
    case Tampering::nothing:
      break;
  }
  return std::nullopt;
}

bool has_shape(const FaultKind& kind, Shape shape) {
  const bool silent = kind.symptoms.heartbeat_lost, start = kind.clock == FaultClock::start;
  const bool loss = kind.symptoms.loss != 0;  // also where it is not a number
  if (kind.tampers != Tampering::nothing)
    return shape == shape_of(kind.tampers) && !silent && !start && !loss;
  switch (shape) {
    case Shape::clock:
    case Shape::late:
    case Shape::twice:
    case Shape::apart:
    case Shape::damages:
      return false;
    case Shape::silent:
      return silent && !start && !loss;
    case Shape::at_start:
      return start && !silent && !loss;
    case Shape::loss:
      return loss && !start && !silent;
    case Shape::log:
      return !silent && !start && !loss && kind.symptoms.log;
    case Shape::plain:
      return !silent && !start && !loss;
    case Shape::heals:
      return !silent && !start && !loss && kind.heals_after;
    case Shape::lasts:
      return !silent && !start && !loss && !kind.heals_after;
  }
  return false;
}

/// Why no injector can do it; empty where one may.
std::string_view why_never(const FaultKind& kind) {
  const Law& delay = kind.symptoms.log_delay;
  if (kind.same_step) return "nothing kills a rank at the step at which another one was killed";
  if (kind.grows_every != Duration::zero()) return "a drill is too short to see it grow";
  if (kind.remedy == Remedy::person) return "a person ends it, and none does in a drill";
  if (kind.effect == Effect::corrupt && kind.symptoms.loss == 0)
    return "wrong parameters would go into the checkpoints of the job";
  if (kind.clock == FaultClock::training)
    return "it strikes only while the job trains, and a drill injects at any time";
  if (kind.symptoms.log && (delay.mean() != 0 || delay.variance() != 0))
    return "its log line comes later than the fault";
  return "";
}

/// In what an injection by that rule differs from the fault kind.
std::string_view difference(const FaultKind& kind, const Rule& rule) {
  if (!rule.differs.empty()) return rule.differs;
  return kind.effect == Effect::slow && kind.segment != Segment::all ? kOneSegment : "";
}

/// A stop request of the job is none of the faults: the driver asks for it.
bool is_request(const FaultKind& kind) {
  return is_stop_request(kind.effect) && kind.component == ComponentKind::job &&
         kind.clock == FaultClock::always;
}

struct DescribedKind {
  InjectionKind kind;
  std::string_view faults;
};
constexpr std::array<DescribedKind, kInjectionTraits.size()> kDescribed = {{
    {InjectionKind::kill, "effect = \"crash\" of a gpu, a host or the job (SIGKILL)"},
    {InjectionKind::stop, "effect = \"hang\" of a gpu or the job (SIGSTOP)"},
    {InjectionKind::slow, "effect = \"slow\" of a gpu or a host"},
    {InjectionKind::link_down, "effect = \"stall\" of a nic or a tor"},
    {InjectionKind::pause, "effect = \"stall\" of a host or the job"},
    {InjectionKind::rate, "effect = \"degrade\""},
    {InjectionKind::packet_loss, "model = \"lossy_link\""},
    {InjectionKind::link_lost, "effect = \"crash\" of a nic or a tor"},
    {InjectionKind::start_fails, "effect = \"crash\" of a host with clock = \"start\""},
    {InjectionKind::host_lost, "effect = \"crash\" with heartbeat_lost"},
    {InjectionKind::line, "effect = \"none\" with a log line"},
    {InjectionKind::loss, "a loss of the job"},
    {InjectionKind::damage, "tampers = \"checkpoint\""},
    {InjectionKind::disk_full, "model = \"disk_full\""},
    {InjectionKind::disk_failing, "model = \"mount_lost\""},
    {InjectionKind::memory, "model = \"memory_pressure\""},
    {InjectionKind::clock_step, "tampers = \"clock\""},
    {InjectionKind::late_heartbeats, "tampers = \"late_heartbeats\""},
    {InjectionKind::repeated_heartbeats, "tampers = \"repeated_heartbeats\""},
    {InjectionKind::partition, "tampers = \"partition\""},
    {InjectionKind::hold, "effect = \"hang\" of a host (a rank in a collective)"},
}};

std::string list_of(const InjectionKinds& kinds) {
  std::string text;
  for (const DescribedKind& each : kDescribed)
    if (kinds.contains(each.kind)) text += (text.empty() ? "" : "; ") + std::string(each.faults);
  return text;
}

}  // namespace

Injector injector_of(const FaultKind& kind) {
  if (const std::string_view never = why_never(kind); !never.empty()) return {.does = never};
  for (const Rule& rule : kRules) {
    if (rule.effect != kind.effect || (rule.components & bit_of(kind.component)) == 0) continue;
    if (!rule.model.empty() && rule.model != kind.model) continue;
    if (has_shape(kind, rule.shape))
      return {.kind = rule.kind, .does = rule.does, .differs = difference(kind, rule)};
  }
  if (is_request(kind)) return {.does = "the driver asks the job to save and to stop"};
  return {.does = "no injector has this effect on such a component"};
}

bool disks_fail(const World& world) {
  return std::any_of(world.faults.begin(), world.faults.end(), [](const FaultKind& each) {
    const std::optional<InjectionKind> kind = injection_of(each);
    return kind == InjectionKind::disk_full || kind == InjectionKind::disk_failing;
  });
}

std::string_view where_injected(InjectionKind kind) {
  if (kInjectionsAnywhere.contains(kind)) return "every launcher";
  return kInjectionsOfOwnAgents.contains(kind) ? "agents that the drill starts" : "a lab";
}

std::vector<Problem> check_injectable(const World& world, const InjectionKinds& allowed) {
  std::vector<Problem> problems;
  InjectionKinds others;
  for (const InjectionKind each : kAllInjections)
    if (!allowed.contains(each)) others.insert(each);
  for (const FaultKind& kind : world.faults) {
    const Injector injector = injector_of(kind);
    if (is_request(kind) || (injector.kind && allowed.contains(*injector.kind))) continue;
    const std::string here = "here can be injected: " + list_of(allowed);
    problems.push_back(
        {.file = "",
         .what = "faults." + kind.name,
         .why = injector.kind
                    ? "can be injected with " + std::string(where_injected(*injector.kind)) + " alone"
                    : "has no injector here: " + std::string(injector.does),
         .suggestion =
             (injector.kind ? "write --launch lab; " : "write --no-faults, or drill without it; ") + here +
             (others.empty() || injector.kind ? "" : "; with --launch lab also " + list_of(others))});
  }
  return problems;
}

HostId host_of(const World& world, const PlannedFault& fault) {
  return hosts_of(world, fault.component).first;
}

std::optional<std::uint32_t> target_on(const World& world, const PlannedFault& fault, HostId host) {
  switch (fault.component.kind) {
    case ComponentKind::gpu:
      return fault.component.index % world.inventory.gpus_per_host;
    case ComponentKind::nic:
      return fault.component.index % world.hardware.nics_per_host % kDataInterfaces;
    case ComponentKind::tor: {
      const std::vector<std::uint32_t> below = interfaces_below(world, host.value, fault.component.index);
      if (below.empty()) return std::nullopt;
      return below.size() == kDataInterfaces ? kEveryTarget : below.front();
    }
    case ComponentKind::job:
    case ComponentKind::host:
    case ComponentKind::rack:
    case ComponentKind::power:
    case ComponentKind::aggregation:
    case ComponentKind::spine:
      break;
  }
  return kEveryTarget;
}

Duration lasts(const World& world, const PlannedFault& fault) {
  if (world.faults[fault.kind.value].tampers == Tampering::checkpoint) return Duration::zero();
  return world.faults[fault.kind.value].heals_after ? fault.lasts : kForever;
}

/// The trainer's segments are work for a share s of their time and waiting for the rest. With q processors the work takes s / q, so that
/// s / q + 1 - s = factor. Of a user's job nothing is known: all of it is work, with as much of the host as is its rank's.
double cores_of_slow_ranks(const World& world, const FaultKind& kind, std::uint32_t cores) {
  const std::uint32_t per_host = world.inventory.gpus_per_host;
  const double ranks = kind.component == ComponentKind::gpu ? 1 : per_host;
  if (world.drill.command.given()) {
    const double of_host = kLabShareOfCores * cores / world.inventory.hosts();
    return ranks * of_host / per_host / kind.factor;
  }
  const double work = work_share(world.job.layout.ranks(), cores);
  return ranks * work / (kind.factor - 1 + work);
}

/// Between two points of the measured curve along a line in logarithms: a power of the loss, as Mathis et al. have it.
double lost_share(double factor) {
  struct Point {
    double factor, lost;
  };
  // Linux 6.18, two network namespaces, one TCP connection (docs/performance.md, "What packet loss costs").
  constexpr std::array<Point, 5> kMeasured = {
      {{1.8, 0.01}, {3.2, 0.02}, {16, 0.05}, {40, 0.10}, {320, 0.20}}};
  std::size_t i = 0;
  while (i + 2 < kMeasured.size() && factor > kMeasured[i + 1].factor) ++i;
  const Point &low = kMeasured[i], &high = kMeasured[i + 1];
  const double power = std::log(high.lost / low.lost) / std::log(high.factor / low.factor);
  return std::min(kMeasured.back().lost, low.lost * std::pow(factor / low.factor, power));
}

std::string injection_text(const World& world, const PlannedFault& fault) {
  const FaultKind& kind = world.faults[fault.kind.value];
  const Injector injector = injector_of(kind);
  std::string text(injector.does);
  const auto target = target_on(world, fault, host_of(world, fault));
  const bool of_links = injector.kind && is_by_watchdog(*injector.kind) && !is_of_rank(*injector.kind);
  if (of_links && target && target != kEveryTarget) text = data_interface(*target) + ": " + text;
  if (kind.symptoms.log && fault.logs) text += ", log line " + world.patterns[kind.symptoms.log->value];
  if (kind.heals_after) text += ", for " + to_text(fault.lasts);
  return text;
}

}  // namespace gauntlet
