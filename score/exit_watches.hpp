// Which watches of a record report exits of ranks.
#pragma once

#include "core/action.hpp"
#include "score/record_view.hpp"

#include <optional>
#include <set>
#include <variant>

namespace gauntlet {

/// The few such watches are looked for once, when one is asked for.
class ExitWatches {
 public:
  explicit ExitWatches(const RecordView& record) : record_(record) {}

  bool contains(WatchId id) const {
    if (!found_) {
      found_.emplace();
      for (const RecordedOrder& each : record_.orders) {
        const auto* watch = std::get_if<Watch>(&each.order.what);
        if (watch != nullptr && watch->signal == Signal::process_exit) found_->insert(watch->id);
      }
    }
    return found_->contains(id);
  }

 private:
  const RecordView& record_;
  mutable std::optional<std::set<WatchId>> found_;
};

}  // namespace gauntlet
