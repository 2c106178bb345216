// Whether a host does what every job needs: in a tenth of a second, before anything is measured.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

/// Memory is copied, a file is written, made durable and read back, and a process is started and waited for. Has no metric: it
/// passes, or says what is wrong.
ProbeSample probe_host_check(const ProbedHost& host);

}  // namespace gauntlet
