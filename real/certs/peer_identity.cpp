#include "real/certs/peer_identity.hpp"

#include <arpa/inet.h>

#include <algorithm>

namespace gauntlet {
namespace {

constexpr std::string_view kScheme = "gauntlet://";
constexpr std::size_t kLongestName = 253;  // RFC 1123, section 2.1
constexpr std::size_t kLongestLabel = 63;

bool is_label_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

std::string problem_of_label(std::string_view label) {
  if (label.empty()) return "has an empty part";
  if (label.size() > kLongestLabel) return "has a part with more than 63 characters";
  if (!std::all_of(label.begin(), label.end(), is_label_character))
    return "has characters other than a-z, 0-9 and \"-\"";
  if (label.front() == '-' || label.back() == '-') return "has a part that begins or ends with \"-\"";
  return "";
}

}  // namespace

std::string_view name_of(PeerRole role) { return role == PeerRole::driver ? "driver" : "agent"; }

std::optional<PeerRole> peer_role_of(std::string_view name) {
  for (const PeerRole role : {PeerRole::driver, PeerRole::agent})
    if (name == name_of(role)) return role;
  return std::nullopt;
}

std::string uri_of(const PeerIdentity& identity) {
  return std::string(kScheme) + identity.cluster + "/" + std::string(name_of(identity.role)) + "/" +
         identity.host;
}

std::optional<PeerIdentity> identity_of_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t first = uri.find('/');
  const std::size_t second = first == uri.npos ? uri.npos : uri.find('/', first + 1);
  if (second == uri.npos) return std::nullopt;
  const std::optional<PeerRole> role = peer_role_of(uri.substr(first + 1, second - first - 1));
  if (!role) return std::nullopt;
  PeerIdentity identity = {.cluster = std::string(uri.substr(0, first)),
                           .role = *role,
                           .host = std::string(uri.substr(second + 1))};
  const bool named =
      problem_of_cluster_name(identity.cluster).empty() && problem_of_host_name(identity.host).empty();
  return named ? std::optional(std::move(identity)) : std::nullopt;
}

std::string problem_of_host_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kLongestName) return "has more than 253 characters";
  if (is_ipv4_address(name)) return "";
  std::string_view label;
  for (std::string_view rest = name;; rest.remove_prefix(label.size() + 1)) {
    label = rest.substr(0, rest.find('.'));
    if (std::string problem = problem_of_label(label); !problem.empty()) return problem;
    if (label.size() == rest.size()) break;
  }
  // Programs that read addresses take "10.0.1" for one, and it would be another one.
  const bool is_number = std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? "ends in a number and is not an IPv4 address" : "";
}

std::string problem_of_cluster_name(std::string_view name) {
  if (name.find('.') != name.npos) return "has a \".\"";
  return name.empty() ? "is empty" : problem_of_label(name);
}

bool is_ipv4_address(std::string_view name) {
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(name).c_str(), &address) == 1;
}

}  // namespace gauntlet
