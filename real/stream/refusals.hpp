// The connections and streams that an agent refused: counted, and said once for each reason and peer.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace gauntlet {

/// Every method may be called from any thread.
class Refusals {
 public:
  explicit Refusals(std::function<void(const std::string&)> say) : say_(std::move(say)) {}

  void count(const std::string& peer, const std::string& why);
  std::uint64_t total() const;

 private:
  const std::function<void(const std::string&)> say_;
  mutable std::mutex mutex_;
  std::uint64_t total_ = 0;
  std::set<std::pair<std::string, std::string>> said_;
};

}  // namespace gauntlet
