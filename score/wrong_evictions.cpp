#include "score/wrong_evictions.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>

namespace gauntlet {
namespace {

using What = EvictionEvent::What;

Duration all_lost(const Incident& incident) {
  Duration sum{};
  for (const Duration part : incident.lost) sum += part;
  return sum;
}

/// One attempt to go on: from a stop to the next, or to the end of the incident.
class Attempt {
 public:
  void on(const EvictionEvent& event) {
    switch (event.what) {
      case What::right:
        ++right_;
        break;
      case What::wrong:
        first_wrong_ = std::min(first_wrong_, event.at);
        break;
      case What::asked_for:
        if (first_wrong_ != kNever) waits_from_ = std::min(waits_from_, event.at);
        break;
      case What::granted:
        if (++granted_ == right_) enough_at_ = event.at;
        break;
      case What::started:
        started_ = std::min(started_, event.at);
        break;
      case What::struck:
        break;
    }
  }
  /// A fault struck again: where nothing but wrong evictions had been tried, it was in vain.
  Duration failed(Time at) const {
    return first_wrong_ != kNever && right_ == 0 ? at - first_wrong_ : waited(at);
  }
  /// The wait that the rightly evicted hosts would not have needed.
  Duration waited(Time end) const {
    if (waits_from_ == kNever || granted_ < right_) return {};
    const Time from = right_ > 0 ? std::max(waits_from_, enough_at_) : waits_from_;
    return std::max(std::min(started_, end) - from, Duration::zero());
  }

 private:
  Time first_wrong_ = kNever, waits_from_ = kNever, started_ = kNever;  // kNever: not yet
  Time enough_at_;
  std::uint32_t right_ = 0, granted_ = 0;
};

Duration cost_of(const Incident& incident, std::span<const EvictionEvent> events) {
  if (incident.cause == kCauseFalseAlarm && incident.evictions_right == 0) return all_lost(incident);
  Duration cost{};
  Attempt attempt;
  for (const EvictionEvent& event : events) {
    if (event.what == What::struck) {
      cost += attempt.failed(event.at);
      attempt = {};
    } else {
      attempt.on(event);
    }
  }
  return cost + attempt.waited(incident.closed);
}

}  // namespace

void charge_wrong_evictions(std::vector<EvictionEvent> events, Figures& figures) {
  std::erase_if(events, [&](const EvictionEvent& each) {  // most cost nothing
    return figures.incidents[each.incident].evictions_wrong == 0;
  });
  std::stable_sort(events.begin(), events.end(), [](const EvictionEvent& a, const EvictionEvent& b) {
    return std::tie(a.incident, a.at, a.what) < std::tie(b.incident, b.at, b.what);
  });
  for (auto first = events.begin(); first != events.end();) {
    const auto last = std::find_if(
        first, events.end(), [&](const EvictionEvent& each) { return each.incident != first->incident; });
    Incident& incident = figures.incidents[first->incident];
    incident.wrong_evictions = cost_of(incident, {first, last});
    figures.wrong_evictions += incident.wrong_evictions;
    first = last;
  }
}

}  // namespace gauntlet
