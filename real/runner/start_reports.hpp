// Whether the programs of processes that were launched run by now: a file system that hangs may keep a process from that for ever.
#pragma once

#include "core/time.hpp"
#include "real/system/launch.hpp"

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class StartReports {
 public:
  /// Of processes that are launched from now on, and run by then.
  void begin(Time until);
  void add(Launch what, Descriptor report);
  /// Why one of them does not run; empty where all do; nothing while that is not known. Does not wait.
  std::optional<std::string> outcome(Time now);
  /// When outcome() is due without a report; kNever if none is awaited.
  Time deadline() const { return awaited_.empty() ? kNever : until_; }
  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;

 private:
  struct Awaited {
    Launch what;
    Descriptor report;
  };

  Time until_ = kNever;
  std::vector<Awaited> awaited_;
};

}  // namespace gauntlet
