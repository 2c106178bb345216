#include "commands/step/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

namespace gauntlet {
namespace {

bool sits(std::uint32_t rank, std::uint32_t slot, std::uint32_t gpu, std::uint32_t per_host) {
  return rank / per_host == slot && (gpu == kWholeHost || rank % per_host == gpu);
}

/// Of a host and a GPU in it the larger factor counts.
SlowSegments slow_of(std::uint32_t rank, const ClusterState& state, std::uint32_t per_host) {
  SlowSegments out;
  for (const SlowSeat& seat : state.slow) {
    if (!sits(rank, seat.slot, seat.gpu, per_host)) continue;
    out.forward = std::max(out.forward, seat.slow.forward);
    out.backward = std::max(out.backward, seat.slow.backward);
    out.optimizer = std::max(out.optimizer, seat.slow.optimizer);
  }
  return out;
}

double stall_of(std::uint32_t rank, const ClusterState& state, std::uint32_t per_host) {
  double seconds = 0;
  for (const StalledSeat& seat : state.stalled)
    if (sits(rank, seat.slot, seat.gpu, per_host)) seconds = std::max(seconds, seat.seconds);
  return seconds;
}

/// What is degraded of the seats that `of` says yes to.
template <class Of>
std::string causes(const ClusterState& state, Of of) {
  std::string out;
  const auto add = [&](const std::string& seat, std::string_view what) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", seat, what);
  };
  for (const SlowSeat& seat : state.slow)
    if (of(seat.slot, seat.gpu)) add(seat_text(seat.slot, seat.gpu), "slow");
  for (const StalledSeat& seat : state.stalled)
    if (of(seat.slot, seat.gpu)) add(seat_text(seat.slot, seat.gpu), "stalls");
  for (const DegradedNic& nic : state.network.nics)
    if (of(nic.slot, kWholeHost))
      add(nic.nic == kAllNics ? fmt::format("NICs of host {}", nic.slot)
                              : fmt::format("NIC {} of host {}", nic.nic, nic.slot),
          "slow");
  return out;
}

PictureRank rank_of(std::uint32_t rank, const ClusterState& state, const SlowSegments& slowest,
                    std::uint32_t per_host) {
  const SlowSegments slow = slow_of(rank, state, per_host);
  return {.rank = rank,
          .host = rank / per_host,
          .gpu = rank % per_host,
          .cause = causes(state, [&](auto slot, auto gpu) { return sits(rank, slot, gpu, per_host); }),
          .forward = slow.forward / slowest.forward,
          .backward = slow.backward / slowest.backward};
}

/// The slowest of a stage, and whether its ranks differ.
struct Slowest {
  SlowSegments slow;
  bool differ = false;
};

Slowest slowest_of(PictureStage& stage, const ClusterState& state, std::uint32_t per_host) {
  Slowest out{.slow = slow_of(stage.first_rank, state, per_host)};
  const SlowSegments first = out.slow;
  const double stall = stall_of(stage.first_rank, state, per_host);
  for (std::uint32_t rank = stage.first_rank; rank < stage.first_rank + stage.ranks; ++rank) {
    const SlowSegments slow = slow_of(rank, state, per_host);
    out.differ = out.differ || slow.forward != first.forward || slow.backward != first.backward ||
                 stall_of(rank, state, per_host) != stall;
    out.slow.forward = std::max(out.slow.forward, slow.forward);
    out.slow.backward = std::max(out.slow.backward, slow.backward);
  }
  for (const SlowSeat& seat : state.slow) {
    if (!holds(stage, seat.slot, seat.gpu, per_host)) continue;
    if (stage.slowest_forward.empty() && seat.slow.forward == out.slow.forward)
      stage.slowest_forward = seat_text(seat.slot, seat.gpu);
    if (stage.slowest_backward.empty() && seat.slow.backward == out.slow.backward)
      stage.slowest_backward = seat_text(seat.slot, seat.gpu);
  }
  return out;
}

}  // namespace

std::string seat_text(std::uint32_t slot, std::uint32_t gpu) {
  return gpu == kWholeHost ? fmt::format("host {}", slot) : fmt::format("GPU {} of host {}", gpu, slot);
}

bool holds(const PictureStage& stage, std::uint32_t slot, std::uint32_t gpu, std::uint32_t per_host) {
  const std::uint32_t first = slot * per_host + (gpu == kWholeHost ? 0 : gpu);
  const std::uint32_t last = gpu == kWholeHost ? first + per_host - 1 : first;
  return first < stage.first_rank + stage.ranks && last >= stage.first_rank;
}

std::string cause_of_host(std::uint32_t host, const ClusterState& state) {
  return causes(state, [host](std::uint32_t slot, std::uint32_t) { return slot == host; });
}

std::vector<RankRange> degraded_ranks(std::uint32_t host, std::uint32_t per_host, const ClusterState& state) {
  std::vector<RankRange> out;
  bool whole = false;
  const auto add = [&](std::uint32_t slot, std::uint32_t gpu) {
    if (slot != host) return;
    whole = whole || gpu == kWholeHost;
    if (gpu != kWholeHost) out.push_back({host * per_host + gpu, host * per_host + gpu});
  };
  for (const SlowSeat& seat : state.slow) add(seat.slot, seat.gpu);
  for (const StalledSeat& seat : state.stalled) add(seat.slot, seat.gpu);
  for (const DegradedNic& nic : state.network.nics) add(nic.slot, kWholeHost);
  if (whole) return {{host * per_host, host * per_host + per_host - 1}};
  return out;
}

Coordinates critical_rank(const Layout& layout, std::uint32_t per_host, const ClusterState& state,
                          const std::optional<StepCritical>& critical) {
  if (!critical) return {};
  if (!critical->host) return {.tp = 0, .cp = 0, .dp = critical->replica, .pp = critical->stage};
  const auto badness = [&](std::uint32_t rank) {
    const SlowSegments slow = slow_of(rank, state, per_host);
    const Coordinates at = layout.coordinates(rank);
    return std::tuple(slow.forward + slow.backward + slow.optimizer, stall_of(rank, state, per_host),
                      at.dp == critical->replica && at.pp == critical->stage);
  };
  const std::uint32_t first = *critical->host * per_host;
  std::uint32_t worst = first;
  for (std::uint32_t rank = first; rank < std::min(first + per_host, layout.ranks()); ++rank)
    if (badness(rank) > badness(worst)) worst = rank;
  return layout.coordinates(worst);
}

PictureStage stage_of(const Layout& layout, std::uint32_t per_host, const Coordinates& at,
                      const ClusterState& state) {
  PictureStage out;
  out.ranks = layout.tp * layout.cp;
  out.first_rank = layout.rank({.tp = 0, .cp = 0, .dp = at.dp, .pp = at.pp});
  out.cause = causes(state, [&](auto slot, auto gpu) { return holds(out, slot, gpu, per_host); });
  const Slowest slowest = slowest_of(out, state, per_host);
  out.slow_forward = slowest.slow.forward > 1;
  out.slow_backward = slowest.slow.backward > 1;
  for (std::uint32_t tp = 0; tp < layout.tp; ++tp)
    if (slowest.differ || tp == at.tp)
      out.shown.push_back(rank_of(layout.rank({.tp = tp, .cp = at.cp, .dp = at.dp, .pp = at.pp}), state,
                                  slowest.slow, per_host));
  return out;
}

}  // namespace gauntlet
