// A platform that measures how late heartbeats arrive, and how long the driver's thread is busy between two sleeps.
#pragma once

#include "real/driver/platform.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gauntlet {

/// Every method may be called from any thread.
class Measurements {
 public:
  /// Forgets what was measured.
  void begin();
  void add_lag(Duration lag);
  void add_busy(Duration busy);
  /// The lag of each heartbeat, sorted: from when the agent sends it until the driver's link has read it. Agents and driver must read one
  /// clock.
  std::vector<Duration> lags() const;
  Duration longest_busy() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Duration> lags_;
  Duration longest_busy_{};
};

/// `platform` and `into` must outlive it.
class MeasuredPlatform final : public Platform {
 public:
  MeasuredPlatform(Platform& platform, Measurements& into);
  ~MeasuredPlatform() override;

  void prepare(const std::string& directory) override { platform_.prepare(directory); }
  void end(const std::string& directory) override { platform_.end(directory); }
  DriverClock& clock() override;
  Transport& transport() override;
  Processes& processes() override { return platform_.processes(); }
  HostSupply& supply() override { return platform_.supply(); }
  MeetingPlace meeting_place(const AgentName& agent) override { return platform_.meeting_place(agent); }
  void say(const std::string& line) override { platform_.say(line); }

 private:
  Platform& platform_;
  std::unique_ptr<DriverClock> clock_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace gauntlet
