#include "real/signals/segment_times.hpp"

#include "core/time.hpp"

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::array<std::pair<std::string_view, Signal>, 2> kSegments = {
    {{"forward", Signal::forward_time}, {"backward", Signal::backward_time}}};

}  // namespace

std::vector<std::pair<Signal, double>> SegmentTimes::on_segment(const RankLine& line, std::size_t ranks) {
  std::vector<std::pair<Signal, double>> complete;
  const auto tell = [&](std::size_t i) {
    if (times_[i].heard > 0)
      complete.emplace_back(kSegments[i].second, to_seconds(Duration(times_[i].longest_ns)));
    times_[i] = {};
  };
  if (line.step > step_) {
    for (std::size_t i = 0; i < times_.size(); ++i) tell(i);
    step_ = line.step;
  }
  if (line.step < step_) return complete;  // of a step that was told of
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (kSegments[i].first != line.pattern) continue;
    ++times_[i].heard;
    times_[i].longest_ns = std::max(times_[i].longest_ns, line.took_ns);
    if (times_[i].heard >= std::max<std::size_t>(ranks, 1)) tell(i);
  }
  return complete;
}

}  // namespace gauntlet
