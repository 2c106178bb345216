// The end of a link that listens: on a neighbour while another host measures the link to it.
#pragma once

#include "real/probes/link/link_socket.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gauntlet {

class LinkServer {
 public:
  /// Listens at once, at each of these addresses of this host. `secret`: of those who may measure; never empty.
  LinkServer(const std::vector<Neighbour>& here, std::string secret);

  /// Why it does not listen; empty where it does.
  const std::string& problem() const { return problem_; }
  /// Of the first address; 0 where it does not listen.
  std::uint16_t port() const;

  /// Serves one host after the other, since two would measure each other, while `goes_on` says so. It is asked ten times in a second,
  /// and after each host. `served`: called after each host that proved the secret.
  void serve(const std::function<bool()>& goes_on, const std::function<void()>& served);

 private:
  std::string secret_;
  std::vector<Descriptor> listening_;
  std::string problem_;
};

}  // namespace gauntlet
