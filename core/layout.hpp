// The 3D-parallel placement of a job: which rank holds which part of the model, and in which host it sits.
//
// Ranks are ordered as Megatron-LM orders them: tensor parallel fastest, then context, then data, then pipeline
// (https://github.com/NVIDIA/Megatron-LM, core/parallel_state.py, order "tp-cp-ep-dp-pp"). Expert-parallel groups are cut
// from the data-parallel ranks: ep divides dp. Ranks fill hosts in order.
#pragma once

#include "core/contract.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace gauntlet {

enum class Dimension : std::uint8_t { tensor, context, expert, data, pipeline };
inline constexpr std::size_t kDimensions = 5;

struct Coordinates {
  std::uint32_t tp = 0, cp = 0, dp = 0, pp = 0;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

struct Layout {
  std::uint32_t tp = 1;              // tensor-parallel ranks
  std::uint32_t pp = 1;              // pipeline stages
  std::uint32_t dp = 1;              // data-parallel replicas
  std::uint32_t virtual_stages = 1;  // model chunks per pipeline rank (interleaved schedule)
  std::uint32_t cp = 1;              // context-parallel ranks, which share a sequence
  std::uint32_t ep = 1;              // expert-parallel ranks; divides dp

  constexpr std::uint32_t ranks() const { return tp * cp * pp * dp; }

  constexpr Coordinates coordinates(std::uint32_t rank) const {
    expect(rank < ranks(), "the rank is in the layout");
    return {.tp = rank % tp, .cp = rank / tp % cp, .dp = rank / (tp * cp) % dp, .pp = rank / (tp * cp * dp)};
  }
  constexpr std::uint32_t rank(const Coordinates& at) const {
    expect(at.tp < tp && at.cp < cp && at.dp < dp && at.pp < pp, "the coordinates are in the layout");
    return at.tp + tp * (at.cp + cp * (at.dp + dp * at.pp));
  }
  /// How many ranks talk to each other along a dimension.
  constexpr std::uint32_t size(Dimension dimension) const {
    switch (dimension) {
      case Dimension::tensor:
        return tp;
      case Dimension::context:
        return cp;
      case Dimension::expert:
        return ep;
      case Dimension::data:
        return dp * cp;  // gradients are summed over the context-parallel ranks too
      case Dimension::pipeline:
        return pp;
    }
    return 1;
  }
  /// How many such groups there are.
  constexpr std::uint32_t groups(Dimension dimension) const { return ranks() / size(dimension); }
  /// The number of a rank's group along a dimension. Groups are counted in the order of their first ranks.
  std::uint32_t group_of(std::uint32_t rank, Dimension dimension) const;
  /// The ranks of a group in ascending order.
  std::vector<std::uint32_t> ranks_of_group(Dimension dimension, std::uint32_t group) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// By how many data-parallel replicas a job grows and shrinks: the fewest that fill whole hosts at every pipeline stage and hold
/// whole expert-parallel groups. 0: those of the layout do not.
constexpr std::uint32_t replicas_in_whole_hosts(const Layout& layout, std::uint32_t gpus_per_host) {
  const std::uint32_t ranks = layout.tp * layout.cp;  // of a replica in a stage
  const std::uint32_t unit = std::lcm(gpus_per_host / std::gcd(gpus_per_host, ranks), layout.ep);
  return unit > 0 && layout.dp % unit == 0 ? unit : 0;
}

/// The place of a rank in the job's hosts: slot s is the s-th host of the job, whichever machine fills it.
struct Seat {
  std::uint32_t slot = 0, gpu = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

constexpr Seat seat_of_rank(std::uint32_t rank, std::uint32_t gpus_per_host) {
  return {.slot = rank / gpus_per_host, .gpu = rank % gpus_per_host};
}
constexpr std::uint32_t rank_of_seat(Seat seat, std::uint32_t gpus_per_host) {
  return seat.slot * gpus_per_host + seat.gpu;
}

}  // namespace gauntlet
