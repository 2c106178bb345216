#include "real/stream/refusals.hpp"

namespace gauntlet {
namespace {

constexpr std::size_t kMostSaid = 1000;  // whoever comes under ever new names fills no disk

}  // namespace

void Refusals::count(const std::string& peer, const std::string& why) {
  std::string line;
  {
    const std::lock_guard lock(mutex_);
    ++total_;
    if (said_.size() >= kMostSaid || !said_.emplace(peer, why).second) return;
    line = "refused " + peer + ": " + why;
    if (said_.size() == kMostSaid) line += "; further refusals are counted and not said";
  }
  say_(line);
}

std::uint64_t Refusals::total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace gauntlet
