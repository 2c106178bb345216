// This machine as the place of a drill: agents are processes here, and listen on Unix sockets in the drill's directory.
#pragma once

#include "real/driver/platform.hpp"

#include <atomic>
#include <memory>
#include <span>
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

class LocalTransport final : public Transport {
 public:
  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                  const LinkListener& listener) override;
  bool listens(const AgentName& agent) const override;
};

class LocalProcesses final : public Processes {
 public:
  /// Paths of this program, from which agents are started, and of the program of a rank.
  LocalProcesses(std::string gauntlet, std::string trainer)
      : gauntlet_(std::move(gauntlet)), trainer_(std::move(trainer)) {}

  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                   const std::atomic<bool>* stop) override;
  /// The last line of its log.
  std::string last_words(const AgentName& agent) const override;

 private:
  std::string gauntlet_, trainer_;
};

class LocalPlatform final : public Platform {
 public:
  LocalPlatform(std::string gauntlet, std::string trainer)
      : processes_(std::move(gauntlet), std::move(trainer)) {}

  DriverClock& clock() override { return clock_; }
  Transport& transport() override { return transport_; }
  Processes& processes() override { return processes_; }
  /// On standard error.
  void say(const std::string& line) override;

 private:
  LocalClock clock_;
  LocalTransport transport_;
  LocalProcesses processes_;
};

}  // namespace gauntlet
