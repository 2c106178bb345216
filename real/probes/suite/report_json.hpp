// The examination of a host as JSON, which other hosts read as that of a peer.
#pragma once

#include "real/probes/suite/examine.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct ExaminedHost {
  std::string name;
  std::string suite;
  std::vector<ProbeReport> reports;
};

nlohmann::ordered_json json_of(const ExaminedHost& host);

/// Nothing where the text is not such a report.
std::optional<PeerReport> peer_report(const std::string& json);

}  // namespace gauntlet
