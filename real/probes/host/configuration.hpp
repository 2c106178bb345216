// How the host is set up: versions, links, governor, huge pages. Facts to compare with those of other hosts.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

ProbeSample probe_configuration(const ProbedHost& host);

}  // namespace gauntlet
