// This machine as the place of a drill: agents are processes here. They listen on Unix sockets in the drill's directory, or on
// loopback with mutual TLS.
#pragma once

#include "core/problem.hpp"
#include "real/certs/peer_trust.hpp"
#include "real/driver/platform.hpp"

#include <atomic>
#include <memory>
#include <optional>
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

/// The certificates of a drill on this machine: of the driver, and where the agents' are. Without a trust there are none.
struct DrillCertificates {
  std::shared_ptr<PeerTrust> trust = nullptr;
  std::string agent_directory = {};
};

/// Those that an authority in this directory issued for `localhost`.
std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out);

class LocalTransport final : public Transport {
 public:
  explicit LocalTransport(std::shared_ptr<PeerTrust> trust) : trust_(std::move(trust)) {}

  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                  const LinkListener& listener) override;
  bool listens(const AgentName& agent) const override;

 private:
  std::string place_of(const AgentName& agent) const;

  std::shared_ptr<PeerTrust> trust_;
};

class LocalProcesses final : public Processes {
 public:
  /// Paths of this program, from which agents are started, and of the program of a rank. `certificates` is the directory of
  /// the agents' certificate; where it is empty, they listen on Unix sockets.
  LocalProcesses(std::string gauntlet, std::string trainer, std::string certificates)
      : gauntlet_(std::move(gauntlet)),
        trainer_(std::move(trainer)),
        certificates_(std::move(certificates)) {}

  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                   const std::atomic<bool>* stop) override;
  /// The last line of its log.
  std::string last_words(const AgentName& agent) const override;

 private:
  std::string gauntlet_, trainer_, certificates_;
};

class LocalPlatform final : public Platform {
 public:
  LocalPlatform(std::string gauntlet, std::string trainer, const DrillCertificates& certificates = {})
      : transport_(certificates.trust),
        processes_(std::move(gauntlet), std::move(trainer), certificates.agent_directory) {}

  DriverClock& clock() override { return clock_; }
  Transport& transport() override { return transport_; }
  Processes& processes() override { return processes_; }
  MeetingPlace meeting_place(const AgentName& agent) override;
  /// On standard error.
  void say(const std::string& line) override;

 private:
  LocalClock clock_;
  LocalTransport transport_;
  LocalProcesses processes_;
  std::uint16_t last_port_ = 0;
};

}  // namespace gauntlet
