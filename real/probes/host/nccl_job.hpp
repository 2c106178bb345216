// A probe of the running job: ranks that do not answer, failed, or hold up the others.
#pragma once

#include "real/probes/host/nccl_ras.hpp"
#include "real/probes/host/probe.hpp"

#include <functional>
#include <set>
#include <string>

namespace gauntlet {

/// Whether a communicator of `now` has ranks behind others, and none of its ranks entered a collective since `first`: a later look may find
/// that they move.
bool is_held_up(const RasStatus& first, const RasStatus& now);

/// How many ranks of this host do not answer, have an error, or hold up others. A rank holds up others if it is behind in a communicator in
/// which nothing moved between both looks, entered no collective of another one, and does not wait in another one. Where ranks of other
/// hosts alone are bad, the sample is inconclusive and names them. `own`: the addresses of this host.
ProbeSample sample_of_job(const RasStatus& first, const RasStatus& last, const std::set<std::string>& own);

/// Asks once, and up to ten times more with a pause before each, as long as ranks are held up.
ProbeSample watch_job(const std::function<RasAnswer()>& ask, const std::function<void()>& pause,
                      const std::set<std::string>& own);

/// Asks the RAS of the job on this host, with pauses of a second.
ProbeSample probe_nccl_job(const ProbedHost& host);

}  // namespace gauntlet
