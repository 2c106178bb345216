// The truth log by host: what it tells of one host, read backwards, at a cost that does not depend on the others.
#pragma once

#include "core/record/truth.hpp"
#include "score/stop_look.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

class HostLog {
 public:
  /// Both must outlive it; `log` stays as it is.
  HostLog(const TruthLog& log, StopLook& look) : log_(&log), look_(&look) {}

  const TruthLog& log() const { return *log_; }

  /// The places in the log of what concerns the host, among the first `told`, from the last one back until `stop` holds for one.
  template <class Stop>
  void backwards(HostId host, std::size_t told, const Stop& stop) const {
    if (begins_.empty()) make();
    const bool known = host.value + 1 < begins_.size();
    const auto first = places_.begin() + (known ? begins_[host.value] : 0);
    auto few = known ? std::lower_bound(first, places_.begin() + begins_[host.value + 1], told) : first;
    auto wide = std::lower_bound(wide_.begin(), wide_.end(), told);
    while (few != first || wide != wide_.begin()) {
      const bool take_wide = few == first || (wide != wide_.begin() && wide[-1] > few[-1]);
      const std::uint32_t place = take_wide ? *--wide : *--few;
      if ((!take_wide || concerns((*log_)[place], host)) && stop(place)) return;
    }
  }

 private:
  static constexpr std::uint32_t kFew = 64;
  void make() const;

  const TruthLog* log_;
  StopLook* look_;
  // Made when it is first asked for: many runs never do.
  mutable std::vector<std::uint32_t>
      places_;  // of what concerns few hosts: of host 0 in order, then of host 1, ...
  mutable std::vector<std::uint32_t> begins_;  // where those of each host do; and the end
  mutable std::vector<std::uint32_t> wide_;    // of the rest
};

inline void HostLog::make() const {
  begins_.assign(1, 0);
  for (std::uint32_t place = 0; place < log_->size(); ++place) {
    look_->look();
    const Truth& each = (*log_)[place];
    if (each.hosts > kFew) {
      wide_.push_back(place);
      continue;
    }
    if (begins_.size() <= each.host.value + each.hosts) begins_.resize(each.host.value + each.hosts + 1, 0);
    for (std::uint32_t i = 0; i < each.hosts; ++i) ++begins_[each.host.value + i];
  }
  std::uint32_t end = 0;
  for (const std::uint32_t count : begins_) end += count;
  places_.resize(end);
  for (auto each = begins_.rbegin(); each != begins_.rend(); ++each) *each = end -= *each;
  std::vector<std::uint32_t> next = begins_;
  for (std::uint32_t place = 0; place < log_->size(); ++place) {
    look_->look();
    const Truth& each = (*log_)[place];
    for (std::uint32_t i = 0; each.hosts <= kFew && i < each.hosts; ++i)
      places_[next[each.host.value + i]++] = place;
  }
}

}  // namespace gauntlet
