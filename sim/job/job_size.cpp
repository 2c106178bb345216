#include "sim/job/job_size.hpp"

#include "models/step/job_size.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

JobSize::JobSize(const World& world)
    : world_(&world),
      model_(world),
      costs_(checkpoint_costs(world)),
      healthy_step_(model_.healthy()),
      whole_step_(healthy_step_) {}

JobSize::JobSize(const World& world, std::uint32_t replicas, Duration whole)
    : own_(with_replicas(world, replicas)),
      world_(&*own_),
      model_(*own_),
      costs_(checkpoint_costs(*own_)),
      share_(1.0 * replicas / world.job.layout.dp),
      healthy_step_(for_whole_step(model_.healthy())),
      whole_step_(whole) {}

/// Of a step that is given as a whole, the backward pass takes twice as long as the forward pass, having two matrix products for
/// each of its own (Narayanan et al., SC'21, sec. 3.2, https://arxiv.org/abs/2104.04473).
const StageTimings& JobSize::stage_timings() {
  if (stage_timings_) return *stage_timings_;
  const JobModel& job = world_->job;
  StageTimings& timings = stage_timings_.emplace();
  if (job.step_time > Duration::zero()) {
    timings.forward.assign(job.layout.pp, to_seconds(job.step_time) / 3);
    timings.backward.assign(job.layout.pp, to_seconds(job.step_time) * 2 / 3);
    return timings;
  }
  const StepPicture picture = model_.picture({}, 0);
  const double passes = picture.shape.micro_batches * job.step_time_factor;
  timings.forward.assign(job.layout.pp, 0);
  timings.backward.assign(job.layout.pp, 0);
  for (std::size_t chunk = 0; chunk < picture.forward.size(); ++chunk) {
    timings.forward[chunk % job.layout.pp] += passes * picture.forward[chunk].compute;
    timings.backward[chunk % job.layout.pp] +=
        passes * (picture.backward[chunk].compute + picture.backward[chunk].recompute);
  }
  return timings;
}

/// As long as the sequences of a step of the whole job take: one of a smaller job has fewer.
Duration JobSize::for_whole_step(Duration step) const {
  return share_ == 1 ? step : from_seconds(to_seconds(step) / share_);
}

Pace JobSize::pace(const ClusterState& present) const {
  Pace pace{.step = healthy_step_, .healthy_step = std::min(whole_step_, healthy_step_), .for_fewer = {}};
  pace.for_fewer = healthy_step_ - pace.healthy_step;
  if (present.healthy()) return pace;
  if (present == last_state_) {  // as after most stops
    pace.step = last_step_;
    return pace;
  }
  ClusterState alike = canonical(present, layout(), world_->hardware.gpus_per_host);
  constexpr std::size_t kMostKept =
      20'000;  // some 5 MB; where several parts are slow at once, new states come for ever
  if (step_times_.size() >= kMostKept) step_times_.clear();
  const auto [known, fresh] = step_times_.try_emplace(std::move(alike));
  if (fresh) known->second = for_whole_step(model_.time(known->first));
  last_state_ = present;
  pace.step = last_step_ = known->second;
  return pace;
}

bool JobSizes::become(std::uint32_t replicas) {
  JobSize* sized = &whole_;
  if (replicas != whole_.layout().dp)
    sized = &smaller_.try_emplace(replicas, *world_, replicas, whole_.healthy_step()).first->second;
  return std::exchange(present_, sized) != sized;
}

}  // namespace gauntlet
