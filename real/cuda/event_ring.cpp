#include "real/cuda/event_ring.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::cuda {

std::unique_ptr<Event> EventRing::event() {
  if (free_.empty()) return std::make_unique<Event>();
  std::unique_ptr<Event> event = std::move(free_.back());
  free_.pop_back();
  return event;
}

void EventRing::begin(std::int64_t step, std::string_view name, const Stream& stream) {
  if (parts_.size() >= most_) collect_parts();
  if (parts_.size() >= most_) {
    untimed_.insert(step);
    sums_.erase(step);
    open_ = {};
    return;
  }
  open_ = {.step = step, .name = std::string(name), .begin = event(), .end = event()};
  open_.begin->record(stream);
}

void EventRing::end(const Stream& stream) {
  if (!open_.end) return;
  open_.end->record(stream);
  parts_.push_back(std::move(open_));
  open_ = {};
}

void EventRing::collect_parts() {
  for (; !parts_.empty() && parts_.front().end->reached(); parts_.pop_front()) {
    Part& part = parts_.front();
    const auto took = static_cast<std::int64_t>(1e9 * part.end->seconds_since(*part.begin));
    free_.push_back(std::move(part.begin));
    free_.push_back(std::move(part.end));
    if (untimed_.contains(part.step)) continue;
    std::vector<DeviceSegment>& sums = sums_[part.step];
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [&](const DeviceSegment& each) { return each.name == part.name; });
    if (found == sums.end())
      sums.push_back({part.step, std::move(part.name), took});
    else
      found->took_ns += took;
  }
}

std::vector<DeviceSegment> EventRing::collect(std::int64_t step) {
  collect_parts();
  const std::int64_t whole = parts_.empty() ? step : std::min(step, parts_.front().step);  // steps before it
  untimed_.erase(untimed_.begin(), untimed_.lower_bound(whole));
  std::vector<DeviceSegment> told;
  while (!sums_.empty() && sums_.begin()->first < whole) {
    for (DeviceSegment& each : sums_.begin()->second) told.push_back(std::move(each));
    sums_.erase(sums_.begin());
  }
  return told;
}

}  // namespace gauntlet::cuda
