// The link to an agent over gRPC (agent.proto) and a Unix socket.
#pragma once

#include "real/agent/agent_link.hpp"

#include <memory>
#include <string>

namespace gauntlet {

class GrpcLink final : public AgentLink {
 public:
  GrpcLink(std::string socket, DriverHello hello, LinkListener listener);
  ~GrpcLink() override;

  using AgentLink::connect;
  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) override;
  void send(const DriverMessage& message) override;
  void close() override;

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace gauntlet
