// The host file of `gauntlet drill --launch given --host-file FILE`: TOML.
#pragma once

#include "core/problem.hpp"
#include "real/launch/given_hosts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// `hosts`: those of the scenario, with its spare hosts; the file may have more, and not fewer. All mistakes, each with its line;
/// none: `out` is the file.
std::vector<Problem> read_host_file(const std::string& path, std::uint32_t hosts, HostFile& out);

}  // namespace gauntlet
