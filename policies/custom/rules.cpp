#include "policies/custom/rules.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace gauntlet {
namespace {

template <class... Each>
bool is_any_of(const Action& what) {
  return (std::holds_alternative<Each>(what) || ...);
}

const char* rule_of_kind(const Action& what, PolicyKind kind) {
  if (is_any_of<Watch, Unwatch, Wake, Cancel>(what)) return nullptr;
  if (kind == PolicyKind::detector)
    return is_any_of<Probe>(what) ? nullptr
                                  : "a detector must order only Watch, Unwatch, Wake, Cancel and Probe";
  return is_any_of<CheckpointEvery, Checkpoint>(what)
             ? nullptr
             : "a checkpoint policy must order only CheckpointEvery, Checkpoint, Watch, Unwatch, Wake and "
               "Cancel";
}

const char* rule_of_scope(const Scope& who, const OrderBounds& bounds) {
  if (who.kind != ComponentKind::job && who.kind != ComponentKind::host)
    return "a scope must be the job or hosts";
  if (who.kind == ComponentKind::job) {
    const bool own = who.subset == Scope::Subset::all ||
                     (who.subset == Scope::Subset::one && who.index == bounds.job.value);
    return own ? nullptr : "a scope must name the job of the policy";
  }
  switch (who.subset) {
    case Scope::Subset::all:
      return nullptr;
    case Scope::Subset::one:
      return bounds.has(HostId{who.index}) ? nullptr : "a host must be one of the cluster";
    case Scope::Subset::job:
    case Scope::Subset::stage:
      break;
  }
  if (who.index != bounds.job.value) return "a scope must name the job of the policy";
  const bool known = who.subset == Scope::Subset::job || who.stage < bounds.inventory.layout.pp;
  return known ? nullptr : "a pipeline stage must be one of the job";
}

const char* rule_of_filter(const Watch& watch) {
  if (const auto* silence = std::get_if<Silence>(&watch.until))
    return silence->longest > Duration::zero() ? nullptr : "a silence must be longer than zero";
  if (const auto* band = std::get_if<Outside>(&watch.until))
    return band->low <= band->high ? nullptr : "the low end of a band must not be above its high end";
  if (const auto* sample = std::get_if<Sample>(&watch.until))
    return sample->count > 0 ? nullptr : "a watch must ask for at least one sample";
  return nullptr;
}

/// Which filters a signal knows.
const char* rule_of_signal(const Watch& watch) {
  const bool silence = std::holds_alternative<Silence>(watch.until);
  const bool band = std::holds_alternative<Outside>(watch.until);
  const bool sample = std::holds_alternative<Sample>(watch.until);
  const bool match = std::holds_alternative<Match>(watch.until);
  switch (watch.signal) {
    case Signal::heartbeat:
      return silence ? nullptr : "heartbeats must be watched for silence";
    case Signal::process_exit:
      return band || match ? nullptr : "exits must be watched with a band or a pattern";
    case Signal::log_line:
      return match ? nullptr : "log lines must be watched for a pattern";
    case Signal::step:
      return !match ? nullptr : "steps must be watched for silence, with a band or for samples";
    case Signal::checkpoint_stall:
    case Signal::loss:
      return band || sample ? nullptr : "this signal must be watched with a band or for samples";
    case Signal::forward_time:
    case Signal::backward_time:
      return band || sample ? nullptr : "segment timings must be watched with a band or for samples";
    case Signal::traffic:
    case Signal::traffic_period:
      return !match ? nullptr : "traffic must be watched for silence, with a band or for samples";
    case Signal::last_collective:
      break;
  }
  return sample ? nullptr : "the last collective must be watched for samples";
}

const char* rule_of_signal_scope(const Watch& watch) {
  const bool of_job = is_of_job(watch.signal);
  const bool is_job = watch.who.kind == ComponentKind::job;
  if (of_job != is_job)
    return of_job ? "this signal is the job's: its scope must be the job"
                  : "this signal is a host's: its scope must be hosts";
  if (watch.signal == Signal::heartbeat &&
      (watch.who.subset == Scope::Subset::job || watch.first != kEachMember))
    return "heartbeats must be watched for each host, whichever job it serves";
  const bool by_stage = watch.who.subset == Scope::Subset::stage;
  const bool without_stage = watch.signal == Signal::heartbeat || watch.signal == Signal::process_exit ||
                             watch.signal == Signal::log_line;
  return by_stage && without_stage ? "this signal must not be watched by pipeline stage" : nullptr;
}

class Rules {
 public:
  Rules(const OrderBounds& bounds, Time now) : bounds_(bounds), now_(now) {}

  const char* operator()(const Watch& watch) const {
    if (!bounds_.owns(watch.id)) return kOwnWatch;
    if (const char* rule = rule_of_scope(watch.who, bounds_)) return rule;
    if (const char* rule = rule_of_signal(watch)) return rule;
    if (const char* rule = rule_of_signal_scope(watch)) return rule;
    return rule_of_filter(watch);
  }
  const char* operator()(const Unwatch& order) const {
    return bounds_.owns(order.watch) ? nullptr : kOwnWatch;
  }
  const char* operator()(const Wake& order) const {
    return order.at >= now_ ? nullptr : "a wake must not be in the past";
  }
  const char* operator()(const Cancel&) const { return nullptr; }
  const char* operator()(const CheckpointEvery& order) const {
    if (order.job != bounds_.job) return kOwnJob;
    return order.interval > Duration::zero() ? nullptr
                                             : "the interval of periodic checkpoints must be above zero";
  }
  const char* operator()(const Checkpoint& order) const {
    return order.job == bounds_.job ? nullptr : kOwnJob;
  }
  const char* operator()(const Probe& order) const {
    if (!bounds_.owns(order.report)) return kOwnWatch;
    const auto& probes = bounds_.probes;
    if (std::find(probes.begin(), probes.end(), order.probe) == probes.end())
      return "a probe must be one of diagnosis.suite";
    if (order.who.kind != ComponentKind::host ||
        (order.who.subset != Scope::Subset::one && order.who.subset != Scope::Subset::job))
      return "a probe must run on one host or on the hosts of the job";
    return rule_of_scope(order.who, bounds_);
  }
  template <class Other>
  const char* operator()(const Other&) const {
    return nullptr;  // refused by the kind
  }

 private:
  static constexpr const char* kOwnWatch = "a watch must have an id that the policy took at the start";
  static constexpr const char* kOwnJob = "an order must name the job of the policy";

  const OrderBounds& bounds_;
  Time now_;
};

}  // namespace

bool is_of_job(Signal signal) {
  return signal == Signal::step || signal == Signal::checkpoint_stall || signal == Signal::loss;
}

const char* broken_rule(const Action& what, const OrderBounds& bounds, Time now) {
  if (const char* rule = rule_of_kind(what, bounds.kind)) return rule;
  return std::visit(Rules(bounds, now), what);
}

const char* broken_rule(const Suspicion& suspicion, const OrderBounds& bounds) {
  if (suspicion.host && !bounds.has(*suspicion.host)) return "a suspected host must be one of the cluster";
  if (suspicion.quarantine < Duration::zero()) return "a quarantine must not be negative";
  if (suspicion.cause != WatchId{} && !bounds.owns(suspicion.cause))
    return "the cause of a suspicion must be a watch of the detector";
  return nullptr;
}

}  // namespace gauntlet
