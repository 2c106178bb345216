#include "real/agent/served_drill.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

// A driver that outlives so many later drills on its hosts has lost its leases days ago.
constexpr std::size_t kMostEnded = 64;

std::string obeys(std::uint32_t host, std::uint64_t epoch) {
  return "host " + std::to_string(host) + " obeys " + kDriverOfEpoch + std::to_string(epoch);
}

}  // namespace

std::string ServedDrill::refusal_of(const DriverHello& hello, std::uint32_t host) const {
  const Driver driver = named(hello);
  if (current_ && current_->drill != driver.drill)
    return "it serves another drill, until that drill ends or its driver stays away; wait for that, or drill "
           "on "
           "other hosts";
  const auto ended = std::find_if(ended_.begin(), ended_.end(),
                                  [&](const Driver& each) { return each.drill == driver.drill; });
  const bool had_later = ended != ended_.end() && driver.epoch < ended->epoch;
  const bool has_later =
      current_ && (driver.epoch < current_->epoch || (driver.epoch == current_->epoch && !hello.anew));
  if (!had_later && !has_later) return "";
  return obeys(host, has_later ? current_->epoch : ended->epoch) + ", and epoch " +
         std::to_string(driver.epoch) + " is not higher";
}

bool ServedDrill::begins_with(const DriverHello& hello) const { return hello.anew || !current_; }

void ServedDrill::end() {
  if (!current_) return;
  std::erase_if(ended_, [&](const Driver& each) { return each.drill == current_->drill; });
  ended_.push_back(*current_);
  if (ended_.size() > kMostEnded) ended_.pop_front();
  current_.reset();
}

}  // namespace gauntlet
