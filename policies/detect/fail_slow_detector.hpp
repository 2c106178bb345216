// `fail-slow`: a host that takes longer for its forward or backward compute than the hosts of the same pipeline stage. In a
// gang all have the same step time; segment timings tell them apart.
//
// It asks up to 64 hosts of each stage for their timings, learns from their median and scatter the band beyond which a host
// is slow (peers.hpp), and then watches every host of the stage for leaving it. A band belongs to the stage and is kept when
// hosts are replaced. A host that stays outside for `continuity`, as Minder asks for (4 min, https://arxiv.org/abs/2411.01791),
// is degraded. Where more than a quarter of a stage is outside, not a host has changed but the stage, and it is learned again.
//
// Latency: continuity and a step. Blind to hosts that are slow in other ways (NICs, optimizer step), by less than the band,
// or for less than the continuity; to stages of fewer than five hosts, which have nobody to be compared with; and to a
// quarter of a stage that slows down at once.
#pragma once

#include "policies/detect/lasting.hpp"
#include "policies/detect/suspicion.hpp"

#include <array>
#include <vector>

namespace gauntlet {

class FailSlowDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time now, Orders& out);
  void job_ended(Orders& out);
  void job_resized(const Inventory& inventory, Orders& out);
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);
  void on(const Outcome& outcome, Time now, Orders& out, Suspicions& found);

 private:
  /// One kind of timing in one stage. Its ids follow each other: the samples of stage s and segment i, then its band.
  struct Group {
    std::uint32_t hosts = 0;
    double beyond = 0;  // zero: not learned yet
    std::vector<double> learning;
    Lasting outside;
  };
  static constexpr std::array<Signal, 2> kSegments = {Signal::forward_time, Signal::backward_time};

  WatchId samples_of(std::size_t group) const {
    return {first_.value + 2 * static_cast<std::uint32_t>(group)};
  }
  WatchId band_of(std::size_t group) const { return {samples_of(group).value + 1}; }
  Scope hosts_of(std::size_t group, std::uint16_t most) const;
  std::size_t expected(const Group& group) const;
  void order_samples(std::size_t group, Orders& out);
  void order_band(std::size_t group, Orders& out) const;

  JobId job_;
  const FailSlowConstants* constants_ = nullptr;
  WatchId first_;
  std::vector<Group> groups_;  // forward and backward of stage 0, of stage 1, ...
};

}  // namespace gauntlet
