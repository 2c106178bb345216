// The certificates of a drill, from the directory of an authority.
#pragma once

#include "core/problem.hpp"
#include "real/certs/peer_trust.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

/// The driver's certificate, and where the agents' are. Without a trust there are none.
struct DrillCertificates {
  std::shared_ptr<PeerTrust> trust = nullptr;
  std::string agent_directory = {};
};

/// The host whose certificates a drill on this machine alone takes.
inline constexpr std::string_view kHostOfDrill = "localhost";

/// The driver's certificate that an authority in this directory issued for kHostOfDrill.
std::optional<Problem> load_driver_trust(const std::string& authority, std::shared_ptr<PeerTrust>& out);

/// The same, and that of the agents on the same host.
std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out);

}  // namespace gauntlet
