// What one driver or agent has of its lab: its certificate and key, the authority's certificate, and the list of revoked
// certificates. `gauntlet certs issue` writes the directory.
#pragma once

#include "core/problem.hpp"
#include "real/certs/peer_identity.hpp"

#include <ctime>
#include <optional>
#include <string>

namespace gauntlet {

struct HostCertificates {
  PeerIdentity identity;                    // of the certificate
  std::string certificate, key, authority;  // PEM
  std::string revoked_file;                 // its path: it is read again and again
};

/// Refuses what no peer would accept, and a key that other users can read. `now`: seconds since 1970.
std::optional<Problem> load_host_certificates(const std::string& directory, PeerRole role, std::time_t now,
                                              HostCertificates& out);

}  // namespace gauntlet
