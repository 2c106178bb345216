// The state of a running job, as the RAS of its NCCL tells it: communicators, their ranks, and the collectives that each rank entered.
//
// Each process of a job that uses NCCL 2.24 or later answers on its own host (NVIDIA, "RAS", NCCL user guide:
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html). It speaks JSON from 2.28 on.
#pragma once

#include "real/probes/link/link_socket.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct RasRank {
  std::int64_t rank = 0;          // in its communicator
  std::string host;               // its address
  std::int64_t pid = 0, gpu = 0;  // a rank of the job is a process and a GPU, by its number in the driver
  bool missing = false;           // its process does not answer
  std::string error;              // of its communicator; empty: none
  std::map<std::string, std::uint64_t> counts;  // collectives that it entered, by operation
};

struct RasCommunicator {
  std::string name;  // unique in the job
  std::vector<RasRank> ranks;
};

struct RasStatus {
  std::string nccl;  // version
  std::vector<RasCommunicator> communicators;
};

struct RasAnswer {
  std::optional<RasStatus> status;
  std::string why_not;  // why there is no status
};

/// The answer to VERBOSE STATUS. NCCL 2.28 forgets commas between lines; they are put back.
RasAnswer parse_ras_status(const std::string& json);

/// Asks the process that listens there. Waits at most 10 s for a line and 30 s for the status.
RasAnswer ask_ras(const Neighbour& where);

}  // namespace gauntlet
