// Transfers between all network cards of this host, from each of its memory nodes, and the card or node that explains the slow ones.
#pragma once

#include "real/probes/sample.hpp"

#include <string>

namespace gauntlet::ucx {

/// `root`: before /sys.
ProbeSample card_mesh(const std::string& root);

}  // namespace gauntlet::ucx
