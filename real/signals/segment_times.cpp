#include "real/signals/segment_times.hpp"

#include "core/time.hpp"

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::array<std::pair<std::string_view, Signal>, 2> kSegments = {
    {{"forward", Signal::forward_time}, {"backward", Signal::backward_time}}};

}  // namespace

std::vector<std::pair<Signal, double>> SegmentTimes::on_segment(std::uint32_t rank, const RankLine& line,
                                                                std::size_t ranks) {
  std::vector<std::pair<Signal, double>> complete;
  const auto tell = [&](Step& step, std::size_t i) {
    if (!step[i].heard.empty() && !step[i].told)
      complete.emplace_back(kSegments[i].second, to_seconds(Duration(step[i].longest_ns)));
    step[i].told = true;
  };
  newest_ = std::max(newest_, line.step);
  while (!steps_.empty() && steps_.begin()->first < newest_ - kBehind) {
    for (std::size_t i = 0; i < kSegments.size(); ++i) tell(steps_.begin()->second, i);
    over_ = steps_.begin()->first;
    steps_.erase(steps_.begin());
  }
  if (line.step <= over_) return complete;
  for (std::size_t i = 0; i < kSegments.size(); ++i) {
    if (kSegments[i].first != line.pattern) continue;
    Step& step = steps_[line.step];
    if (!step[i].heard.insert(rank).second) continue;
    step[i].longest_ns = std::max(step[i].longest_ns, line.took_ns);
    if (step[i].heard.size() >= std::max<std::size_t>(ranks, 1)) tell(step, i);
  }
  return complete;
}

}  // namespace gauntlet
