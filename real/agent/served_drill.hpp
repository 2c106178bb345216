// The drill that an agent serves, and the driver that it obeys: one drill at a time, and of its drivers the one with the highest
// epoch.
#pragma once

#include "real/stream/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace gauntlet {

class ServedDrill {
 public:
  /// Why this driver is not obeyed: the agent serves another drill, or a later driver has this one. Empty where it is.
  std::string refusal_of(const DriverHello& hello, std::uint32_t host) const;
  /// The drill begins here, or begins anew: nothing that the agent holds belongs to it.
  bool begins_with(const DriverHello& hello) const;
  void serve(const DriverHello& hello) { current_ = named(hello); }
  /// The agent is free for the next drill. Drivers of this one with a lower epoch stay refused.
  void end();

  bool serves() const { return current_.has_value(); }
  std::uint64_t epoch() const { return current_ ? current_->epoch : 0; }

 private:
  struct Driver {
    std::int64_t drill = 0;  // AgentGreeting::started_ns
    std::uint64_t epoch = 0;
  };
  static Driver named(const DriverHello& hello) { return {hello.greeting.started_ns, hello.epoch}; }

  std::optional<Driver> current_;
  std::deque<Driver> ended_;  // the last driver of each earlier drill, the oldest first
};

}  // namespace gauntlet
