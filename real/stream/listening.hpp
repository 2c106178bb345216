// Where an agent listens: a Unix socket in its directory, or an address of the network.
#pragma once

#include "core/problem.hpp"
#include "core/time.hpp"
#include "real/system/descriptor.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// `HOST:PORT`.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;  // 0: any that is free

  std::string text() const { return host + ":" + std::to_string(port); }
};
/// Nothing where it is not the name of a host, a colon and a port.
std::optional<HostPort> host_port_of(std::string_view text);

/// The same with the host's IPv4 address, as the system knows it.
struct FoundAddress {
  std::string text;  // empty where there is none
  std::string why;   // then
};

/// Looks the address up. The system's resolver may take any time: it has a thread of its own, which may outlive this.
class AddressLookup {
 public:
  explicit AddressLookup(HostPort where);
  const HostPort& where() const { return where_; }
  /// Nothing where it is not known within that time.
  std::optional<FoundAddress> found(Duration patience) const;

 private:
  struct Answer;

  HostPort where_;
  std::shared_ptr<Answer> answer_;
};

/// A listening socket, and where it is.
struct Listening {
  Descriptor socket;
  std::string address;  // for people, and for who dials: "unix:PATH" or "HOST:PORT"
};

/// The path must not exist.
std::optional<Problem> listen_at(const std::string& path, Listening& out);
std::optional<Problem> listen_at(const HostPort& where, Listening& out);

}  // namespace gauntlet
