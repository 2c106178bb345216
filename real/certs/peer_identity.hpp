// The identity that a certificate states: a role, a host and the cluster that both belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// A driver gives orders and an agent obeys them. A driver dials, so its certificate is a TLS client's; an agent listens,
/// so its certificate is a TLS server's.
enum class PeerRole : std::uint8_t { driver, agent };

std::string_view name_of(PeerRole role);
std::optional<PeerRole> peer_role_of(std::string_view name);

struct PeerIdentity {
  std::string cluster;
  PeerRole role = PeerRole::agent;
  std::string host;
  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

/// `gauntlet://CLUSTER/ROLE/HOST`: the form in which a certificate holds it, and in which people read it.
std::string uri_of(const PeerIdentity& identity);
/// Nothing where the text is not such a URI, with names that are allowed.
std::optional<PeerIdentity> identity_of_uri(std::string_view uri);

/// Why the text is not the name of a host (RFC 1123, small letters) nor an IPv4 address; empty where it is one.
std::string problem_of_host_name(std::string_view name);
/// Why the text cannot name a cluster: that is one label of a host name.
std::string problem_of_cluster_name(std::string_view name);
bool is_ipv4_address(std::string_view name);

}  // namespace gauntlet
