// Real machines as the place of a drill: this machine's clock, gRPC to the agents, and a launcher that knows where they are.
#pragma once

#include "real/launch/launcher.hpp"

#include <memory>
#include <string>
#include <utility>

namespace gauntlet {

class LocalClock final : public DriverClock {
 public:
  std::int64_t monotonic_ns() const override { return gauntlet::monotonic_ns(); }
  std::unique_ptr<Alarm> alarm() override;
  /// Throws std::system_error where no thread can be started.
  std::unique_ptr<Repeater> repeat(Duration period, std::function<void()> body) override;
};

class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(Launcher& launcher) : launcher_(launcher) {}

  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                  const LinkListener& listener) override;
  bool listens(const AgentName& agent) const override;

 private:
  Launcher& launcher_;
};

class MachinePlatform : public Platform {
 public:
  explicit MachinePlatform(std::unique_ptr<Launcher> launcher)
      : launcher_(std::move(launcher)), transport_(*launcher_) {}

  void prepare(const std::string& directory) override { launcher_->prepare(directory); }
  void end(const std::string& directory) override { launcher_->end(directory); }
  DriverClock& clock() override { return clock_; }
  bool one_clock() const override { return launcher_->one_clock(); }
  bool hosts_share_machine() const override { return launcher_->hosts_share_machine(); }
  Transport& transport() override { return transport_; }
  Processes& processes() override { return *launcher_; }
  HostSupply& supply() override { return launcher_->supply(); }
  MeetingPlace meeting_place(const AgentName& agent) override;
  /// On standard error.
  void say(const std::string& line) override;

 private:
  std::unique_ptr<Launcher> launcher_;
  LocalClock clock_;
  GrpcTransport transport_;
};

}  // namespace gauntlet
