// What the kernel says of the ports of RDMA devices: their rate, and their counters. It needs no library and no right to use the devices.
//
// Files: Documentation/ABI/stable/sysfs-class-infiniband of Linux.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

/// Gbit/s of each port, 0 where it is not active. Ports of one number and one kind of board are compared.
ProbeSample probe_rdma_ports(const ProbedHost& host);
/// Errors of each port and its link. Symbols that the link itself corrects are not among them: healthy links with PAM4
/// (50 Gbit/s a lane and more, IEEE 802.3cd) have some all the time.
ProbeSample probe_rdma_errors(const ProbedHost& host);
/// Packets that each port sent again or missed.
ProbeSample probe_rdma_retries(const ProbedHost& host);

}  // namespace gauntlet
