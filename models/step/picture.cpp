// What a picture of a step is made of.
#include "core/contract.hpp"
#include "models/step/step_private.hpp"

#include <algorithm>
#include <map>

namespace gauntlet {
namespace {

/// Seconds that a rank works in a step, when nothing slows it.
double busy_of(const StepModel::Parts& parts, const Perturbed& replica, std::uint32_t stage) {
  double each = 0;
  for (std::uint32_t c = stage; c < parts.chunks.size(); c += parts.shape.stages)
    for (const bool backward : {false, true}) each += pass_parts(parts, replica, c, backward).total();
  return parts.shape.micro_batches * each;
}

/// By rank. A rank waits for its tensor-parallel group where another member is slower, for the pipeline, and for the other
/// replicas until the last backward pass of all.
std::vector<double> waiting_of_ranks(const StepModel::Parts& parts, const ClusterState& state,
                                     std::span<const Perturbed> perturbed, double pipeline_end) {
  const Layout& layout = parts.layout;
  std::vector<std::vector<double>> busy(layout.dp);
  for (std::uint32_t s = 0; s < layout.pp; ++s) busy[0].push_back(busy_of(parts, unperturbed(parts, 0), s));
  for (std::uint32_t d = 1; d < layout.dp; ++d) busy[d] = busy[0];
  for (Perturbed replica : perturbed) {
    for (StageFactors& stage : replica.stages) stage.slow = {};
    for (std::uint32_t s = 0; s < layout.pp; ++s)
      for (std::uint32_t d = 0; d < layout.ep; ++d)  // replicas that share experts are alike
        busy[replica.replica / layout.ep * layout.ep + d][s] = busy_of(parts, replica, s);
  }
  std::vector<double> out(layout.ranks());
  for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank) {
    const Coordinates at = layout.coordinates(rank);
    out[rank] = pipeline_end - busy[at.dp][at.pp];
  }
  // Of what slows a rank, the worst counts.
  const std::uint32_t per_host = parts.hardware.gpus_per_host;
  const auto for_each_rank = [&](std::uint32_t slot, std::uint32_t gpu, const auto& visit) {
    for (std::uint32_t g = 0; g < per_host; ++g)
      if ((gpu == kWholeHost || gpu == g) && slot * per_host + g < layout.ranks()) visit(slot * per_host + g);
  };
  std::map<std::uint32_t, SlowSegments> slow;
  std::map<std::uint32_t, double> stalled;
  for (const SlowSeat& seat : state.slow)
    for_each_rank(seat.slot, seat.gpu,
                  [&](std::uint32_t rank) { slow[rank] = slowest(slow[rank], seat.slow); });
  for (const StalledSeat& seat : state.stalled)
    for_each_rank(seat.slot, seat.gpu, [&](std::uint32_t rank) {
      stalled[rank] = std::max(stalled[rank], seat.seconds / parts.scale());
    });
  for (const auto& [rank, segments] : slow)
    for (std::size_t c = layout.coordinates(rank).pp; c < parts.chunks.size(); c += parts.shape.stages) {
      const ChunkWork& work = parts.chunks[c];
      out[rank] -= parts.shape.micro_batches *
                   (work.forward.compute * (segments.forward - 1) +
                    (work.backward.compute + work.recomputed.compute) * (segments.backward - 1));
    }
  for (const auto& [rank, seconds] : stalled) out[rank] -= seconds;
  return out;
}

}  // namespace

StepPicture StepModel::picture(const ClusterState& state, std::uint32_t replica) const {
  const Parts& parts = *parts_;
  expect(replica < parts.layout.dp, "there is such a data-parallel replica");
  const Bandwidths wires = bandwidths(state.network);
  const std::vector<Perturbed> all = perturbed_replicas(parts, state, wires);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Perturbed& p) {
    return p.replica / parts.layout.ep == replica / parts.layout.ep;
  });
  const Perturbed mine = found != all.end() ? *found : unperturbed(parts, replica);
  StepPicture out;
  out.replica = replica;
  out.shape = parts.shape;
  pipeline_finish(parts.shape, chunk_times(parts, mine, state.jitter), mine.stalls, &out.work);
  for (std::uint32_t chunk = 0; chunk < parts.chunks.size(); ++chunk) {
    out.forward.push_back(pass_parts(parts, mine, chunk, false));
    out.backward.push_back(pass_parts(parts, mine, chunk, true));
  }
  const Scheduled outcome = run_schedule(parts, state, wires);
  out.pipeline_end = outcome.pipeline_end;
  out.data_end = outcome.total - outcome.optimizer;
  out.optimizer_end = outcome.total;
  out.waiting = waiting_of_ranks(parts, state, all, outcome.pipeline_end);
  return out;
}

}  // namespace gauntlet
