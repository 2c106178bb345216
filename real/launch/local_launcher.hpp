// `--launch local`: every agent is a process of this machine. They listen on Unix sockets in the drill's directory, or on
// loopback with mutual TLS.
#pragma once

#include "real/launch/agents_here.hpp"
#include "real/launch/drill_certificates.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace gauntlet {

class LocalLauncher final : public AgentsHere {
 public:
  /// Without a trust in `certificates` agents listen on Unix sockets.
  LocalLauncher(AgentCommand command, DrillCertificates certificates)
      : command_(std::move(command)), certificates_(std::move(certificates)) {}

  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  bool one_clock() const override { return true; }
  AgentEndpoint endpoint(const AgentName& agent) const override;
  bool hosts_share_machine() const override { return true; }
  HostSupply& supply() override { return supply_; }
  MeetingPlace meeting_place(const AgentName& agent) override;

 private:
  AgentCommand command_;
  DrillCertificates certificates_;
  HostSupply supply_;
  std::uint16_t last_port_ = 0;
};

}  // namespace gauntlet
