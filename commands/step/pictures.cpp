#include "commands/step/pictures.hpp"

#include "commands/step/stage.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kNamedHosts = 2;  // hosts; what comes beyond is "others"

void add_stalls(ReplicaPicture& out, const ClusterState& state, std::uint32_t per_host) {
  for (const StepPass& pass : out.passes) {
    if (pass.backward || pass.chunk != 0) continue;
    const StalledSeat* longest = nullptr;
    for (const StalledSeat& seat : state.stalled)
      if (holds(out.stages[pass.stage], seat.slot, seat.gpu, per_host) &&
          seat.micro_batch == pass.micro_batch && (longest == nullptr || seat.seconds > longest->seconds))
        longest = &seat;
    if (longest == nullptr) continue;
    const double seconds = longest->seconds;
    const double end =
        pass.micro_batch == 0 ? seconds : pass.begin;  // from the start of the step, or before the pass
    const std::string who = seat_text(longest->slot, longest->gpu);
    const std::uint32_t first = longest->slot * per_host + (longest->gpu == kWholeHost ? 0 : longest->gpu);
    out.stalls.push_back({.stage = pass.stage,
                          .begin = std::max(0.0, end - seconds),
                          .end = end,
                          .cause = who + " stalls",
                          .who = who,
                          .first_rank = first,
                          .last_rank = longest->gpu == kWholeHost ? first + per_host - 1 : first});
  }
}

/// The latency of a pass goes to the dimensions that it has collectives of, in the proportion of their bandwidth terms;
/// where there are none, to the first.
PassParts without_latency(PassParts of, const Layout& layout) {
  const double bandwidth = of.tensor + of.context + of.expert;
  if (bandwidth > 0) {
    const double longer = 1 + of.latency / bandwidth;
    of.tensor *= longer;
    of.context *= longer;
    of.expert *= longer;
  } else {
    (layout.tp > 1 ? of.tensor : layout.cp > 1 ? of.context : of.expert) += of.latency;
  }
  of.latency = 0;
  return of;
}

std::vector<double> scaled(std::vector<double> seconds, double scale) {
  for (double& each : seconds) each *= scale;
  return seconds;
}

/// `follows`: the rank whose pipeline is shown.
ReplicaPicture replica_of(const StepPicture& picture, const World& world, const ClusterState& state,
                          Coordinates follows, double scale) {
  const Layout& layout = world.job.layout;
  const std::uint32_t per_host = world.hardware.gpus_per_host;
  ReplicaPicture out;
  out.replica = picture.replica;
  out.pipeline_end = scale * picture.pipeline_end;
  out.data_end = scale * picture.data_end;
  out.optimizer_end = scale * picture.optimizer_end;
  follows.dp = picture.replica;
  for (follows.pp = 0; follows.pp < layout.pp; ++follows.pp)
    out.stages.push_back(stage_of(layout, per_host, follows, state));
  for (const ScheduledPass& work : picture.work) {
    const std::size_t chunk = work.chunk * picture.shape.stages + work.stage;
    const PassParts of = without_latency((work.backward ? picture.backward : picture.forward)[chunk], layout);
    out.passes.push_back({.stage = work.stage,
                          .chunk = work.chunk,
                          .micro_batch = work.micro_batch,
                          .backward = work.backward,
                          .begin = scale * work.begin,
                          .end = scale * work.end,
                          .tensor = scale * of.tensor,
                          .context = scale * of.context,
                          .expert = scale * of.expert,
                          .transfer = scale * of.transfer});
  }
  add_stalls(out, state, per_host);
  return out;
}

/// The first replica of the same step that nothing perturbs: a slow NIC slows all whose experts are beyond it.
std::optional<std::uint32_t> unperturbed_replica(const World& world, const ClusterState& state) {
  if (state.jitter > 0 || !state.network.switches.empty()) return std::nullopt;
  const Layout& layout = world.job.layout;
  std::vector<bool> healthy(layout.dp / layout.ep, true);  // by expert-parallel group
  for (std::uint32_t replica = 0; replica < layout.dp; ++replica)
    for (std::uint32_t s = 0; s < layout.pp; ++s)
      if (!stage_of(layout, world.hardware.gpus_per_host, {.dp = replica, .pp = s}, state).cause.empty())
        healthy[replica / layout.ep] = false;
  const auto found = std::find(healthy.begin(), healthy.end(), true);
  if (found == healthy.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - healthy.begin()) * layout.ep;
}

/// The host that the step waits for, or all that are as late.
void add_culprits(StepPictures& out, const StepCritical& critical, const ClusterState& state) {
  std::vector<std::uint32_t> hosts = critical.equally_late;
  if (hosts.empty() && critical.host) hosts = {*critical.host};
  for (const std::uint32_t host : hosts)
    for (const RankRange& ranks : degraded_ranks(host, out.gpus_per_host, state))
      out.culprits.push_back(ranks);
  for (std::size_t i = 0; i < std::min(hosts.size(), kNamedHosts); ++i)
    out.cause += (i == 0 ? "" : ", ") + cause_of_host(hosts[i], state);
  if (hosts.size() > kNamedHosts) out.cause += " and others";
}

}  // namespace

StepPictures pictures_of(const StepModel& model, const World& world, const ClusterState& state,
                         const StepReport& report) {
  StepPictures out;
  out.scenario = report.scenario;
  out.layout = report.layout;
  out.gpus_per_host = report.gpus_per_host;
  out.degraded = !state.healthy();
  const StepPicture healthy = model.picture({}, 0);
  const Coordinates at = critical_rank(out.layout, out.gpus_per_host, state, report.critical);
  const StepPicture critical = out.degraded ? model.picture(state, at.dp) : healthy;
  // The model's own seconds; where the scenario gives the step time or a factor of it, in proportion to that.
  const bool own = report.given || report.factor != 1;
  const double scale = own ? to_seconds(report.healthy) / healthy.optimizer_end : 1;
  out.step_seconds = scale * critical.optimizer_end;
  out.waiting = scaled(critical.waiting, scale);
  out.healthy_waiting = scaled(healthy.waiting, scale);
  out.replicas.push_back(replica_of(critical, world, state, at, scale));
  if (!out.degraded) return out;
  const std::optional<std::uint32_t> other = unperturbed_replica(world, state);
  out.replicas.push_back(other ? replica_of(model.picture(state, *other), world, state, at, scale)
                               : replica_of(healthy, world, {}, at, scale));
  out.replicas.back().other_step = !other;
  if (!report.critical) return out;
  out.critical_stage = at.pp;
  add_culprits(out, *report.critical, state);
  return out;
}

}  // namespace gauntlet
