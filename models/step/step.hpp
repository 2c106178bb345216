// How long one training step takes, and where its time goes, on a healthy or a degraded cluster.
//
//   T = (m + (p-1)/v) * tau + c
//
// m micro-batches per data-parallel replica, p pipeline stages with v virtual stages each, tau the slowest stage's forward
// and backward of one micro-batch, c what is exposed once a step: gradients, weights, optimizer (Narayanan et al., SC'21,
// sec. 2.2, https://arxiv.org/abs/2104.04473). That is exact where all chunks of the model take as long. Where they do not,
// as with an output matrix in the last one, or where something is degraded, the explicit schedule takes its place
// (schedule.hpp): data-parallel replicas that nothing perturbs are alike, so one of them stands for all.
#pragma once

#include "core/quantity.hpp"
#include "core/time.hpp"
#include "models/network/bandwidths.hpp"
#include "models/step/schedule.hpp"
#include "models/step/segments.hpp"
#include "models/workload.hpp"
#include "models/world/world.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace gauntlet {

/// One step. `total` is the sum of the other durations, none of which is negative.
///
/// They are charged along the step's critical path, the passes that its end waits for, one after the other. It goes through
/// other stages while the pipeline fills and drains: collectives on it are charged to themselves, and its compute beyond that
/// of one stage, its stalls and its jitter are the bubble.
struct StepTimes {
  Duration total{};
  Duration compute{};  // of all micro-batches on the slowest stage, without what is recomputed
  Duration recompute{};
  Duration bubble{};
  Duration tensor{};    // exposed collectives inside stages, their bandwidth terms: tensor parallel, ...
  Duration context{};   // ... context parallel, ...
  Duration expert{};    // ... expert parallel
  Duration latency{};   // their latency terms
  Duration pipeline{};  // exposed point-to-point transfers between stages
  Duration data{};      // exposed reduce-scatter and all-gather of the data-parallel groups
  Duration optimizer{};
  double mfu = 0;     // model_flops / (total x GPUs x peak); 0 where no peak is given
  Flops model_flops;  // of one step, all GPUs together
};

/// What a degraded step waits for.
struct Critical {
  std::optional<std::uint32_t>
      slot;                   // the host whose repair would save most, among equals one that is late; or none
  Duration saves{};           // that repair, each step
  std::uint32_t stage = 0;    // the pipeline stage that is last, or that of the host
  std::uint32_t replica = 0;  // the data-parallel replica
};

/// What a pass of one chunk is made of, in seconds and in this order.
struct PassParts {
  double compute = 0, recompute = 0;
  double tensor = 0, context = 0, expert = 0, latency = 0;  // exposed collectives, as in StepTimes
  double transfer = 0;                                      // to the next stage
  double collectives() const { return tensor + context + expert + latency; }
  double total() const { return compute + recompute + collectives() + transfer; }
  PassParts& operator+=(const PassParts& more) {
    compute += more.compute;
    recompute += more.recompute;
    tensor += more.tensor;
    context += more.context;
    expert += more.expert;
    latency += more.latency;
    transfer += more.transfer;
    return *this;
  }
};

/// What a picture of a step is made of: the schedule of one data-parallel replica, and what each rank waits.
struct StepPicture {
  std::uint32_t replica = 0;
  PipelineShape shape;
  std::vector<ScheduledPass> work;  // seconds from the start of the step, in the order of their begin
  std::vector<PassParts> forward, backward;  // by chunk: without jitter
  std::vector<double> waiting;  // by rank, of the whole job: seconds in which it waits for others
  double pipeline_end = 0, data_end = 0, optimizer_end = 0;  // of the whole job
};

/// The step time of one job. A job with a given `step_time` takes just that when healthy, and a degraded one in the
/// proportion that the model gives. Without one, every time is the model's by `step_time_factor`; a picture is in the times of
/// the model alone. Not copied; safe to use from several threads at once.
class StepModel {
 public:
  explicit StepModel(const World& world);  // on network_of(world)
  StepModel(const World& world, Network network);
  ~StepModel();
  StepModel(StepModel&&) noexcept;

  /// Whether every time is one that can be computed with. On hardware whose rates are next to nothing some are infinite, and
  /// their differences are not numbers.
  bool is_computable() const;
  StepTimes evaluate(const ClusterState& state = {}) const;
  /// `total` of that alone, for less.
  Duration time(const ClusterState& state) const;
  Duration healthy() const;
  /// A lower bound of healthy(), exact where all chunks take the same time. It needs no schedule.
  Duration healthy_at_least() const;
  /// (m + (p-1)/v) tau + c, whatever the stages: microseconds.
  Duration formula() const;
  /// Nothing where the state is healthy. Costs an evaluation for each degraded host that may be what the step waits for.
  std::optional<Critical> critical(const ClusterState& state) const;
  StepPicture picture(const ClusterState& state, std::uint32_t replica) const;
  /// Of each dimension, as the network gives them.
  Bandwidths bandwidths(const NetworkState& state = {}) const;

  struct Parts;  // models/step/step_private.hpp

 private:
  std::unique_ptr<const Parts> parts_;
};

}  // namespace gauntlet
