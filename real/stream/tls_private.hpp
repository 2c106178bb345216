// gRPC's credentials from certificates of a lab.
#pragma once

#include "real/certs/peer_trust.hpp"

#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>
#include <memory>
#include <string>

namespace gauntlet {

/// Told of each peer that was refused at a handshake.
using OnRefusal = std::function<void(const PeerCheck::Verdict&)>;

/// Of an agent: takes drivers.
std::shared_ptr<grpc::ServerCredentials> agent_credentials(const std::shared_ptr<PeerTrust>& trust,
                                                           OnRefusal on_refusal);
/// Of a driver: takes the agent of that host.
std::shared_ptr<grpc::ChannelCredentials> driver_credentials(const std::shared_ptr<PeerTrust>& trust,
                                                             const std::string& host, OnRefusal on_refusal);

/// The certificate of a stream's peer (PEM); empty where it has none.
std::string certificate_of_peer(const grpc::AuthContext& context);

}  // namespace gauntlet
