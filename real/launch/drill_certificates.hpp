// The certificates of a drill, from the directory of an authority.
#pragma once

#include "core/problem.hpp"
#include "real/certs/peer_trust.hpp"

#include <cstdint>
#include <ctime>
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

/// By which certificates are issued and checked.
std::time_t time_of_day();

/// The driver's certificate that an authority in this directory issued for kHostOfDrill.
std::optional<Problem> load_driver_trust(const std::string& authority, std::shared_ptr<PeerTrust>& out);

/// The same, and that of the agents on the same host.
std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out);

/// An authority of a drill's own, longer than any drill. Nothing to do where an earlier driver made it.
std::optional<Problem> make_drill_authority(const std::string& directory, const std::string& cluster);

/// Whose an authority is: what a driver that was killed left half made in that of the drill is revoked.
enum class AuthorityIs : std::uint8_t { of_drill, of_others };
/// Issues a certificate unless the host's directory is there.
std::optional<Problem> issue_missing(const std::string& authority, PeerRole role, const std::string& host,
                                     AuthorityIs whose);

}  // namespace gauntlet
