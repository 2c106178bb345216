// `change-point`: an alternative to `fail-slow` in two parts, as GREYHOUND has them
// (https://www.usenix.org/conference/atc25/presentation/wu-tianyuan): the job's own step time is compared with what it was;
// only when it has changed, and stays so, are hosts asked for their timings, all of them once, and those that are slow for
// their pipeline stage (peers.hpp) are degraded. Where nobody is, a person is told: the change is not in the compute.
//
// Latency: continuity and a few steps. It costs nothing while the step time stays. Blind to hosts that were slow when the
// best step times were learned, to what does not change the step time by 10%, and to stages of fewer than five hosts.
#pragma once

#include "policies/detect/lasting.hpp"
#include "policies/detect/suspicion.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {

class ChangePointDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time now, Orders& out);
  void job_ended(Orders& out);
  void job_resized(const Inventory& inventory, Orders& out);
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);
  void on(const Outcome& outcome, Time now, Orders& out, Suspicions& found);

 private:
  static constexpr std::array<Signal, 2> kSegments = {Signal::forward_time, Signal::backward_time};
  using Timings = std::vector<std::pair<HostId, double>>;

  void learn(double step, Orders& out);
  void ask_everybody(Time now, Orders& out);
  void judge(Time now, Orders& out, Suspicions& found);
  std::vector<HostId> slow_ones(Timings timings) const;

  JobId job_;
  const FailSlowConstants* constants_ = nullptr;
  Inventory inventory_;
  WatchId steps_, change_, first_;
  std::vector<double> learning_;  // steps of this start, seconds
  double usual_ = 0;              // the best median of any start; zero: not known yet
  Lasting changed_;
  std::vector<Timings> asked_;  // by stage and segment; empty: nobody is asked
  std::size_t awaited_ = 0;     // timings that have not come
  std::optional<OrderId> deadline_;
};

}  // namespace gauntlet
