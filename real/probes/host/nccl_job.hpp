// Which ranks of a running job do not answer, failed, or hold up the others, and whether they are this host's.
#pragma once

#include "real/probes/host/nccl_ras.hpp"
#include "real/probes/host/probe.hpp"

#include <set>
#include <string>

namespace gauntlet {

/// Whether a communicator of `now` has ranks behind others, and none of its ranks entered a collective since `first`: a later look may find
/// that they move.
bool is_held_up(const RasStatus& first, const RasStatus& now);

/// How many ranks of this host do not answer, have an error, or hold up others. A rank holds up others if it is behind in a communicator in
/// which nothing moved between both looks, and is not ahead in another such communicator: there it waits itself. Where ranks of other
/// hosts alone are bad, the sample is inconclusive and names them. `own`: the addresses of this host.
ProbeSample sample_of_job(const RasStatus& first, const RasStatus& last, const std::set<std::string>& own);

/// Asks the RAS of the job on this host, up to ten times, a second apart, as long as ranks seem to be held up.
ProbeSample probe_nccl_job(const ProbedHost& host);

}  // namespace gauntlet
