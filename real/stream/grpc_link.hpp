// The link to an agent over gRPC (agent.proto): on a Unix socket, or on TCP with mutual TLS.
#pragma once

#include "real/certs/peer_trust.hpp"
#include "real/stream/agent_link.hpp"

#include <memory>
#include <string>

namespace gauntlet {

/// Where an agent listens. Without `trust` it is the Unix socket at `path`. With `trust` it is `address`; if that is empty,
/// the file at `path` says which HOST:PORT (place.hpp). The file is read at each attempt to connect, since the agent may
/// not have written it before.
struct AgentEndpoint {
  std::string path = {};
  std::string address = {};  // HOST:PORT
  std::string host = {};     // that the agent's certificate must name; empty: HOST
  std::shared_ptr<PeerTrust> trust = nullptr;
};

class GrpcLink final : public AgentLink {
 public:
  GrpcLink(AgentEndpoint agent, DriverHello hello, LinkListener listener);
  ~GrpcLink() override;

  void begin_connect() override;
  Attends look(std::string& why) override;
  using AgentLink::connect;
  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) override;
  void send(const DriverMessage& message) override;
  void close() override;

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace gauntlet
