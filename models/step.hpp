// How long one training step takes, and where its time goes, on a healthy or a degraded cluster.
//
//   T = (m + (p-1)/v) * tau + c
//
// m micro-batches per data-parallel replica, p pipeline stages with v virtual stages each, tau the slowest
// stage's forward and backward of one micro-batch, c what is exposed once a step: gradients, weights,
// optimizer. The formula is that of the interleaved 1F1B schedule (Narayanan et al., SC'21, section 2.2,
// https://arxiv.org/abs/2104.04473).
//
// Compute is counted in model FLOPs without recomputation (Korthikanti et al., eq. 7,
// https://arxiv.org/abs/2205.05198, extended to grouped-query attention and gated MLPs): the whole attention
// matrix counts, as published MFU figures have it. Operators that are bound by memory are part of the stack's
// `gemm_efficiency`.
#pragma once

#include "core/quantity.hpp"
#include "core/time.hpp"
#include "models/world.hpp"

#include <compare>

namespace gauntlet {

/// What of the cluster is slower than it should. A gang waits for its slowest member: the worst one counts.
struct Degradation {
  double compute_factor = 1;  // the slowest host's compute takes so many times as long
  double network_factor = 1;  // the worst NIC's bandwidth is divided by this
  friend auto operator<=>(const Degradation&, const Degradation&) = default;
};

/// One step. `total` is the sum of the six parts.
struct StepTimes {
  Duration total{};
  Duration compute{};   // of all micro-batches on the slowest stage
  Duration bubble{};    // compute of the pipeline's fill and drain
  Duration tensor{};    // exposed tensor-parallel collectives, of fill and drain too
  Duration pipeline{};  // exposed point-to-point transfers between stages, of fill and drain too
  Duration data{};      // exposed reduce-scatter and all-gather of the data-parallel groups
  Duration optimizer{};
  double mfu = 0;     // model_flops / (total x GPUs x peak)
  Flops model_flops;  // of one step, all GPUs together
};

/// Forward and backward of `model` on one token, without recomputation.
Flops model_flops_per_token(const Transformer& model);

/// The step time of one job. A job with a given `step_time` takes just that when healthy, all of it compute.
class StepModel {
 public:
  explicit StepModel(const World& world);

  /// Factors are at least 1.
  StepTimes evaluate(const Degradation& degraded) const;
  Duration healthy() const { return healthy_; }

 private:
  // Seconds on the healthy cluster. A collective that stays inside a host does not depend on NICs.
  struct Collective {
    double seconds = 0;
    bool over_nics = false;
    double slowed(double network_factor) const { return over_nics ? seconds * network_factor : seconds; }
  };
  void derive(const World& world);

  double micro_batches_ = 1;
  double fill_and_drain_ = 0;  // (p-1)/v, in micro-batches
  double compute_ = 0;         // per micro-batch, on the slowest stage
  Collective tensor_;          // per micro-batch
  Collective pipeline_;        // per micro-batch
  Collective data_;            // per step
  double optimizer_ = 0;       // per step
  Flops model_flops_;
  FlopRate peak_;  // of all GPUs of the job
  Duration healthy_{};
};

}  // namespace gauntlet
