// Observations on their way to the driver, in the order in which they were made.
#pragma once

#include "core/observation.hpp"

#include <optional>
#include <vector>

namespace gauntlet {

class Outbox {
 public:
  void push(Time at, const Observation& what) { waiting_.push_back({at, what}); }
  /// An observation to be filled in where it waits, before another is added: what was just written field by field is slow
  /// to copy.
  template <class What>
  What& add(Time at) {
    Observed& added = waiting_.emplace_back();
    added.at = at;
    return added.what.emplace<What>();
  }
  bool empty() const { return head_ == waiting_.size(); }
  /// The first of those that wait; there is one.
  std::optional<Observed> take() {
    std::optional<Observed> first(waiting_[head_++]);
    if (empty()) clear();
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
