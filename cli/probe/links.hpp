// gauntlet probe between two hosts: the options that name neighbours, and the end that listens for them.
#pragma once

#include "core/problem.hpp"
#include "real/probes/link/link_socket.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct LinkRequest {
  std::vector<std::string> neighbours;  // HOST:PORT each
  std::string serve;                    // HOST:PORT to listen on; empty: this host is examined
  std::string secret_file;
};

/// HOST:PORT, the value of an option; what is wrong with it.
std::optional<Problem> read_address(const std::string& option, const std::string& text, Neighbour& address);

/// What is wrong with the request, or with the file of the secret.
std::optional<Problem> read_links(const LinkRequest& request, std::vector<Neighbour>& neighbours,
                                  std::string& secret);

/// Listens for hosts that measure their link to this one, until Ctrl-C. Gives the exit code.
int serve_links(const LinkRequest& request);

}  // namespace gauntlet
