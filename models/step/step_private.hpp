// The pieces that a step time is put together from, in seconds on the healthy cluster.
#pragma once

#include "models/network/bandwidths.hpp"
#include "models/step/schedule.hpp"
#include "models/step/segments.hpp"
#include "models/step/stage.hpp"
#include "models/step/step.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace gauntlet {

/// What one chunk of the model takes for one micro-batch. Stage s has the chunks s, s + stages, ...
struct ChunkWork {
  PassTimes forward, backward, recomputed;
  double transfer = 0;  // exposed, as much forward as backward
  double total() const { return forward.total() + backward.total() + recomputed.total() + 2 * transfer; }
};

/// How much longer than on the healthy cluster a stage of one replica takes for each part of its work.
struct StageFactors {
  SlowSegments slow;
  double tensor = 1, context = 1, expert = 1;
  double send_forward = 1, send_backward = 1;
  friend auto operator<=>(const StageFactors&, const StageFactors&) = default;
};

/// A data-parallel replica that differs from the others.
struct Perturbed {
  std::uint32_t replica = 0;
  std::vector<StageFactors> stages;
  std::vector<StageStall> stalls;
  /// Whether it takes as long, but for jitter.
  bool like(const Perturbed& other) const { return stages == other.stages && stalls == other.stalls; }
};

struct StepModel::Parts {
  Parts(const World& world, Network of_fabric);

  Network network;
  Layout layout;
  Hardware hardware;
  PipelineShape shape;
  Bandwidths bandwidths;          // of the healthy cluster
  std::vector<ChunkWork> chunks;  // along the model, the output matrix in the last one
  WireTime data;
  double optimizer = 0;
  Flops model_flops;
  FlopRate peak;       // of all GPUs of the job
  double repeats = 1;  // m + (p-1)/v
  bool equal_chunks = false;
  double closed_form = 0;  // repeats * tau + c
  double measured = 0;     // the given step time; zero: none
  double factor = 1;       // of the modelled times where none is given

  /// By stage: the end of its last backward pass in the explicit schedule of the healthy cluster.
  const std::vector<double>& healthy_finish() const;
  /// The same of one replica, without jitter. A campaign meets few kinds of them, in ever other company: they are kept.
  std::vector<double> finish(const Perturbed& replica) const;
  /// The step on the healthy cluster: the formula where every chunk takes as long, else the explicit schedule.
  double healthy_total() const;
  /// No more than that, without a schedule.
  double healthy_at_least() const;
  /// The healthy step of the scenario: measured, or modelled with its factor.
  double healthy_step() const { return measured > 0 ? measured : factor * healthy_total(); }
  /// What a step of the scenario is of a modelled one.
  double scale() const { return measured > 0 ? measured / healthy_total() : factor; }
  const StepTimes& healthy_times() const;

  /// Healthy bandwidth over that of a group in a state of the network.
  double times_longer(Dimension dimension, Bandwidth left) const {
    return bandwidths[static_cast<std::size_t>(dimension)].healthy / left;
  }

 private:
  void derive(const World& world);
  void all_compute();  // a measured step on hardware that nothing is said of

  mutable std::once_flag scheduled_, charged_;  // most models are never asked
  mutable std::vector<double> healthy_finish_;
  mutable std::mutex finishes_guard_;
  mutable std::map<std::vector<StageFactors>, std::vector<double>> finishes_;
  mutable StepTimes healthy_times_;
};

/// A replica like the others.
Perturbed unperturbed(const StepModel::Parts& parts, std::uint32_t replica);

/// Every replica that a state perturbs, by number; all of them where there is jitter.
std::vector<Perturbed> perturbed_replicas(const StepModel::Parts& parts, const ClusterState& state,
                                          const Bandwidths& bandwidths);

/// One pass of one chunk of a replica, without jitter.
PassParts pass_parts(const StepModel::Parts& parts, const Perturbed& replica, std::uint32_t chunk,
                     bool backward);

/// The chunk times of one replica; `jitter` as in ClusterState.
ChunkTimes chunk_times(const StepModel::Parts& parts, const Perturbed& replica, double jitter);

/// The end of a step by the explicit schedule: its last stage's pipeline, data-parallel collectives and optimizer.
struct Scheduled {
  double total = 0;
  double data = 0, optimizer = 0;
  std::uint32_t stage = 0;
  Perturbed replica;        // whose stage it is
  double pipeline_end = 0;  // of all stages and replicas
};

/// The data-parallel collectives of a stage begin when its last replica is there; the step ends with its last stage.
Scheduled run_schedule(const StepModel::Parts& parts, const ClusterState& state,
                       const Bandwidths& bandwidths);

/// Charges every part of a step.
StepTimes charge(const StepModel::Parts& parts, const Scheduled& outcome, double jitter);

}  // namespace gauntlet
