// Accepts the connections of an agent, and looks at each before gRPC gets it.
#pragma once

#include "real/system/descriptor.hpp"

#include <sys/socket.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

/// Why a process of this user may not give orders to an agent of ours; empty where it may.
std::string problem_of_user(uid_t user, uid_t own);

enum class Arrival : std::uint8_t {
  unix_socket,  // from a process of our user, or root's
  tls           // begins with a record of a TLS handshake
};

class ConnectionAcceptor {
 public:
  /// Both are called on the acceptor's thread.
  struct Hooks {
    std::function<void(Descriptor connection)> admit;
    std::function<void(const std::string& peer, const std::string& why)> refuse;
  };

  /// Throws std::system_error where no thread can be started.
  ConnectionAcceptor(Descriptor listening, Arrival arrival, Hooks hooks);
  /// Stops listening. No hook is called any more.
  ~ConnectionAcceptor();
  ConnectionAcceptor(const ConnectionAcceptor&) = delete;
  ConnectionAcceptor& operator=(const ConnectionAcceptor&) = delete;

 private:
  struct Waiting;

  void run();
  /// False where none more can be accepted now.
  bool accept_one(std::vector<Waiting>& waiting);
  void judge_user(Descriptor connection);
  /// Whether it is decided.
  bool judge_first_byte(Waiting& waiting);

  const Descriptor listening_;
  const Arrival arrival_;
  const Hooks hooks_;
  const Descriptor stop_;  // an eventfd
  std::thread thread_;
};

}  // namespace gauntlet
