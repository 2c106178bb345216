// What of the cluster is slower than it should: the argument of every step time.
//
// A state is a small sorted list, so that the campaign remembers step times by state.
#pragma once

#include "core/layout.hpp"
#include "models/fault/fault.hpp"
#include "models/network/bandwidths.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// How many times as long the segments of a rank's work take; at least 1.
struct SlowSegments {
  double forward = 1;
  double backward = 1;  // recomputation belongs to it
  double optimizer = 1;
  friend auto operator<=>(const SlowSegments&, const SlowSegments&) = default;
};

/// The slower of two in each segment.
constexpr SlowSegments slowest(const SlowSegments& a, const SlowSegments& b) {
  return {.forward = a.forward < b.forward ? b.forward : a.forward,
          .backward = a.backward < b.backward ? b.backward : a.backward,
          .optimizer = a.optimizer < b.optimizer ? b.optimizer : a.optimizer};
}

/// `factor` in one segment of compute, or in all.
constexpr SlowSegments slow_in(Segment segment, double factor) {
  const auto in = [&](Segment which) { return segment == Segment::all || segment == which ? factor : 1; };
  return {.forward = in(Segment::forward),
          .backward = in(Segment::backward),
          .optimizer = in(Segment::optimizer)};
}

/// A slow host or GPU, by its place in the job.
struct SlowSeat {
  std::uint32_t slot = 0;  // the host's slot in the job
  std::uint32_t gpu = 0;   // within the host; kWholeHost: all of them
  SlowSegments slow;
  friend auto operator<=>(const SlowSeat&, const SlowSeat&) = default;
};
inline constexpr std::uint32_t kWholeHost = ~0u;

/// A rank that stands still for a while (garbage collection, page compaction): from the start of the step, or, with a
/// micro-batch above 0, before its forward pass of that one.
struct StalledSeat {
  std::uint32_t slot = 0, gpu = 0;
  std::uint32_t micro_batch = 0;
  double seconds = 0;
  friend auto operator<=>(const StalledSeat&, const StalledSeat&) = default;
};

struct ClusterState {
  std::vector<SlowSeat> slow;        // by slot, gpu
  std::vector<StalledSeat> stalled;  // by slot, gpu, micro-batch
  NetworkState network;
  double jitter =
      0;  // every compute segment of every rank takes 1 + jitter |z| times as long, z standard normal
  bool healthy() const { return slow.empty() && stalled.empty() && network.healthy() && jitter == 0; }
  friend auto operator<=>(const ClusterState&, const ClusterState&) = default;
};

/// A state that takes just as long, the same for all that differ only by the names of data-parallel replicas: what is
/// degraded moves to the first of them. States without jitter.
ClusterState canonical(const ClusterState& state, const Layout& layout, std::uint32_t gpus_per_host);

}  // namespace gauntlet
