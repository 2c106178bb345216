#include "models/step/step.hpp"

#include "core/contract.hpp"
#include "models/network/fabric_network.hpp"
#include "models/step/step_private.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

/// On hardware with a mistyped rate a step takes less than the clock can tell; no time at all it takes nowhere.
Duration step_of(double seconds) { return std::max(from_seconds(seconds), Duration(1)); }

/// A degraded host that the step may wait for, and one of its ranks that may be why.
struct Suspect {
  std::uint32_t slot = 0;
  Coordinates at;
};

/// Hosts with a degraded rank in the replica that is last come first, then those that may slow its last stage's gradients or
/// optimizer. To repair any other changes nothing.
std::vector<Suspect> suspects(const StepModel::Parts& parts, const ClusterState& state,
                              const Scheduled& outcome) {
  const Layout& layout = parts.layout;
  const std::uint32_t per_host = parts.hardware.gpus_per_host, ep = layout.ep;
  std::vector<Suspect> late, others;
  const auto add = [](std::vector<Suspect>& to, std::uint32_t slot, const Coordinates& at) {
    const auto same = [slot](const Suspect& s) { return s.slot == slot; };
    if (std::ranges::none_of(to, same)) to.push_back({slot, at});
  };
  const auto consider = [&](std::uint32_t slot, std::uint32_t gpu, bool at_the_end) {
    for (std::uint32_t g = 0; g < per_host; ++g) {
      const std::uint32_t rank = slot * per_host + g;
      if ((gpu != kWholeHost && gpu != g) || rank >= layout.ranks()) continue;
      const Coordinates at = layout.coordinates(rank);
      if (at.dp / ep == outcome.replica.replica / ep) add(late, slot, at);
      if (at_the_end && at.pp == outcome.stage) add(others, slot, at);
    }
  };
  for (const SlowSeat& seat : state.slow) consider(seat.slot, seat.gpu, seat.slow.optimizer > 1);
  for (const StalledSeat& seat : state.stalled) consider(seat.slot, seat.gpu, false);
  for (const DegradedNic& nic : state.network.nics) consider(nic.slot, kWholeHost, true);
  for (const Suspect& other : others) add(late, other.slot, other.at);
  return late;
}

ClusterState without(const ClusterState& state, std::uint32_t slot) {
  ClusterState rest = state;
  const auto there = [slot](const auto& part) { return part.slot == slot; };
  std::erase_if(rest.slow, there);
  std::erase_if(rest.stalled, there);
  std::erase_if(rest.network.nics, there);
  return rest;
}

}  // namespace

StepModel::StepModel(const World& world) : StepModel(world, network_of(world)) {}
StepModel::StepModel(const World& world, Network network)
    : parts_(std::make_unique<Parts>(world, std::move(network))) {}
StepModel::~StepModel() = default;
StepModel::StepModel(StepModel&&) noexcept = default;

bool StepModel::is_computable() const {
  constexpr double kMostSeconds = 1e100;  // a degraded step takes longer by far, and is still finite
  const auto fine = [](double seconds) { return seconds <= kMostSeconds; };  // NaN is not
  const auto pass = [&](const PassTimes& of) {
    return fine(of.compute) && fine(of.tensor.wire) && fine(of.context.wire) && fine(of.expert.wire) &&
           fine(of.latency);
  };
  return fine(parts_->data.wire) && fine(parts_->optimizer) && fine(parts_->closed_form) &&
         std::ranges::all_of(parts_->chunks, [&](const ChunkWork& chunk) {
           return pass(chunk.forward) && pass(chunk.backward) && pass(chunk.recomputed) &&
                  fine(chunk.transfer);
         });
}

Duration StepModel::healthy() const { return step_of(parts_->healthy_step()); }

Duration StepModel::healthy_at_least() const {
  return step_of(parts_->measured > 0 ? parts_->measured : parts_->factor * parts_->healthy_at_least());
}

Duration StepModel::formula() const {
  return from_seconds(parts_->measured > 0 ? parts_->measured : parts_->factor * parts_->closed_form);
}

Bandwidths StepModel::bandwidths(const NetworkState& state) const {
  for (const DegradedNic& nic : state.nics) expect(nic.factor >= 1, "degraded is no faster than healthy");
  return state.healthy() ? parts_->bandwidths : parts_->network(state);
}

Duration StepModel::time(const ClusterState& state) const {
  if (state.healthy()) return healthy();
  return step_of(run_schedule(*parts_, state, bandwidths(state.network)).total * parts_->scale());
}

StepTimes StepModel::evaluate(const ClusterState& state) const {
  if (state.healthy()) return parts_->healthy_times();
  return charge(*parts_, run_schedule(*parts_, state, bandwidths(state.network)), state.jitter);
}

std::optional<Critical> StepModel::critical(const ClusterState& state) const {
  if (state.healthy()) return std::nullopt;
  const Parts& parts = *parts_;
  const Scheduled outcome = run_schedule(parts, state, bandwidths(state.network));
  Critical out;
  out.stage = outcome.stage;
  out.replica = outcome.replica.replica;
  const Duration present = time(state);
  for (const Suspect& suspect : suspects(parts, state, outcome)) {
    const Duration saves = present - time(without(state, suspect.slot));
    if (out.slot && saves <= out.saves) continue;
    out = {.slot = suspect.slot, .saves = saves, .stage = suspect.at.pp, .replica = suspect.at.dp};
  }
  return out;
}

}  // namespace gauntlet
