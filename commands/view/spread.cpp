#include "commands/view/spread.hpp"

#include "core/contract.hpp"

#include <array>

namespace gauntlet {
namespace {

/// The groups that a rank meets within a step, in their order; the pipeline comes after them.
constexpr std::array<Dimension, 3> kWithinLayer = {Dimension::tensor, Dimension::context, Dimension::expert};

class Spread {
 public:
  Spread(const Layout& layout, std::span<const std::uint32_t> culprits)
      : layout_(layout), ranks_(layout.ranks()) {
    for (const std::uint32_t rank : culprits) {
      expect(rank < ranks_.size(), "a culprit is a rank of the layout");
      ranks_[rank] = {.wave = 0, .in = std::nullopt};
      wave_.push_back(rank);
    }
  }

  std::vector<WaitingRank> run() {
    if (wave_.empty()) return std::move(ranks_);
    std::vector<std::uint32_t> stopped = wave_;
    while (!wave_.empty()) {  // within the step
      next_wave([this] {
        for (const Dimension each : kWithinLayer)
          for (const std::uint32_t rank : wave_) reach_group(rank, each);
        for (const std::uint32_t rank : wave_) reach_neighbours(rank);
      });
      stopped.insert(stopped.end(), wave_.begin(), wave_.end());
    }
    // At its end.
    next_wave([&] {
      for (const std::uint32_t rank : stopped) reach_group(rank, Dimension::data);
    });
    return std::move(ranks_);
  }

 private:
  template <class Reach>
  void next_wave(const Reach& reach) {
    reached_.clear();
    reach();
    wave_ = reached_;
    if (!wave_.empty()) ++number_;
  }
  void reach(std::uint32_t rank, Dimension in) {
    if (ranks_[rank].wave) return;
    ranks_[rank] = {.wave = number_ + 1, .in = in};
    reached_.push_back(rank);
  }
  void reach_group(std::uint32_t rank, Dimension dimension) {
    if (layout_.size(dimension) == 1) return;
    const std::uint32_t group = layout_.group_of(rank, dimension);
    std::vector<bool>& done = done_[static_cast<std::size_t>(dimension)];
    if (done.empty()) done.resize(layout_.groups(dimension));
    if (done[group]) return;
    done[group] = true;
    for (const std::uint32_t other : layout_.ranks_of_group(dimension, group)) reach(other, dimension);
  }
  void reach_neighbours(std::uint32_t rank) {
    const std::uint32_t stage_ranks = layout_.ranks() / layout_.pp, stage = rank / stage_ranks;
    const bool circular = layout_.virtual_stages > 1;
    const auto reach_stage = [&](std::uint32_t other) {
      reach(rank % stage_ranks + other * stage_ranks, Dimension::pipeline);
    };
    if (stage > 0 || circular) reach_stage((stage + layout_.pp - 1) % layout_.pp);
    if (stage + 1 < layout_.pp || circular) reach_stage((stage + 1) % layout_.pp);
  }

  const Layout& layout_;
  std::vector<WaitingRank> ranks_;
  std::vector<std::uint32_t> wave_, reached_;          // the ranks of this wave and of the next one
  std::uint32_t number_ = 0;                           // of this wave
  std::array<std::vector<bool>, kDimensions> done_{};  // groups whose members have all been reached
};

}  // namespace

std::vector<WaitingRank> spread_of(const Layout& layout, std::span<const std::uint32_t> culprits) {
  return Spread(layout, culprits).run();
}

}  // namespace gauntlet
