// Observations on their way to the driver, in the order in which they were made.
#pragma once

#include <optional>
#include <vector>

#include "core/observation.hpp"

namespace gauntlet {

class Outbox {
 public:
  void push(Time at, const Observation& what) { waiting_.push_back({at, what}); }
  std::optional<Observed> take() {
    if (head_ == waiting_.size()) return std::nullopt;
    const Observed first = waiting_[head_++];
    if (head_ == waiting_.size()) clear();
    return first;
  }
  void clear() {
    waiting_.clear();
    head_ = 0;
  }

 private:
  std::vector<Observed> waiting_;
  std::size_t head_ = 0;
};

}  // namespace gauntlet
