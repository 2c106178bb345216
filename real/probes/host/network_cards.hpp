// The network cards of a host that data can be sent by: the ports of its RDMA devices, or else its interfaces.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

struct NetworkCard {
  std::string name;  // as UCX_NET_DEVICES has it: "mlx5_0:1", "eth0"
  bool rdma = false;
  std::string
      speed;  // "InfiniBand, 400 Gb/sec (4X NDR)": only cards of one speed are compared; empty: an interface
  int node = -1;  // of memory, that it is closest to; -1: the kernel does not say
};

struct NetworkCards {
  std::vector<NetworkCard> up;    // by name. Interfaces only where there is no RDMA device
  std::vector<std::string> down;  // RDMA ports that are not active
};

/// `root`: before /sys.
NetworkCards network_cards(const std::string& root);

}  // namespace gauntlet
