// What `--beside` and `--storm` say: who else sends over the job's fabric.
//
//   --beside host:3-host:8   another job's transfer, through every NIC of both
//   --storm host:8           a restore: storage at host 8 sends to every host of the job at once
#pragma once

#include "core/problem.hpp"
#include "models/network/fabric_network.hpp"
#include "models/world/world.hpp"

#include <span>
#include <string>
#include <vector>

namespace gauntlet {

struct Traffic {
  std::vector<BackgroundFlow> flows;
  std::vector<Problem> problems;  // then the rest means nothing
};

/// Hosts are counted over the cluster: those of the job, then the spares.
Traffic parse_traffic(std::span<const std::string> beside, std::span<const std::string> storms,
                      const World& world);

}  // namespace gauntlet
