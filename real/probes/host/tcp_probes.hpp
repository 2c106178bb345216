// TCP between this host and its neighbours.
//
// A link that carries nothing has the worst values there are: a rate of 0, the longest wait, every message lost. A neighbour that
// does not listen, or has another secret, says nothing of the link: it is left out.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

/// Payload in both directions, a part for each direction of each neighbour.
ProbeSample probe_tcp_bandwidth(const ProbedHost& host);
/// The 99th percentile of round trips of small messages, in ten batches.
ProbeSample probe_tcp_latency(const ProbedHost& host);
/// Segments that were sent again, per hundred round trips with one segment on its way: no congestion explains them.
ProbeSample probe_tcp_loss(const ProbedHost& host);

}  // namespace gauntlet
