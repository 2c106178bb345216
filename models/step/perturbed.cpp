// Which replicas a state of the cluster perturbs, and by how much each of their stages.
#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "models/step/step_private.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

class Replicas {
 public:
  explicit Replicas(const StepModel::Parts& parts) : parts_(&parts) {}

  Perturbed& at(std::uint32_t replica) {
    const auto [found, fresh] = by_number_.try_emplace(replica);
    if (fresh) found->second = unperturbed(*parts_, replica);
    return found->second;
  }
  StageFactors& stage(const Coordinates& at_rank) { return at(at_rank.dp).stages[at_rank.pp]; }
  std::vector<Perturbed> take() {
    std::vector<Perturbed> out;
    for (auto& [number, replica] : by_number_) out.push_back(std::move(replica));
    return out;
  }

 private:
  const StepModel::Parts* parts_;
  std::map<std::uint32_t, Perturbed> by_number_;
};

template <class Visit>
void for_each_rank(const StepModel::Parts& parts, std::uint32_t slot, std::uint32_t gpu, Visit visit) {
  const std::uint32_t per_host = parts.hardware.gpus_per_host;
  for (std::uint32_t g = 0; g < per_host; ++g)
    if ((gpu == kWholeHost || gpu == g) && slot * per_host + g < parts.layout.ranks())
      visit(parts.layout.coordinates(slot * per_host + g));
}

/// A tensor-parallel group waits for its slowest member.
void add_slow(Replicas& replicas, const StepModel::Parts& parts, const SlowSeat& seat) {
  expect(std::min({seat.slow.forward, seat.slow.backward, seat.slow.optimizer}) >= 1,
         "degraded is no faster than healthy");
  for_each_rank(parts, seat.slot, seat.gpu, [&](const Coordinates& at) {
    SlowSegments& slow = replicas.stage(at).slow;
    slow = slowest(slow, seat.slow);
  });
}

/// Ranks of one stage that stand still together are one stall.
void add_stall(std::vector<StageStall>& stalls, const StageStall& stall) {
  const auto same = std::find_if(stalls.begin(), stalls.end(), [&](const StageStall& s) {
    return s.stage == stall.stage && s.micro_batch == stall.micro_batch;
  });
  if (same == stalls.end())
    stalls.push_back(stall);
  else
    same->seconds = std::max(same->seconds, stall.seconds);
}

void add_collectives(Replicas& replicas, const StepModel::Parts& parts, Dimension dimension,
                     double StageFactors::*part, const Bandwidths& bandwidths) {
  for (const DimensionBandwidth::SlowGroup& group : bandwidths[static_cast<std::size_t>(dimension)].slow) {
    const double longer = parts.times_longer(dimension, group.bandwidth);
    for (const std::uint32_t rank : parts.layout.ranks_of_group(dimension, group.group)) {
      double& factor = replicas.stage(parts.layout.coordinates(rank)).*part;
      factor = std::max(factor, longer);
    }
  }
}

/// Transfers of a pipeline: those that a degraded NIC sends and those that it receives. Under a degraded switch it is not
/// known which pair suffers, so that every transfer of the pipeline does.
void add_transfers(Replicas& replicas, const StepModel::Parts& parts, const NetworkState& network,
                   const DimensionBandwidth& wires) {
  const std::uint32_t per_host = parts.hardware.gpus_per_host, stages = parts.layout.pp;
  if (wires.slow.empty()) return;
  const auto suffers = [&](std::uint32_t rank, double longer) {
    const Coordinates at = parts.layout.coordinates(rank);
    std::vector<StageFactors>& all = replicas.at(at.dp).stages;
    const std::uint32_t before = (at.pp + stages - 1) % stages, after = (at.pp + 1) % stages;
    for (double* factor : {&all[at.pp].send_forward, &all[at.pp].send_backward, &all[before].send_forward,
                           &all[after].send_backward})
      *factor = std::max(*factor, longer);
  };
  if (!network.switches.empty()) {
    for (const DimensionBandwidth::SlowGroup& group : wires.slow)
      for (const std::uint32_t rank : parts.layout.ranks_of_group(Dimension::pipeline, group.group))
        suffers(rank, parts.times_longer(Dimension::pipeline, group.bandwidth));
    return;
  }
  std::optional<std::uint32_t> last;  // a host has one entry for each degraded NIC
  for (const DegradedNic& nic : network.nics) {
    if (std::exchange(last, nic.slot) == nic.slot) continue;
    for (std::uint32_t rank = nic.slot * per_host; rank < (nic.slot + 1) * per_host; ++rank) {
      if (rank >= parts.layout.ranks()) break;
      const std::uint32_t group = parts.layout.group_of(rank, Dimension::pipeline);
      const auto slow = std::lower_bound(wires.slow.begin(), wires.slow.end(), group,
                                         [](const auto& each, std::uint32_t g) { return each.group < g; });
      if (slow == wires.slow.end() || slow->group != group) continue;
      suffers(rank, parts.times_longer(Dimension::pipeline, slow->bandwidth));
    }
  }
}

/// Replicas whose experts are shared meet in every layer that has them: each is as late as the latest.
std::vector<Perturbed> meeting(std::vector<Perturbed> replicas, std::uint32_t ep) {
  if (ep == 1) return replicas;
  std::vector<Perturbed> out;
  for (Perturbed& replica : replicas) {
    if (out.empty() || out.back().replica / ep != replica.replica / ep) {
      out.push_back(std::move(replica));
      continue;
    }
    Perturbed& group = out.back();
    for (std::size_t s = 0; s < group.stages.size(); ++s) {
      StageFactors& worst = group.stages[s];
      const StageFactors& other = replica.stages[s];
      worst.slow = slowest(worst.slow, other.slow);
      worst.tensor = std::max(worst.tensor, other.tensor);
      worst.context = std::max(worst.context, other.context);
      worst.expert = std::max(worst.expert, other.expert);
      worst.send_forward = std::max(worst.send_forward, other.send_forward);
      worst.send_backward = std::max(worst.send_backward, other.send_backward);
    }
    for (const StageStall& stall : replica.stalls) add_stall(group.stalls, stall);
  }
  return out;
}

}  // namespace

Perturbed unperturbed(const StepModel::Parts& parts, std::uint32_t replica) {
  return {.replica = replica, .stages = std::vector<StageFactors>(parts.layout.pp), .stalls = {}};
}

std::vector<Perturbed> perturbed_replicas(const StepModel::Parts& parts, const ClusterState& state,
                                          const Bandwidths& bandwidths) {
  Replicas replicas(parts);
  const double scale =
      state.stalled.empty() ? 1 : parts.scale();  // a stall lasts its seconds, whatever was measured
  if (state.jitter > 0)
    for (std::uint32_t d = 0; d < parts.layout.dp; ++d) replicas.at(d);
  for (const SlowSeat& seat : state.slow) add_slow(replicas, parts, seat);
  for (const StalledSeat& seat : state.stalled)
    for_each_rank(parts, seat.slot, seat.gpu, [&](const Coordinates& at) {
      add_stall(replicas.at(at.dp).stalls, {at.pp, seat.micro_batch, seat.seconds / scale});
    });
  add_collectives(replicas, parts, Dimension::tensor, &StageFactors::tensor, bandwidths);
  add_collectives(replicas, parts, Dimension::context, &StageFactors::context, bandwidths);
  add_collectives(replicas, parts, Dimension::expert, &StageFactors::expert, bandwidths);
  add_transfers(replicas, parts, state.network, bandwidths[static_cast<std::size_t>(Dimension::pipeline)]);
  return meeting(replicas.take(), parts.layout.ep);
}

PassParts pass_parts(const StepModel::Parts& parts, const Perturbed& replica, std::uint32_t chunk,
                     bool backward) {
  const ChunkWork& work = parts.chunks[chunk];
  const StageFactors& longer = replica.stages[chunk % parts.shape.stages];
  PassParts out;
  const auto add = [&](const PassTimes& pass) {
    out.tensor += pass.tensor.when(longer.tensor);
    out.context += pass.context.when(longer.context);
    out.expert += pass.expert.when(longer.expert);
    out.latency += pass.latency;
  };
  if (backward) {
    out.compute = work.backward.compute * longer.slow.backward;
    out.recompute = work.recomputed.compute * longer.slow.backward;
    out.transfer = work.transfer * longer.send_backward;
    add(work.backward);
    add(work.recomputed);
  } else {
    out.compute = work.forward.compute * longer.slow.forward;
    out.transfer = work.transfer * longer.send_forward;
    add(work.forward);
  }
  return out;
}

ChunkTimes chunk_times(const StepModel::Parts& parts, const Perturbed& replica, double jitter) {
  const std::uint32_t chunks = static_cast<std::uint32_t>(parts.chunks.size());
  const std::uint32_t each = jitter > 0 ? parts.shape.micro_batches : 1;
  // A stage waits for the slowest of its ranks: the largest |z| of n is the half-normal quantile at u^(1/n).
  const double share = 1.0 / (parts.layout.tp * parts.layout.cp);
  Stream noise({}, stream_name("step.jitter"), replica.replica);
  const auto noisy = [&](double seconds) {
    if (jitter == 0) return seconds;
    return seconds * (1 + jitter * normal_quantile((1 + math_pow(noise.uniform(), share)) / 2));
  };
  ChunkTimes out;
  out.forward.reserve(chunks * each);
  out.backward.reserve(chunks * each);
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const PassParts forward = pass_parts(parts, replica, chunk, false);
    const PassParts backward = pass_parts(parts, replica, chunk, true);
    for (std::uint32_t i = 0; i < each; ++i) {
      out.forward.push_back(noisy(forward.compute) + forward.collectives() + forward.transfer);
      out.backward.push_back(noisy(backward.compute + backward.recompute) + backward.collectives() +
                             backward.transfer);
    }
  }
  return out;
}

}  // namespace gauntlet
