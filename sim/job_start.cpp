#include "sim/job_start.hpp"

#include "core/math/elementary.hpp"
#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

/// The phases of a start, one after the other. Every one is drawn, whichever are needed.
void JobStart::begin(const Start& action, const Loadable& loads, double gpus, StopCause& stop, Time now) {
  const StartChain& chain = world_->job.start;
  const double scale = chain.at_gpus > 0 ? gpus / chain.at_gpus : 1;
  static constexpr StreamName kStartPhases = stream_name("start");
  Stream draws = stream_now(seed_, kStartPhases, stop.by, stop.draws.starts++);
  const auto draw = [&](const Law& law, double growth) {
    return from_seconds(law.sample(draws) * (growth == 0 ? 1 : math_pow(scale, growth)));
  };
  const Duration scheduling = draw(chain.scheduling, chain.growth.scheduling);
  const Duration provisioning = draw(chain.provisioning, 0);
  Duration before = action.schedule ? scheduling : Duration::zero();
  if (!std::exchange(has_hosts_, true)) before = sum(before, provisioning);
  before = sum(before, draw(chain.process_start, chain.growth.process_start));
  before = sum(before, draw(chain.communicator_init, chain.growth.communicator_init));
  const Duration data_loader = draw(chain.data_loader, chain.growth.data_loader);
  const Duration after_load = sum(data_loader, draw(chain.warm_up, chain.growth.warm_up));

  loads_ = loads;
  load_begins_ = after(now, before);
  load_ends_ = after(load_begins_, loads_.takes);
  due_ = after(load_ends_, after_load);
  held_until_ = {};
}

bool JobStart::wait_for_storage(Time now, Time until) {
  if (loads_.from != Tier::storage) return false;
  const Time from = std::max({now, load_begins_, held_until_});
  if (from >= std::max(load_ends_, held_until_) || until <= from) return false;
  held_until_ = until;
  load_ends_ = after(load_ends_, until - from);
  due_ = after(due_, until - from);
  return true;
}

}  // namespace gauntlet
