// The job at one number of data-parallel replicas: what its steps and its checkpoints take.
#pragma once

#include "models/step/step.hpp"
#include "models/storage/storage.hpp"
#include "models/world/world.hpp"
#include "sim/job/gang.hpp"
#include "sim/job/stage_timings.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace gauntlet {

class JobSize {
 public:
  /// The job of the world, which must outlive it.
  explicit JobSize(const World& world);
  /// The same job with so many replicas. `whole`: a healthy step with all of them.
  JobSize(const World& world, std::uint32_t replicas, Duration whole);
  JobSize(const JobSize&) = delete;
  JobSize& operator=(const JobSize&) = delete;

  const Layout& layout() const { return world_->job.layout; }
  std::uint32_t hosts() const { return world_->inventory.job_hosts; }
  const CheckpointCosts& costs() const { return costs_; }
  /// What the hosts of each stage compute in a healthy step.
  const StageTimings& stage_timings();
  Duration healthy_step() const { return healthy_step_; }
  /// A step has the sequences of one of the whole job, whatever the size.
  Pace pace(const ClusterState& present) const;

 private:
  Duration for_whole_step(Duration step) const;

  std::optional<World> own_;
  const World* world_;
  StepModel model_;
  CheckpointCosts costs_;
  double share_ = 1;  // of the replicas of the whole job
  Duration healthy_step_;
  Duration whole_step_;                        // a healthy step of the whole job
  std::optional<StageTimings> stage_timings_;  // made when first asked for
  mutable std::map<ClusterState, Duration>
      step_times_;                   // by canonical state, kept over replicas, up to a bound
  mutable ClusterState last_state_;  // the last that was not healthy, and
  mutable Duration last_step_{};     // its step
};

/// The sizes that the job has had, and the one of its last start. The step model of a size is made once, when the job first
/// has it, and kept over the replicas of a study.
class JobSizes {
 public:
  explicit JobSizes(const World& world) : world_(&world), whole_(world), present_(&whole_) {}
  JobSizes(const JobSizes&) = delete;
  JobSizes& operator=(const JobSizes&) = delete;

  void reset() { present_ = &whole_; }
  const JobSize& whole() const { return whole_; }
  JobSize& present() { return *present_; }
  const JobSize& present() const { return *present_; }
  /// The job has so many replicas from now on. False where it had them before.
  bool become(std::uint32_t replicas);

 private:
  const World* world_;
  JobSize whole_;                             // with every replica
  std::map<std::uint32_t, JobSize> smaller_;  // by replicas
  JobSize* present_;
};

}  // namespace gauntlet
