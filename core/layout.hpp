// The 3D-parallel placement of a job: which rank holds which part of the model, and in which host it sits.
//
// Ranks are ordered as Megatron-LM orders them: tensor parallel fastest, then data, then pipeline
// (https://github.com/NVIDIA/Megatron-LM, core/parallel_state.py, order "tp-cp-ep-dp-pp"). Ranks fill hosts in order.
#pragma once

#include "core/contract.hpp"

#include <cstdint>

namespace gauntlet {

struct Coordinates {
  std::uint32_t tp = 0, dp = 0, pp = 0;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

struct Layout {
  std::uint32_t tp = 1;              // tensor-parallel ranks
  std::uint32_t pp = 1;              // pipeline stages
  std::uint32_t dp = 1;              // data-parallel replicas
  std::uint32_t virtual_stages = 1;  // model chunks per pipeline rank (interleaved schedule)

  constexpr std::uint32_t ranks() const { return tp * pp * dp; }

  constexpr Coordinates coordinates(std::uint32_t rank) const {
    expect(rank < ranks(), "the rank is in the layout");
    return {.tp = rank % tp, .dp = rank / tp % dp, .pp = rank / (tp * dp)};
  }
  constexpr std::uint32_t rank(const Coordinates& at) const {
    expect(at.tp < tp && at.dp < dp && at.pp < pp, "the coordinates are in the layout");
    return at.tp + tp * (at.dp + dp * at.pp);
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

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
